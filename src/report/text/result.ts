import { showBytes } from '../../base/bytes.ts'
import { line, wrap } from '../../base/wrap.ts'
import type { ScheduleDocument } from '../../schedule/document.ts'
import type { Byte } from '../../schedule/measured.ts'
import { bubbleRatio } from '../../schedule/metrics.ts'
import { type Scale, showPercent, timeText } from '../../schedule/quantities.ts'
import { type CrossCheckView, crossCheckText } from './cross-check.ts'
import { ganttText } from './gantt.ts'
import { bold } from './glyphs.ts'
import { type RankUse, rankTable } from './rank-table.ts'
import type { Style } from './style.ts'
import { grid } from './table.ts'

/** A piece of evidence: a phrase that follows "proved by", and its figures. */
export type ProofView = { readonly by: string; readonly detail?: string }

/** What a solve ended with, ready to be printed. Times in ticks. */
export type ResultView = Scale & {
  readonly name: string
  readonly schedule: string
  readonly P: number
  readonly M: number
  readonly problem: string
  readonly objective: string
  readonly status: 'optimal' | 'feasible' | 'infeasible' | 'unknown'
  readonly makespan?: number
  readonly lowerBound?: number
  /** The largest spill, where that was minimised; lower bound and gap are then of it. */
  readonly spill?: number
  /** (makespan - lowerBound) / makespan. */
  readonly gap?: number
  /** Largest peak of any rank, where ties were broken by it, and whether no optimal schedule has a smaller one. */
  readonly leastPeak?: { readonly bytes: Byte; readonly proved: boolean }
  /** A bound that a solver claims and nothing confirms. */
  readonly claimedBound?: number
  /** Why there is no schedule, for status infeasible. */
  readonly reason?: string
  /** What supports the lower bound, strongest first. */
  readonly proofs: readonly ProofView[]
  /** Who found the schedule, how long it took. */
  readonly foundBy: string
  /** What could help, where the answer is not proved. */
  readonly hint?: string
  readonly crossCheck?: CrossCheckView
  readonly document?: ScheduleDocument
  readonly ranks?: readonly RankUse[]
}

/** The whole answer: status in plain words, figures, Gantt, use of every rank, closed-form check. */
export function resultText(view: ResultView, style: Style): string {
  const sections = [headline(view, style), figures(view, style)]
  if (view.document) sections.push(ganttText(view.document, style))
  if (view.ranks) sections.push(rankTable(view.ranks, style))
  if (view.crossCheck) sections.push(crossCheckText(view.crossCheck, view, style))
  return sections.filter(Boolean).join('\n')
}

function headline(view: ResultView, style: Style): string {
  const what = `${view.name}  ${view.schedule}  ${view.P} ranks x ${view.M} microbatches`
  return `${line(what, style.columns)}${bold(wrap(statusText(view), style.columns, '  ', ''), style)}\n`
}

/** The status in plain words, one sentence. */
export function statusText(view: ResultView): string {
  const { status, makespan, lowerBound } = view
  const bound = lowerBound === undefined ? undefined : timeText(lowerBound, view)
  const least = view.objective === 'spill' ? 'no schedule spills less than' : 'no schedule is shorter than'
  const time = timeText(makespan ?? 0, view)
  const found = view.spill === undefined ? time : `largest spill ${timeText(view.spill, view)} (makespan ${time})`
  switch (status) {
    case 'optimal':
      return `optimal: ${found}, proved by ${view.proofs[0]?.by ?? 'its bound'}`
    case 'feasible':
      return `feasible: ${found}, gap ${showPercent(view.gap ?? 1)}: ${least} ${bound ?? '0'}`
    case 'infeasible':
      return `infeasible: ${view.reason ?? 'no legal schedule exists'}`
    case 'unknown':
      return `unknown: a limit came before any schedule was found${bound ? `; ${least} ${bound}` : ''}`
  }
}

function figures(view: ResultView, style: Style): string {
  const { document, lowerBound, makespan } = view
  const rows: string[][] = []
  const row = (name: string, text: string) => rows.push([name, text])
  row('problem', `${view.problem}, objective ${view.objective}`)
  if (makespan !== undefined) row('makespan', timeText(makespan, view))
  if (view.spill !== undefined) row('spill', `${timeText(view.spill, view)}, the largest of a rank`)
  if (lowerBound !== undefined) {
    row('lower bound', [timeText(lowerBound, view), ...view.proofs.map(proofLine)].join('; '))
    if (view.claimedBound !== undefined && view.claimedBound > lowerBound) {
      row('claimed', `${timeText(view.claimedBound, view)} by a solver alone; not confirmed, so not used`)
    }
  }
  if (view.leastPeak) {
    const { bytes, proved } = view.leastPeak
    const least = proved ? 'no schedule of this makespan has a smaller one' : 'a smaller one is not ruled out'
    row('peak', `${showBytes(bytes)}, the largest of a rank: ${least}`)
  }
  if (document) {
    row('bubble', `${showPercent(bubbleRatio(document))} of ranks x makespan is idle`)
    row('checked', 'legal: every rule of time and memory re-derived and checked independently')
  }
  row(document ? 'found by' : 'search', view.foundBy)
  if (view.hint) row('hint', view.hint)
  return grid(['', ''], rows, style).replace(/^\s*\n/, '')
}

function proofLine({ by, detail }: ProofView): string {
  return detail === undefined ? by : `${by}: ${detail}`
}
