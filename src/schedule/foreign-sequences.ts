import { type Fault, notYet } from '../base/fault.ts'
import { indexEvents } from './body.ts'
import { buildProblem } from './build.ts'
import { describeAction, type ForeignOrder, listsTransfers, runsOf } from './foreign.ts'
import { eventLabel } from './label.ts'
import type { Measured, OverlapRule } from './measured.ts'
import { withPairs } from './overlap.ts'
import type { EventId, Problem, Sequences } from './problem.ts'

/** An order as sequences of an instance's problem, or why it is none of them. */
export type ForeignSequences =
  | { readonly ok: true; readonly problem: Problem; readonly sequences: Sequences }
  | { readonly ok: false; readonly faults: readonly Fault[] }

const MOST = 25

/**
 * An order as an order of this instance, to be timed: its runs in list order, transfers left out. An overlap is a pair
 * where the instance says what one takes, else its parts one after the other. Backwards are split where the order lists
 * I or W.
 */
export function sequencesOfOrder(measured: Measured, order: ForeignOrder): ForeignSequences {
  const split = order.ranks.some(actions =>
    actions.some(action => runsOf(action).some(({ kind }) => kind === 'I' || kind === 'W'))
  )
  const problem = buildProblem(measured, { split })
  if (order.ranks.length !== problem.ranks) {
    const message = `the order has ${order.ranks.length} ranks, the instance ${problem.ranks}`
    return failed({ code: 'OTHER_INSTANCE', path: 'ranks', value: order.ranks.length, message, advice: OTHER })
  }
  const faults: Fault[] = []
  const seen = new Set<EventId>()
  const sequences = order.ranks.map((_, rank) => rankSequence(problem, order, rank, seen, faults))
  for (const event of problem.events) {
    if (!event.occupies || seen.has(event.id) || faults.length >= MOST) continue
    const name = eventLabel(problem, event.id)
    const message = `the order lacks ${name}, which the instance demands`
    faults.push({ code: 'MISSING_EVENT', path: 'ranks', value: name, message, advice: OTHER })
  }
  if (faults.length > 0) return failed(...faults)
  return { ok: true, problem: measured.overlap ? paired(problem, order, measured.overlap) : problem, sequences }
}

/** The problem with the overlaps of an order as pairs. */
function paired(problem: Problem, order: ForeignOrder, rule: OverlapRule): Problem {
  const { find } = indexEvents(problem)
  const pairs = order.ranks.flat().flatMap(action => {
    if (action.op !== 'overlap') return []
    if (
      listsTransfers(order) ||
      action.parts
        .map(part => part.kind)
        .sort()
        .join() !== 'B,F'
    )
      notYet(
        'options.overlap',
        rule,
        `timing ${describeAction(action)}${listsTransfers(order) ? ' among listed transfers' : ''} as an overlapped pair`,
        'Leave options.overlap out: then the parts run one after the other.'
      )
    const [first, second] = action.parts.map(({ kind, stage, microbatch }) => find(kind, stage, microbatch))
    return [[first, second] as [EventId, EventId]]
  })
  return withPairs(problem, pairs, rule)
}

const OTHER = 'Give the instance that the order was made for.'

function failed(...faults: Fault[]): ForeignSequences {
  return { ok: false, faults: faults.slice(0, MOST) }
}

function rankSequence(
  problem: Problem,
  order: ForeignOrder,
  rank: number,
  seen: Set<EventId>,
  faults: Fault[]
): EventId[] {
  const index = indexEvents(problem)
  const sequence: EventId[] = []
  for (const [step, action] of order.ranks[rank].entries()) {
    for (const run of runsOf(action)) {
      const id = index.find(run.kind, run.stage, run.microbatch, run.item, run.chunk)
      const fault = faultOf(problem, id, rank, seen)
      if (fault === undefined) {
        seen.add(id!)
        sequence.push(id!)
        continue
      }
      const at = order.positions?.[rank]?.[step]
      const path = at ? `row ${at.row}, column ${at.column}` : `ranks[${rank}][${step}]`
      const name = describeAction(run)
      faults.push({ code: fault.code, path, value: name, message: `${name} ${fault.why}`, advice: OTHER })
    }
  }
  return sequence
}

function faultOf(
  problem: Problem,
  id: EventId | undefined,
  rank: number,
  seen: ReadonlySet<EventId>
): { code: string; why: string } | undefined {
  if (id === undefined) return { code: 'UNKNOWN_EVENT', why: 'is no event of the instance' }
  if (seen.has(id)) return { code: 'DUPLICATE_EVENT', why: 'is listed twice' }
  if (problem.events[id].modes.some(mode => mode.rank === rank)) return undefined
  return { code: 'WRONG_RANK', why: `cannot run on rank ${rank}` }
}
