import { range } from '../base/arrays.ts'
import { compileGraph, durationOn, releaseOn } from './compile.ts'
import type { Tick } from './measured.ts'
import type { Problem, Schedule } from './problem.ts'
import { transferTicks } from './wire.ts'

/** Item b starts at least `gap` after item a starts. Items are events by id, then transfers behind them by edge id. */
type Gap = { readonly from: number; readonly to: number; readonly gap: Tick }

/**
 * A blocking schedule with every event and transfer as early as its order on each rank allows: the same order of items,
 * nothing later than it was.
 */
export function compactBlocking(
  problem: Problem,
  schedule: Schedule & Required<Pick<Schedule, 'transferStart'>>
): Schedule {
  const { rankOf, transferStart } = schedule
  const size = problem.events.length
  const given = [...schedule.start, ...transferStart]
  const graph = compileGraph(problem)
  const lengths = [
    ...problem.events.map(({ id }) => durationOn(graph, id, rankOf[id])),
    ...problem.edges.map(edge => transferTicks(problem, edge, rankOf))
  ]
  const gaps = [...dependencies(problem, schedule, lengths), ...neighbours(problem, schedule, given, lengths)]
  gaps.sort((a, b) => given[a.from] - given[b.from])
  const start = [...problem.events.map(({ id }) => releaseOn(graph, id, rankOf[id])), ...transferStart].map(
    (tick, item) => (item < size ? tick : Number.isNaN(tick) ? tick : 0)
  )
  for (let moved = true; moved; ) {
    moved = false
    for (const { from, to, gap } of gaps) {
      if (start[from] + gap <= start[to]) continue
      start[to] = start[from] + gap
      moved = true
    }
  }
  const makespan = Math.max(0, ...range(size).map(event => start[event] + lengths[event]))
  const [events, transfers] = [start.slice(0, size), start.slice(size)]
  return { ...schedule, start: Float64Array.from(events), transferStart: Float64Array.from(transfers), makespan }
}

function dependencies(problem: Problem, { transferStart }: Schedule, lengths: readonly Tick[]): Gap[] {
  return problem.edges.flatMap(({ id, from, to }) => {
    const transfer = problem.events.length + id
    if (Number.isNaN(transferStart?.[id] ?? Number.NaN)) return [{ from, to, gap: lengths[from] }]
    return [
      { from, to: transfer, gap: lengths[from] },
      { from: transfer, to, gap: lengths[transfer] }
    ]
  })
}

/** Items that follow each other on a rank, as their given starts say. */
function neighbours(
  problem: Problem,
  { sequences, rankOf, transferStart }: Schedule,
  given: readonly Tick[],
  lengths: readonly Tick[]
): Gap[] {
  return sequences.flatMap((sequence, rank) => {
    const moved = problem.edges
      .filter(
        ({ id, from, to }) => !Number.isNaN(transferStart?.[id]) && (rankOf[from] === rank || rankOf[to] === rank)
      )
      .map(({ id }) => problem.events.length + id)
    // The sort is stable: events of length 0 keep their places in the sequence.
    const items = [...sequence, ...moved].sort((a, b) => given[a] - given[b] || lengths[a] - lengths[b])
    return items.slice(1).map((to, index) => ({ from: items[index], to, gap: lengths[items[index]] }))
  })
}
