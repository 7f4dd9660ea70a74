import type { BodyOrder } from '../algebra/orders/body.ts'
import { range } from '../base/arrays.ts'
import { type Random, randomBelow, randomFrom } from '../base/random.ts'
import { placementBounds } from '../bounds/index.ts'
import { encodeReorderCp, encodeReorderSmt, positionsOf, takenPositions } from '../encoding/index.ts'
import { bodySequences } from '../schedule/body.ts'
import type { Tick } from '../schedule/measured.ts'
import type { Problem, Sequences } from '../schedule/problem.ts'
import { withPlacedTransfers } from '../schedule/relax.ts'
import { placementCandidates } from './constructive.ts'
import { type Attempted, checkSequences } from './point.ts'
import { type RefineLimits, refine } from './refine.ts'
import { placeTask } from './search/greedy.ts'
import { encoderTasks } from './search/insertion.ts'
import { OrderState } from './search/order-state.ts'
import type { Session } from './session.ts'
import type { Task } from './task.ts'

/** Position in the injection order -> microbatch (M entries). */
export type Injection = readonly number[]

/** The placement task in which the microbatches enter in the given order; `task` has them ascending. */
export function injected(task: Task, injection: Injection): Task {
  if (!task.bodyOrder) return task
  const bodyOrder: BodyOrder = task.bodyOrder.map(steps =>
    steps.map(step => ({ ...step, microbatch: injection[step.microbatch] }))
  )
  return { ...task, bodyOrder, body: bodySequences(task.problem, bodyOrder) }
}

/**
 * `reorder` with its exact models. Where all microbatches are alike there is one injection order, and it is the
 * placement; where they have the same events, models by positions of entry; else none, and only the search remains.
 */
export function reorderTask(fixed: Task): Task {
  const { encodeDecision: _, encodeMilp: __, encodeCp: ___, ...task } = fixed
  const { relaxed, body, problem } = task
  if (areAlike(fixed)) return fixed
  const ofOrder = (sequences: Sequences) => injected(fixed, injectionOf(problem, sequences) ?? [])
  const model = problem.communication
  const counted = positionsOf(relaxed)
  const positions = model === 'latency' && counted ? counted : takenPositions(withPlacedTransfers(problem), 'any')
  return {
    ...task,
    ofOrder,
    ...(positions ? { encodeDecision: (value: Tick) => encodeReorderSmt(positions, body, value, model) } : {}),
    ...(counted ? { encodeCp: (horizon: Tick) => encodeReorderCp(counted, body, horizon) } : {})
  }
}

/** Whether all microbatches are alike, so that one injection order stands for all. */
function areAlike({ problem }: Task): boolean {
  return problem.symmetric[0]?.length === problem.microbatches
}

/** Injection orders to start from: as given, light microbatches first, heavy first, and light ones at both ends. */
export function startingInjections(task: Task): Injection[] {
  const { problem, measured } = task
  const load = new Float64Array(measured.microbatches)
  for (const { key, modes } of problem.events) if (key.microbatch >= 0) load[key.microbatch] += modes[0].duration
  const given = range(measured.microbatches)
  if (areAlike(task)) return [given]
  const light = [...given].sort((a, b) => load[a] - load[b] || a - b)
  const ends = [...light.filter((_, i) => i % 2 === 0), ...light.filter((_, i) => i % 2 === 1).reverse()]
  return [given, light, [...light].reverse(), ends]
}

/** Tries the starting orders, each with every placement rule. */
export function constructReorder(task: Task, session: Session): void {
  for (const injection of startingInjections(task)) {
    const one = injected(task, injection)
    for (const { by, sequences } of placementCandidates(one, session)) {
      const attempt = checkSequences(one, sequences())
      if (attempt.kind === 'point') session.offer(attempt.point, { name: `${by}, reordered`, version: '' })
      if (session.isOver()) return
    }
  }
}

/** Steps on the injection order between two refinements of the placement under the best one. */
const ORDER_STEPS = 2_000

const PLACEMENT_STEPS = 5_000

/**
 * Trades and moves of microbatches in the injection order, each judged by building its placement by insertion; then the
 * placement under the best order is refined, and so on until proved or out of limits.
 */
export async function refineReorder(task: Task, session: Session, limits: RefineLimits): Promise<void> {
  const random = randomFrom(session.options.seed)
  const from = session.host.now()
  await examineAll(task, session, limits.untilMs)
  const incumbent = () => session.point && injectionOf(task.problem, session.point.schedule.sequences)
  let best = incumbent() ?? range(task.measured.microbatches)
  for (
    let left = limits.steps;
    left > 0 && !session.isOver() && session.host.now() < limits.untilMs;
    left -= ORDER_STEPS + PLACEMENT_STEPS
  ) {
    await climb(task, session, best, { steps: Math.min(left, ORDER_STEPS), untilMs: limits.untilMs }, random)
    best = incumbent() ?? best
    await refine(injected(task, best), session, { steps: Math.min(left, PLACEMENT_STEPS), untilMs: limits.untilMs })
  }
  session.note('order of microbatches', session.point ? `makespan ${session.point.value}` : 'no legal order', from)
}

/** The injection order of an order: that of the last stage's forwards, since a source region may skip microbatches. */
function injectionOf({ events }: Problem, sequences: Sequences): Injection | undefined {
  const forwards = sequences
    .flat()
    .map(id => events[id].key)
    .filter(key => key.kind === 'F' && key.stage >= 0)
  if (forwards.length === 0) return undefined
  const last = forwards.reduce((most, key) => Math.max(most, key.stage), 0)
  return forwards.filter(key => key.stage === last).map(key => key.microbatch)
}

/** How an order of a placement is checked: as it is, or as an order of a wider problem. */
type Check = (placement: Task, sequences: Sequences) => Attempted

/** Searches injection orders of the fixed body for a wider problem, from the incumbent's. */
export async function climbInjections(
  fixed: Task,
  wider: Problem,
  session: Session,
  limits: RefineLimits,
  check: Check
): Promise<void> {
  if (areAlike(fixed)) return
  const from = session.host.now()
  const incumbent = session.point && injectionOf(wider, session.point.schedule.sequences)
  await climb(
    fixed,
    session,
    incumbent ?? range(fixed.measured.microbatches),
    limits,
    randomFrom(session.options.seed),
    check
  )
  session.note('order of microbatches', session.point ? `makespan ${session.point.value}` : 'no legal order', from)
}

async function climb(
  task: Task,
  session: Session,
  from: Injection,
  { steps, untilMs }: RefineLimits,
  random: Random,
  check: Check = checkSequences
): Promise<void> {
  let [order, value] = [from, build(injected(task, from), random).makespan]
  const slice = Math.max(1, Math.floor(20_000 / task.problem.events.length))
  for (let step = 0; step < steps && !session.isOver(); step++) {
    const next = changed(order, random)
    const one = injected(task, next)
    const built = build(one, random)
    if (built.makespan < (session.point?.value ?? Number.POSITIVE_INFINITY)) {
      const attempt = check(one, built.sequences())
      if (attempt.kind === 'point') session.offer(attempt.point, { name: 'order of microbatches', version: '' })
    }
    if (built.makespan <= value) [order, value] = [next, built.makespan]
    if (step % slice !== slice - 1) continue
    await session.pause()
    if (session.host.now() >= untilMs) return
  }
}

function build({ problem, body }: Task, random: Random): OrderState {
  const state = new OrderState(problem, body)
  for (const one of encoderTasks(problem, body)) placeTask(state, one, random)
  return state
}

/** Two microbatches trade places, or one moves elsewhere. */
function changed(order: Injection, random: Random): Injection {
  const next = [...order]
  const [a, b] = [randomBelow(random, next.length), randomBelow(random, next.length)]
  if (random() < 0.5) [next[a], next[b]] = [next[b], next[a]]
  else next.splice(b, 0, ...next.splice(a, 1))
  return next
}

/** Most injection orders that are examined one by one. */
const MOST_ORDERS = 5_040

/**
 * Where there are few injection orders: bounds each placement by itself. The least of these bounds holds for all, and is
 * stronger than one bound over all orders at once.
 */
async function examineAll(task: Task, session: Session, untilMs: number): Promise<void> {
  const orders = distinctInjections(task.problem, MOST_ORDERS)
  if (!orders) return
  let least = Number.POSITIVE_INFINITY
  for (const [index, injection] of orders.entries()) {
    const one = injected(task, injection)
    least = Math.min(least, placementBounds(one.relaxed, one.body)[0].ticks)
    if (least <= session.lowerBound) return
    if (index % 16 !== 15) continue
    await session.pause()
    if (session.isOver() || session.host.now() >= untilMs) return
  }
  const terms = [{ label: `least over ${orders.length} injection orders`, ticks: least, events: [] }]
  session.prove(least, [{ kind: 'bound', name: 'every-injection', ticks: least, terms }], 'every-injection')
}

/** All injection orders up to trading equal microbatches; undefined where there are more than `most`. */
export function distinctInjections({ microbatches, symmetric }: Problem, most: number): Injection[] | undefined {
  const before = new Map(symmetric.flatMap(group => group.slice(1).map((m, index) => [m, group[index]] as const)))
  let orders: number[][] = [[]]
  for (let length = 0; length < microbatches; length++) {
    orders = orders.flatMap(order =>
      range(microbatches)
        .filter(m => !order.includes(m) && (before.get(m) === undefined || order.includes(before.get(m) as number)))
        .map(m => [...order, m])
    )
    if (orders.length > most) return undefined
  }
  return orders
}
