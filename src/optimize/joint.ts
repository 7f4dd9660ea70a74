import { range } from '../base/arrays.ts'
import { randomFrom } from '../base/random.ts'
import { frameOf } from '../bounds/frame.ts'
import { FAMILIES } from '../heuristics/index.ts'
import { indexEvents } from '../schedule/body.ts'
import type { EventId, Problem, Sequences } from '../schedule/problem.ts'
import { placementCandidates } from './constructive.ts'
import { checkSequences, describeAttempt } from './point.ts'
import { type RefineLimits, stepsPerSlice } from './refine.ts'
import { climbInjections, injected, startingInjections } from './reorder.ts'
import { improveStep, type Score } from './search/improve.ts'
import { encoderTasks } from './search/insertion.ts'
import { type ListRule, listSchedule } from './search/list-schedule.ts'
import { modelScore } from './search/model-score.ts'
import { excessOf, type OrderMemory, orderMemory } from './search/order-memory.ts'
import { OrderState } from './search/order-state.ts'
import { swapStep } from './search/swaps.ts'
import type { Session } from './session.ts'
import type { Task } from './task.ts'
import { placementTask } from './tasks.ts'

/** Orders of everything that need no search: families with this instance's stages, and list schedules by several rules. */
export function constructJoint(task: Task, session: Session): void {
  for (const { by, sequences } of candidates(task, session)) {
    const from = session.host.now()
    const order = sequences()
    if (!order) continue
    const attempt = checkSequences(task, order)
    session.note(by, describeAttempt(attempt), from)
    if (attempt.kind === 'point') session.offer(attempt.point, { name: by, version: '' })
    if (session.isOver()) return
  }
}

type JointCandidate = { readonly by: string; readonly sequences: () => Sequences | undefined }

function candidates({ measured, problem }: Task, session: Session): JointCandidate[] {
  const families = FAMILIES.filter(family => !family.id.startsWith('transpose-')).flatMap<JointCandidate>(family => {
    const order = family.apply(measured)
    if (order.kind !== 'order' || order.measured !== measured) return []
    return [{ by: family.id, sequences: () => translate(problem, order.problem, order.sequences) }]
  })
  const frame = frameOf(
    problem,
    range(problem.ranks).map(() => [])
  )
  const memory = orderMemory(problem)
  const rules = listRules(problem).map<JointCandidate>((rule, index) => ({
    by: `list schedule ${index + 1}`,
    sequences: () => listSchedule(problem, frame, memory, rule)
  }))
  const fixed = placementTask(measured)
  const placed = startingInjections(fixed).flatMap((injection, index) =>
    [...placementCandidates(injected(fixed, injection), session)].map<JointCandidate>(({ by, sequences }) => ({
      by: index === 0 ? by : `${by}, reordered`,
      sequences: () => translate(problem, fixed.problem, sequences())
    }))
  )
  return [...families, ...rules, ...placed]
}

/** A family's order on the task's events: a full backward becomes its two parts where the task splits it. */
function translate(problem: Problem, from: Problem, sequences: Sequences): Sequences | undefined {
  if (from === problem) return sequences
  const index = indexEvents(problem)
  const ids = sequences.map(sequence =>
    sequence.flatMap(id => {
      const { kind, stage, microbatch, item, chunk } = from.events[id].key
      const same = index.find(kind, stage, microbatch, item, chunk)
      if (same !== undefined) return [same]
      const parts = kind === 'B' ? [index.find('I', stage, microbatch), index.find('W', stage, microbatch)] : []
      return parts.filter((part): part is EventId => part !== undefined)
    })
  )
  const occupying = problem.events.filter(event => event.occupies).length
  return ids.flat().length === occupying ? ids : undefined
}

/** In-flight limits from tight to loose, weight parts early or late. */
function listRules(problem: Problem): ListRule[] {
  const { ranks } = problem
  const stages = Math.max(...problem.events.map(event => event.key.stage)) + 1
  const chunks = Math.max(1, Math.ceil(stages / ranks))
  const limits = [
    range(ranks).map(rank => chunks * (ranks - rank)),
    range(ranks).map(rank => chunks * (ranks - rank) + 1),
    range(ranks).map(rank => Math.max(1, 2 * chunks * (ranks - rank) - 1)),
    range(ranks).map(() => Number.POSITIVE_INFINITY)
  ]
  return limits.flatMap(inFlight => [true, false].map(forwardFirst => ({ inFlight, forwardFirst })))
}

/** Share of encoder steps among all steps, where there are encoders. */
const ENCODER_SHARE = 0.4

/** Temperatures of successive rounds, as shares of the makespan; each starts again from the incumbent. */
const TEMPERATURES = [0.002, 0.0005, 0.005]

const ROUND_STEPS = 30_000

/**
 * Annealing over full orders from the incumbent, or from a list schedule where there is none: neighbours on a longest path
 * trade places, encoder tasks move. Ends when proved, out of steps or out of time.
 */
export async function refineJoint(task: Task, session: Session, limits: RefineLimits): Promise<void> {
  const random = randomFrom(session.options.seed)
  const memory = orderMemory(task.problem)
  const from = session.host.now()
  await climbOrders(task, session, limits)
  let left = limits.steps
  for (let round = 0; left > 0 && !session.isOver() && session.host.now() < limits.untilMs; round++) {
    const start = session.point ? session.point.schedule.sequences : anyOrder(task.problem, memory)
    if (!start) break
    const state = new OrderState(task.problem, start)
    const steps = Math.min(left, ROUND_STEPS)
    await anneal(
      task,
      session,
      state,
      memory,
      { steps, untilMs: limits.untilMs, temperature: TEMPERATURES[round % TEMPERATURES.length] },
      random
    )
    left -= steps
  }
  session.note('order search', session.point ? `makespan ${session.point.value}` : 'no legal order', from)
}

/** Steps over injection orders of the fixed body before those over whole orders, and the most of the time for them. */
const INJECTION_STEPS = 1_000
const INJECTION_SHARE = 0.25

/** Bodies of the family under other injection orders: far from each other by single trades, and often better. */
async function climbOrders(task: Task, session: Session, { steps, untilMs }: RefineLimits): Promise<void> {
  const now = session.host.now()
  const until = now + INJECTION_SHARE * (Math.min(untilMs, now + session.remainingMs()) - now)
  await climbInjections(
    placementTask(task.measured),
    task.problem,
    session,
    { steps: Math.min(steps, INJECTION_STEPS), untilMs: session.options.deterministic ? untilMs : until },
    (one, sequences) => {
      const order = translate(task.problem, one.problem, sequences)
      return order ? checkSequences(task, order) : { kind: 'cycle' }
    }
  )
}

/** Some order that can run, memory aside: a list schedule without limits. */
function anyOrder(problem: Problem, memory: OrderMemory): Sequences | undefined {
  const frame = frameOf(
    problem,
    range(problem.ranks).map(() => [])
  )
  const inFlight = range(problem.ranks).map(rank => problem.ranks - rank)
  const rule = { inFlight, forwardFirst: true }
  return listSchedule(problem, frame, { ...memory, takes: new Float64Array(memory.takes.length) }, rule)
}

async function anneal(
  task: Task,
  session: Session,
  state: OrderState,
  memory: OrderMemory,
  limits: RefineLimits & { readonly temperature: number },
  random: () => number
): Promise<void> {
  const encoders = encoderTasks(task.problem)
  const counted = (of: OrderState): Score => ({ excess: excessOf(memory, of), makespan: of.makespan })
  const scoreOf = modelScore(task.problem) ?? counted
  const slice = stepsPerSlice(task.problem)
  let score = scoreOf(state)
  for (let step = 0; step < limits.steps && !session.isOver(); step++) {
    const encoder = encoders.length > 0 && random() < ENCODER_SHARE
    score = encoder
      ? improveStep(state, encoders, score, scoreOf, random)
      : swapStep(state, score, scoreOf, random, limits.temperature)
    if (score.excess === 0 && score.makespan < (session.point?.value ?? Number.POSITIVE_INFINITY)) {
      const attempt = checkSequences(task, state.sequences())
      if (attempt.kind === 'point') session.offer(attempt.point, { name: 'order search', version: '' })
    }
    if (step % slice !== slice - 1) continue
    await session.pause()
    if (session.host.now() >= limits.untilMs) return
  }
}
