import { type Fault, fail } from '../base/fault.ts'
import { indexEvents } from '../schedule/body.ts'
import { type ScheduleDocument, toDocument } from '../schedule/document.ts'
import { evaluate } from '../schedule/evaluate.ts'
import { type ForeignOrder, listsTransfers, type Run, runsOf, SOURCE, type Transfer } from '../schedule/foreign.ts'
import { type ForeignSequences, sequencesOfOrder } from '../schedule/foreign-sequences.ts'
import type { Measured, Tick } from '../schedule/measured.ts'
import type { EventId, Mode, Problem } from '../schedule/problem.ts'
import { timeActions } from '../verify/transport/times.ts'

/** An order timed on an instance, or why it is none of it. */
export type TimedOrder =
  | { readonly ok: true; readonly document: ScheduleDocument }
  | { readonly ok: false; readonly faults: readonly Fault[] }

/**
 * Times an order on an instance, as early as it allows. Transfers that it lists count at their places: a receive holds
 * its rank's list up until the data is there. Where none are listed they overlap compute freely.
 */
export function timeOrder(measured: Measured, order: ForeignOrder): TimedOrder {
  const made = sequencesOfOrder(measured, order)
  if (!made.ok) return made
  const { problem, sequences } = listsTransfers(order) ? heldUp(measured, order, made) : made
  const evaluation = evaluate(problem, sequences)
  if (evaluation.kind === 'schedule') return { ok: true, document: toDocument(made.problem, evaluation.schedule) }
  return fail(
    'CYCLE',
    'ranks',
    evaluation.events,
    'the order cannot finish',
    'Run `tropipe prove` on it for the cycle.'
  )
}

type Made = Extract<ForeignSequences, { ok: true }>

/** The problem in which no run starts before its place in the list is reached. */
function heldUp(measured: Measured, order: ForeignOrder, made: Made): Made {
  const { problem } = made
  const index = indexEvents(problem)
  const eventOf = ({ kind, stage, microbatch }: Run) => index.find(kind, stage, microbatch) as EventId
  const modeOf = (run: Run, rank: number) => problem.events[eventOf(run)].modes.find(mode => mode.rank === rank) as Mode
  const times = timeActions(order, {
    durationOf: (run, rank) => modeOf(run, rank).duration,
    releaseOf: (run, rank) => modeOf(run, rank).release,
    lagOf: transfer => lagOf(measured, transfer)
  })
  if (!times)
    return fail('CYCLE', 'ranks', undefined, 'the order cannot finish', 'Run `tropipe prove` on it for the cycle.')
  const starts = new Map<EventId, Tick>()
  for (const [rank, actions] of order.ranks.entries()) {
    for (const [step, action] of actions.entries()) {
      let start = times.start[rank][step]
      for (const run of runsOf(action)) {
        starts.set(eventOf(run), start)
        start += modeOf(run, rank).duration
      }
    }
  }
  return { ...made, problem: released(problem, starts) }
}

function lagOf({ communication }: Measured, { payload, stage }: Transfer): Tick {
  if (payload === 'data') return 0
  if (payload === 'gradient') return stage === SOURCE ? communication.scatter : communication.send
  return stage === 0 ? communication.gather : communication.send
}

function released(problem: Problem, starts: ReadonlyMap<EventId, Tick>): Problem {
  const events = problem.events.map(event => {
    const start = starts.get(event.id)
    return start === undefined ? event : { ...event, modes: event.modes.map(mode => ({ ...mode, release: start })) }
  })
  return { ...problem, events }
}
