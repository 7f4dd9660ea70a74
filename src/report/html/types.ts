import type { Picture } from '../picture.ts'

/** A schedule of a report: its id (unique), a line that says what it is, its picture, and named figures about it. */
export type ReportSchedule = {
  readonly id: string
  readonly title: string
  readonly picture: Picture
  readonly facts: readonly Fact[]
}

/** A figure with the name of what it measures. */
export type Fact = { readonly name: string; readonly value: string }

/** A table; cells are text. A first cell that equals the id of a schedule becomes a button that shows it. */
export type ReportTable = {
  readonly caption: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** Lines below the table: what its marks mean. */
  readonly notes?: readonly string[]
}

/** A chart with its caption; `svg` is markup made by this room. */
export type ReportChart = { readonly caption: string; readonly svg: string }

/** All that a report shows. Every text is plain: escaping is the report's work. */
export type Report = {
  readonly title: string
  /** What to take away, one sentence each. */
  readonly lead: readonly string[]
  readonly tables: readonly ReportTable[]
  /** Tables for a second look, after the schedules. */
  readonly details: readonly ReportTable[]
  readonly schedules: readonly ReportSchedule[]
  /** Ids of the schedules that are shown first: what runs today, and what would run instead. */
  readonly before?: string
  readonly after?: string
  readonly charts: readonly ReportChart[]
  /** Definitions and assumptions, one sentence each. */
  readonly notes: readonly string[]
}
