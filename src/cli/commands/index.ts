import type { Command } from '../command.ts'
import { compare } from './compare.ts'
import { convert } from './convert.ts'
import { derive } from './derive.ts'
import { hardware } from './hardware.ts'
import { merge } from './merge.ts'
import { model } from './model.ts'
import { paper } from './paper.ts'
import { prove } from './prove.ts'
import { regimes } from './regimes.ts'
import { solve } from './solve.ts'

/** Every command, in the order of `--help`. */
export const COMMANDS: readonly Command[] = [
  solve,
  prove,
  compare,
  merge,
  derive,
  regimes,
  convert,
  model,
  hardware,
  paper
]
