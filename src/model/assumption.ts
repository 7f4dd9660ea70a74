/** Something that the input did not say and that we decided: printed line by line, never silent. */
export type Assumption = {
  /** Dotted name of what was decided, e.g. `vision.depth`. */
  readonly field: string
  readonly value: string | number | boolean
  readonly why: string
}
