import { notYet } from '../../base/fault.ts'
import { describeAction, type ForeignOrder, hasEncoderParts, listsTransfers } from '../../schedule/foreign.ts'
import { cyclesOf } from './cycles.ts'
import { checkEvents, type Expected } from './events.ts'
import { checkBatches, checkPairOrder, collapseBatches } from './pairs.ts'
import { type CycleStep, type OrderViolation, placeOf } from './violation.ts'
import { WAITS, type Wait, type WaitGraph, waitGraph } from './waits.ts'

/** Transports whose rules an order is judged by. */
export type Transport = 'buffered' | 'rendezvous' | 'batched'

/** What is known of each transport: whether the order finishes under it, and what that rests on. */
export type TransportVerdict = { readonly transport: Transport; readonly finishes: boolean; readonly assumes: string }

/**
 * Judgement of an order without times. Legal: every event once at its place, and it finishes for every duration under
 * each transport asked for.
 */
export type OrderVerdict = {
  readonly legal: boolean
  readonly violations: readonly OrderViolation[]
  readonly transports: readonly TransportVerdict[]
  /** Actions and waits that were checked, so that a verdict on nothing shows. */
  readonly checked: { readonly actions: number; readonly waits: number }
}

export type OrderOptions = Expected & {
  /** Default: buffered and rendezvous, and batched where the order lists batches. */
  readonly transports?: readonly Transport[]
}

const ASSUMES: Readonly<Record<Transport, string>> = {
  buffered: 'a send ends when it is issued; each ordered rank pair is one queue',
  rendezvous: 'a send ends only when its receive is posted (sends block)',
  batched: 'neighbouring transfers are posted together, one exchange per peer'
}

/**
 * Proves or refutes an order as a runtime would run it: its events (rules V1-V5 and what runtimes do not check), then
 * deadlock by the cycles of list order, dependencies, transfers and collectives. Durations play no part, so what is
 * proved holds for all of them.
 */
export function checkOrder(order: ForeignOrder, options: OrderOptions = {}): OrderVerdict {
  if (hasEncoderParts(order))
    notYet('ranks', undefined, 'running an order with several encodes of one microbatch', 'Prove it with its instance.')
  const events = checkEvents(order, options)
  const deadlock = checkDeadlock(order, options)
  return {
    ...deadlock,
    legal: events.length === 0 && deadlock.violations.length === 0,
    violations: [...events, ...deadlock.violations]
  }
}

/** The deadlock part of `checkOrder` alone, for lists that are no complete schedule. */
export function checkDeadlock(order: ForeignOrder, options: Pick<OrderOptions, 'transports'> = {}): OrderVerdict {
  const hasBatches = order.ranks.some(actions => actions.some(action => action.op === 'batch'))
  const transports = options.transports ?? ['buffered', 'rendezvous', ...(hasBatches ? (['batched'] as const) : [])]
  const graph = waitGraph(order, false)
  const cycles = [
    ...ownRankFaults(order, graph),
    ...cyclesOf(graph, isLate).map(cycle => cycleViolation(order, graph, cycle, 'CYCLE'))
  ]
  const fifo = listsTransfers(order) ? checkPairOrder(order) : []
  const verdicts: TransportVerdict[] = []
  const violations: OrderViolation[] = [...cycles, ...fifo]
  for (const transport of transports) {
    const own = cycles.length > 0 ? [] : checkTransport(order, transport, hasBatches)
    violations.push(...own)
    const finishes = cycles.length === 0 && fifo.length === 0 && own.length === 0
    verdicts.push({ transport, finishes, assumes: ASSUMES[transport] })
  }
  const actions = order.ranks.reduce((total, list) => total + list.length, 0)
  return {
    legal: violations.length === 0,
    violations,
    transports: verdicts,
    checked: { actions, waits: graph.numEdges }
  }
}

function checkTransport(order: ForeignOrder, transport: Transport, hasBatches: boolean): OrderViolation[] {
  if (transport === 'buffered' || !listsTransfers(order)) return []
  const listed = transport === 'batched' && !hasBatches ? collapseBatches(order) : order
  const graph = waitGraph(listed, true)
  const cycles = cyclesOf(graph).map(cycle => cycleViolation(listed, graph, cycle, 'RENDEZVOUS'))
  return transport === 'batched' ? [...cycles, ...checkBatches(listed)] : cycles
}

/** An edge that its rank's list contradicts: what is needed stands at or after what needs it. Every one is a cycle. */
function isLate(graph: WaitGraph, edge: number): boolean {
  const { from, to, why, index } = graph
  const [source, target] = [from[edge], to[edge]]
  return WAITS[why[edge]] === 'needs' && source >= target && index.rankOf(source) === index.rankOf(target)
}

/** P5 and the like: what a rank's own list puts the wrong way round, each as its own cycle. */
function ownRankFaults(order: ForeignOrder, graph: WaitGraph): OrderViolation[] {
  const found: OrderViolation[] = []
  for (let edge = 0; edge < graph.numEdges && found.length < 25; edge++) {
    if (!isLate(graph, edge)) continue
    const [needed, needing] = [graph.from[edge], graph.to[edge]]
    const rank = graph.index.rankOf(needing)
    const [later, earlier] = [needed, needing].map(node => stepAt(order, rank, node - graph.index.first[rank]))
    const cycle = [
      { ...earlier, waitsFor: REASONS.needs },
      { ...later, waitsFor: REASONS.list }
    ]
    const message =
      needed === needing
        ? `${earlier.action}: its parts need each other, so they cannot overlap`
        : `cannot finish on any transport: rank ${rank} lists ${earlier.action} (step ${earlier.step}) before ${later.action} (step ${later.step}), which it needs`
    const advice = 'Receive before computing, compute before sending, and run what is needed first.'
    found.push({
      code: 'CYCLE',
      rule: 'P5',
      assumes: 'any',
      ...placeOf(order, rank, earlier.step),
      cycle,
      message,
      advice
    })
  }
  return found
}

function stepAt(order: ForeignOrder, rank: number, step: number): Omit<CycleStep, 'waitsFor'> {
  const position = order.positions?.[rank]?.[step]
  return { rank, step, action: describeAction(order.ranks[rank][step]), ...(position ? { position } : {}) }
}

const REASONS: Readonly<Record<Wait, string>> = {
  list: 'comes after the next one in the list of its rank',
  needs: 'needs the result of the next one',
  arrives: 'receives what the next one sends',
  posted: 'ends only when its other end is posted, which comes after the next one',
  collective: 'needs every rank to be there'
}

function cycleViolation(
  order: ForeignOrder,
  graph: WaitGraph,
  cycle: readonly number[],
  code: 'CYCLE' | 'RENDEZVOUS'
): OrderViolation {
  const steps = cycle.map((node, i) => cycleStep(order, graph, node, cycle[(i + 1) % cycle.length]))
  const shown = steps.filter(step => step !== undefined)
  const names = shown.map(step => `rank ${step.rank} ${step.action}`)
  const first = shown[0]
  const hang =
    code === 'CYCLE'
      ? 'cannot finish on any transport'
      : 'hangs if sends block (rendezvous); finishes if they are buffered'
  const listing = names.length > 12 ? [...names.slice(0, 11), `... ${names.length - 11} more`] : names
  return {
    code,
    rule:
      code === 'CYCLE' ? (shown.length <= 2 && new Set(shown.map(s => s.rank)).size === 1 ? 'P5' : 'acyclic') : 'P2',
    assumes: code === 'CYCLE' ? 'any' : 'sends-block',
    ...placeOf(order, first.rank, first.step),
    cycle: shown,
    message: `${hang}; each waits for the next: ${[...listing, names[0]].join(' -> ')}`,
    advice:
      code === 'CYCLE'
        ? 'Move one of these events so that none waits for itself.'
        : 'Let one rank of the cycle receive first, or take the repaired transfer order.'
  }
}

/** A node of a cycle with the reason why it waits for the next one; helper nodes of collectives have no place. */
function cycleStep(order: ForeignOrder, graph: WaitGraph, node: number, next: number): CycleStep | undefined {
  const { index } = graph
  if (node >= index.first[order.ranks.length]) return undefined
  const rank = index.rankOf(node)
  const step = node - index.first[rank]
  return { ...stepAt(order, rank, step), waitsFor: REASONS[reasonOf(graph, next, node)] }
}

function reasonOf({ from, to, why, numEdges }: WaitGraph, source: number, target: number): Wait {
  for (let e = 0; e < numEdges; e++) if (from[e] === source && to[e] === target && why[e] > 0) return WAITS[why[e]]
  return 'list'
}
