/** One thing wrong with what the caller gave: data first, wording last. */
export type Fault = {
  /** Stable upper-case identifier, e.g. `LIST_LENGTH`. */
  readonly code: string
  /** Where in the input, e.g. `regions[0].stages[1].forward`. */
  readonly path: string
  readonly value?: unknown
  readonly message: string
  /** One line that says what to change. */
  readonly advice: string
}

/** Thrown for caller mistakes, with every fault found at once. Expected endings are returned values, never this. */
export class FaultError extends Error {
  readonly faults: readonly Fault[]
  /** The file that the paths are places in, where they do not say so themselves. */
  readonly source: string | undefined

  constructor(faults: readonly Fault[], source?: string) {
    super(faults.map(f => `${f.path ? `${f.path}: ` : ''}${f.message} (${f.code}). ${f.advice}`).join('\n'))
    this.name = 'FaultError'
    this.faults = faults
    this.source = source
  }
}

/** Throws a single fault. */
export function fail(code: string, path: string, value: unknown, message: string, advice: string): never {
  throw new FaultError([{ code, path, value, message, advice }])
}

/** Refuses something that the core model can carry but that nothing solves yet. */
export function notYet(path: string, value: unknown, what: string, advice: string): never {
  fail('NOT_YET', path, value, `${what} is not supported yet`, advice)
}
