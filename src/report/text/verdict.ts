import { showPercent, timeText } from '../../schedule/quantities.ts'
import type { ComparisonView, LineView } from './comparison.ts'

/** A file that a runtime runs, and the format that it is in. */
export type RunnableFile = { readonly path: string; readonly format: string }

/** A format of a runtime that cannot say the schedule, and why. */
export type RefusedFormat = { readonly format: string; readonly why: string }

/**
 * What a comparison comes to, one sentence each: how much faster the optimum is than the baseline, whether that is
 * proven, which heuristic comes closest, and the file to run. Empty where no optimum was searched.
 */
export function verdictSentences(
  view: ComparisonView,
  files: readonly RunnableFile[] = [],
  refused: readonly RefusedFormat[] = []
): string[] {
  const { optimum } = view
  const base = view.rows.find(row => row.family === view.baseline)
  if (!optimum) return []
  if (optimum.makespan === undefined) return [noneSentence(optimum)]
  return [
    ...(base ? [gainSentence(view, base, optimum.makespan)] : []),
    proofSentence(view, optimum.makespan),
    ...closestSentence(view, optimum.makespan),
    ...fileSentence(files, refused)
  ]
}

function noneSentence({ status, problem, reason }: NonNullable<ComparisonView['optimum']>): string {
  const why = reason === undefined ? '' : `: ${reason.replace(/\.$/, '')}`
  return status === 'infeasible'
    ? `It is proven that no schedule of problem "${problem}" exists${why}.`
    : `No schedule was found for problem "${problem}": ${status}.`
}

/** The files, and, where none is a runtime's own, why. */
function fileSentence(files: readonly RunnableFile[], refused: readonly RefusedFormat[]): string[] {
  if (files.length === 0) return []
  const list = files.map(({ path, format }) => `${path} (${format})`).join(', ')
  const own = files.some(({ format }) => format !== 'schedule')
  const why = refused.map(({ format, why }) => `${format}: ${why}`).join('; ')
  return [
    `Here is the file to run it: ${list}.`,
    ...(own || refused.length === 0 ? [] : [`No runtime's own format can say this schedule (${why}).`])
  ]
}

/** A gap that is not 0 never reads as 0. */
function showGap(gap: number): string {
  const shown = showPercent(gap)
  return gap > 0 && shown === showPercent(0) ? 'under 0.1 %' : shown
}

function gainSentence(view: ComparisonView, base: LineView, best: number): string {
  const what = view.optimum?.status === 'optimal' ? 'The optimum' : 'The best schedule found'
  const from = `${timeText(base.makespan, view)} to ${timeText(best, view)}`
  const gain = best > 0 ? base.makespan / best - 1 : 0
  if (gain === 0) return `${what} is no faster than ${base.family}, which takes ${timeText(best, view)}.`
  const legal = base.legal ? '' : `; ${base.family} itself is not legal here (${base.violations.join(', ')})`
  return `${what} is ${showPercent(Math.abs(gain))} ${gain > 0 ? 'faster' : 'slower'} than ${base.family} (${from}${legal}).`
}

function proofSentence(view: ComparisonView, best: number): string {
  const { status, problem, lowerBound } = view.optimum!
  if (status === 'optimal')
    return `It is proven: no schedule of problem "${problem}" takes less than ${timeText(best, view)}.`
  const gap = showGap((best - lowerBound) / best)
  return `It is not proven: no schedule of problem "${problem}" takes less than ${timeText(lowerBound, view)} (gap ${gap}).`
}

/** The legal heuristic that comes closest from above; and one that is shorter, which is of another problem. */
function closestSentence(view: ComparisonView, best: number): string[] {
  if (best === 0) return []
  const legal = view.rows.filter(row => row.legal)
  const above = shortestOf(legal.filter(row => row.makespan >= best))
  const below = shortestOf(legal.filter(row => row.makespan < best))
  return [
    ...(above
      ? [`Of the heuristics, ${above.family} comes closest: its step is ${longer(above.makespan, best)}.`]
      : []),
    ...(below ? [outsideSentence(view, below, best)] : [])
  ]
}

function shortestOf(rows: readonly LineView[]): LineView | undefined {
  return rows.length === 0 ? undefined : rows.reduce((short, row) => (row.makespan < short.makespan ? row : short))
}

function longer(makespan: number, best: number): string {
  return makespan === best ? 'as long' : `${showGap(makespan / best - 1)} longer`
}

/** A heuristic may beat the optimum only by leaving the problem: another body order, or slabs cut otherwise. */
function outsideSentence(view: ComparisonView, { family, makespan, notes = [] }: LineView, best: number): string {
  const how = notes.length > 0 ? notes.join('; ') : 'it orders the body otherwise'
  const less = `${timeText(makespan, view)}, ${showPercent(1 - makespan / best)} less`
  return `Outside of problem "${view.optimum?.problem}", ${family} would take ${less} (${how}).`
}
