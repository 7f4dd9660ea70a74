import type { ScheduleDocument, TimedEvent } from '../schedule/document.ts'
import { type ForeignOrder, foreignOrder, type Position, type Run, SOURCE } from '../schedule/foreign.ts'

/** The order of a timed schedule: per rank its events in list order, transfers left out. */
export function orderOfDocument(
  document: ScheduleDocument,
  positions?: readonly (readonly Position[])[]
): ForeignOrder {
  const ranks = document.ranks.map(events => events.map(runOf))
  const order = foreignOrder(
    ranks,
    { dialect: document.format, encoderBackward: backwardOf(ranks), sparseSource: true },
    positions
  )
  return { ...order, microbatches: Math.max(order.microbatches, document.M), owners: padded(order.owners, document.M) }
}

function padded(owners: readonly number[], length: number): number[] {
  return [...owners, ...new Array<number>(Math.max(0, length - owners.length)).fill(-1)]
}

function runOf({ kind, stage, microbatch }: TimedEvent): Run {
  return { op: 'run', kind, stage: stage ?? SOURCE, microbatch }
}

/** Where the source's backwards run: with their forwards, elsewhere (the first stage's rank), or nowhere. */
function backwardOf(ranks: readonly (readonly Run[])[]): ForeignOrder['encoderBackward'] {
  const owners = new Map<number, number>()
  for (const [rank, runs] of ranks.entries())
    for (const run of runs) if (run.kind === 'E') owners.set(run.microbatch, rank)
  const backwards = ranks.flatMap((runs, rank) =>
    runs.filter(run => run.kind === 'EB').map(run => owners.get(run.microbatch) === rank)
  )
  if (backwards.length === 0) return 'none'
  return backwards.every(same => same) ? 'owner' : 'first-rank'
}

/** Start ticks of an order's runs, rank by rank, where the document is the one that the order came from. */
export function startsOfDocument(order: ForeignOrder, document: ScheduleDocument): number[][] | undefined {
  const runs = order.ranks.map(
    actions => actions.filter(action => action.op === 'run' || action.op === 'overlap').length
  )
  if (document.ranks.some((events, rank) => events.length !== runs[rank])) return undefined
  return document.ranks.map(events => events.map(event => event.start))
}
