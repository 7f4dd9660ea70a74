/** Exit codes of the contract: nothing else leaves the process. */
export const EXIT = {
  /** Done; a `feasible` answer included. */
  done: 0,
  /** The answer is no: illegal, infeasible, or a cross-check failed. */
  no: 1,
  /** Bad input or usage. */
  usage: 2,
  /** A limit came first and there is no answer, or a proof stayed undecided. */
  limit: 3,
  /** A fault of the tool itself. */
  internal: 70
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]
