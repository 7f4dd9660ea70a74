/** Kinds of work that a profile can measure: as in schedules; E and EB have no stage (-1). */
export const SPAN_KINDS = ['F', 'B', 'I', 'W', 'E', 'EB'] as const
export type SpanKind = (typeof SPAN_KINDS)[number]

/** One measured piece of work. `step` counts from 0 within the profile; times are microseconds. */
export type Span = {
  readonly kind: SpanKind
  readonly stage: number
  readonly microbatch: number
  readonly step: number
  readonly us: number
  /** Where it was read, for messages. */
  readonly from: string
}

/** Time that one rank computed in one step, where nothing says which stage or microbatch it was for. */
export type RankTotal = { readonly rank: number; readonly step: number; readonly us: number; readonly from: string }

/** What one file of a profile gives: measured spans, or totals to estimate from; and what was passed over, in words. */
export type ProfilePart = {
  readonly spans: readonly Span[]
  readonly totals: readonly RankTotal[]
  readonly notes: readonly string[]
}

/** A file of a profile, as text. */
export type ProfileFile = { readonly name: string; readonly text: string }
