import type { ExitCode } from './exit.ts'
import type { Io } from './io.ts'
import type { Config } from './options.ts'

/** A positional argument. */
export type Operand = {
  readonly name: string
  readonly help: string
  readonly optional?: boolean
  /** Takes one or more values; last operand only. */
  readonly many?: boolean
}

/** What a command runs on: its operands, its own options and nothing else, and the outside. */
export type Call<K extends keyof Config> = {
  readonly operands: readonly string[]
  readonly options: Pick<Config, K>
  readonly io: Io
}

/** A command: what its own `--help` says, which rows of the option table it takes, and what it does. */
export type CommandSpec<K extends keyof Config> = {
  /** Paragraphs for `tropipe NAME --help`. */
  readonly details?: string
  readonly options: readonly K[]
  /** Complete command lines. */
  readonly examples: readonly string[]
  /** Options that would do nothing in a call, and why: giving one of them is a fault, not a silence. */
  readonly idle?: (call: Omit<Call<K>, 'io'>) => readonly Idle<K>[]
  readonly run: (call: Call<K>) => Promise<ExitCode>
}

/** Options that do nothing, for a reason. */
export type Idle<K extends keyof Config> = { readonly options: readonly K[]; readonly why: string }

/** A command whose option keys are known to fit it. */
export type Command = CommandSpec<keyof Config>

/** A command as the list of commands names it: only one that is run, or explained, is loaded. */
export type Listed = {
  readonly name: string
  readonly summary: string
  readonly operands: readonly Operand[]
  readonly load: () => Promise<Command>
}

/** Checks a command against the option table and forgets which keys it picked. */
export function defineCommand<const K extends keyof Config>(spec: CommandSpec<K>): Command {
  return spec as unknown as Command
}
