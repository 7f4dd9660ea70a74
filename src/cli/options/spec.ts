/** One row of the option table: how the option is written, read and explained. */
export type OptionSpec<T> = {
  /** Long form, without dashes. */
  readonly flag: string
  readonly short?: string
  /** Name of the value; absent for a switch. */
  readonly value?: string
  readonly choices?: readonly string[]
  readonly help: string
  /** Value where the option is not given. */
  readonly fallback: T
  /** Reads the value; absent: the text itself (or `true` for a switch). `before`: what an earlier use of the option gave. */
  parse?(text: string, before?: T): T
}

/** A row for every key of a configuration: a key without one does not compile. */
export type OptionTable<C> = { readonly [K in keyof C]: OptionSpec<C[K]> }
