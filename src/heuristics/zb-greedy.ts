import { range } from '../base/arrays.ts'
import { indexEvents } from '../schedule/body.ts'
import { buildProblem } from '../schedule/build.ts'
import { LAG } from '../schedule/channels.ts'
import type { FamilyOrder } from '../schedule/family.ts'
import type { Measured } from '../schedule/measured.ts'
import type { EventId, Problem } from '../schedule/problem.ts'
import { backboneOf, splitObstacle } from './backbone.ts'
import { bestGreedy, type GreedyInput, type GreedyKind } from './zero-bubble.ts'

/** The automatic zero-bubble schedule with room for `times` x P activations per rank, or less where capacity says so. */
export function greedyFamily(measured: Measured, times: number): FamilyOrder {
  const obstacle = splitObstacle(measured)
  if (obstacle) return { kind: 'not-applicable', reason: obstacle }
  const backbone = backboneOf(measured, 1)
  if (typeof backbone === 'string') return { kind: 'not-applicable', reason: backbone }
  const problem = buildProblem(backbone, { split: true })
  const { find } = indexEvents(problem)
  const event = (kind: GreedyKind, stage: number, m: number) =>
    find(kind, stage, m) ?? (kind === 'I' ? find('B', stage, m) : undefined)
  if (range(measured.ranks).some(stage => event('I', stage, 0) === undefined))
    return { kind: 'not-applicable', reason: 'needs a backward on every stage; a frozen first stage has none' }
  const best = bestGreedy(greedyInput(backbone, problem, event, times))
  if (!best) return { kind: 'not-applicable', reason: 'some rank cannot hold even the activations of 1F1B warmup' }
  const sequences = best.steps.map((steps, rank) =>
    steps.map(step => event(step.kind, rank, step.microbatch)).filter((id): id is EventId => id !== undefined)
  )
  return { kind: 'order', measured: backbone, problem, sequences }
}

type Finder = (kind: GreedyKind, stage: number, m: number) => EventId | undefined

function greedyInput(measured: Measured, problem: Problem, event: Finder, times: number): GreedyInput {
  const { ranks, microbatches } = measured
  const ticks = (kind: GreedyKind) =>
    range(ranks).map(stage =>
      range(microbatches).map(m => {
        const id = event(kind, stage, m)
        return id === undefined ? 0 : problem.events[id].modes[0].duration
      })
    )
  const held = heldBytes(problem)
  const bytesOf = (rank: number, m: number) => held[event('F', rank, m) ?? 0]
  // A fused encoder holds nothing where it has no work: the microbatch that holds most sets the limit.
  const fullest = range(ranks).map(rank =>
    range(microbatches).reduce((most, m) => (bytesOf(rank, m) > bytesOf(rank, most) ? m : most), 0)
  )
  return {
    ranks,
    microbatches,
    ticks: { F: ticks('F'), I: ticks('I'), W: ticks('W') },
    send: ranks > 1 ? problem.lags[LAG.send][1] : 0,
    limits: fullest.map((m, rank) => roomFor(problem, held[event('F', rank, m) ?? 0], rank, times * ranks)),
    weightShare: fullest.map((m, rank) => weightShare(problem, held, event('F', rank, m), event('W', rank, m)))
  }
}

/** Bytes that each event's activation holds, by event. */
function heldBytes({ events, holds }: Problem): number[] {
  const bytes = events.map(() => 0)
  for (const hold of holds) bytes[hold.from.event] += hold.bytes
  return bytes
}

/** Activations that fit a rank, parts of one included: what the family allows, or what its capacity leaves. */
function roomFor(problem: Problem, bytes: number, rank: number, allowed: number): number {
  const limit = problem.capacity[rank]
  if (limit === undefined || bytes === 0) return allowed
  return Math.min(allowed, (limit - problem.fixed[rank]) / bytes)
}

/** Share of the activation that waits for the weight part. */
function weightShare(problem: Problem, held: readonly number[], forward = -1, weight?: EventId): number {
  const all = held[forward] ?? 0
  if (weight === undefined) return 0
  if (all === 0) return 0.5
  const late = problem.holds.filter(hold => hold.from.event === forward && hold.until.event === weight)
  return late.reduce((total, hold) => total + hold.bytes, 0) / all
}
