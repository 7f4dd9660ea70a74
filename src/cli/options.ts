import { COMPARE_OPTIONS, type CompareConfig } from './options/compare.ts'
import { DERIVE_OPTIONS, type DeriveConfig } from './options/derive.ts'
import { MODEL_OPTIONS, type ModelConfig } from './options/model.ts'
import { ORDER_OPTIONS, type OrderConfig } from './options/order.ts'
import { OUTPUT_OPTIONS, type OutputConfig } from './options/output.ts'
import { SEARCH_OPTIONS, type SearchConfig } from './options/search.ts'
import type { OptionTable } from './options/spec.ts'

export type { OptionSpec } from './options/spec.ts'

/** Every value that a command can be configured with. */
export type Config = OutputConfig & SearchConfig & CompareConfig & DeriveConfig & ModelConfig & OrderConfig

/** The one table behind the parser, `--help` and docs/cli.md. */
export const OPTIONS: OptionTable<Config> = {
  ...OUTPUT_OPTIONS,
  ...SEARCH_OPTIONS,
  ...COMPARE_OPTIONS,
  ...DERIVE_OPTIONS,
  ...MODEL_OPTIONS,
  ...ORDER_OPTIONS
}
