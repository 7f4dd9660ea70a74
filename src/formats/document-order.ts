import type { ScheduleDocument, TimedEvent } from '../schedule/document.ts'
import {
  type Action,
  type ForeignOrder,
  foreignOrder,
  type Position,
  type Run,
  runsOf,
  SOURCE
} from '../schedule/foreign.ts'

/** The order of a timed schedule: per rank its events in list order, transfers left out. */
export function orderOfDocument(
  document: ScheduleDocument,
  positions?: readonly (readonly Position[])[]
): ForeignOrder {
  const steps = document.ranks.map(stepsOf)
  const ranks = steps.map(list => list.map(({ events }) => actionOf(events)))
  const places = positions?.map((list, rank) => steps[rank].map(({ at }) => list[at]))
  const order = foreignOrder(
    ranks,
    { dialect: document.format, encoderBackward: backwardOf(ranks), sparseSource: true },
    places
  )
  return { ...order, microbatches: Math.max(order.microbatches, document.M), owners: padded(order.owners, document.M) }
}

function padded(owners: readonly number[], length: number): number[] {
  return [...owners, ...new Array<number>(Math.max(0, length - owners.length)).fill(-1)]
}

/** Events that are one action of a runtime: one alone, or an overlapped pair. `at` is the index of the first. */
type Step = { readonly at: number; readonly events: readonly TimedEvent[] }

function stepsOf(events: readonly TimedEvent[]): Step[] {
  const steps: Step[] = []
  for (let at = 0; at < events.length; at++) {
    const paired = events[at].overlapped && events[at + 1]?.overlapped
    steps.push({ at, events: events.slice(at, paired ? at + 2 : at + 1) })
    if (paired) at++
  }
  return steps
}

function actionOf(events: readonly TimedEvent[]): Run | Extract<Action, { op: 'overlap' }> {
  return events.length === 1 ? runOf(events[0]) : { op: 'overlap', parts: events.map(runOf) }
}

function runOf({ kind, stage, microbatch, item, chunk }: TimedEvent): Run {
  const part = { ...(item === undefined ? {} : { item }), ...(chunk === undefined ? {} : { chunk }) }
  return { op: 'run', kind, stage: stage ?? SOURCE, microbatch, ...part }
}

/** Where the source's backwards run: with their forwards, elsewhere (the first stage's rank), or nowhere. */
function backwardOf(lists: readonly (readonly Action[])[]): ForeignOrder['encoderBackward'] {
  const ranks = lists.map(actions => actions.flatMap(runsOf))
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
  const steps = document.ranks.map(stepsOf)
  if (steps.some((list, rank) => list.length !== runs[rank])) return undefined
  return steps.map(list => list.map(({ events }) => events[0].start))
}
