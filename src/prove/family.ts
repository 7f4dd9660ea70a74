import { normalise } from '../algebra/normal-form.ts'
import { parseSchedule, printSchedule } from '../algebra/notation.ts'
import { layoutOf } from '../algebra/types.ts'
import { range } from '../base/arrays.ts'
import { FAMILIES } from '../heuristics/index.ts'
import type { Host } from '../host/port.ts'
import { bodyOrder, bodySequences } from '../schedule/body.ts'
import { buildProblem } from '../schedule/build.ts'
import type { Measured, MeasuredRegion } from '../schedule/measured.ts'
import type { Problem, Sequences } from '../schedule/problem.ts'
import { type Loose, looseOf, type OrderGraph, orderGraph } from './durations/order-graph.ts'
import { type OrderProof, proveOrder } from './durations/prove-order.ts'

/** How the source of a family is trained, and where its backward runs. */
export type Variant = 'frozen' | 'trained, owner' | 'trained, first-rank' | 'trained'

/** An inclusive range of sizes. */
export type Range = { readonly from: number; readonly to: number }

/** One member of a family of orders: a size, a rule and a variant, and its proof. */
export type Member = {
  readonly family: string
  readonly ranks: number
  readonly microbatches: number
  readonly variant: Variant
  readonly proof: OrderProof
}

export type FamilyProof = {
  readonly schedule: string
  readonly members: readonly Member[]
  readonly proved: boolean
}

export type FamilyOptions = {
  readonly host?: Host
  /** Members of at most this many events are given to Z3 as well. */
  readonly confirmEvents?: number
  readonly timeLimitMs?: number
  readonly onMember?: (done: number, all: number) => void
}

/** Largest member, in events, that a family proof gives to Z3 by itself. */
const FAMILY_CONFIRM_EVENTS = 24

/**
 * Proves every order of a schedule's families (`transpose-full`, `-min`; the body alone without a transposed source), for all
 * sizes in the ranges, frozen and trained, for every duration: one order per size and variant, since these orders read
 * no duration.
 * @throws FaultError where the schedule cannot be timed
 */
export async function proveFamily(
  schedule: string,
  ranks: Range,
  microbatches: Range,
  options: FamilyOptions = {}
): Promise<FamilyProof> {
  const cases = casesOf(schedule, ranks, microbatches)
  const members: Member[] = []
  for (const [index, { measured, family, variant }] of cases.entries()) {
    const ordered = orderOf(measured, family)
    const proof = await proveOrder(ordered, { confirmEvents: FAMILY_CONFIRM_EVENTS, ...options })
    members.push({ family, variant, ranks: measured.ranks, microbatches: measured.microbatches, proof })
    options.onMember?.(index + 1, cases.length)
  }
  const proved = members.every(({ proof }) => proof.faults.length === 0 && proof.confirmation?.status !== 'refuted')
  return { schedule: printSchedule(parseSchedule(schedule)), members, proved }
}

/** Families whose order depends on sizes alone. */
const SIZE_FAMILIES = ['transpose-full', 'transpose-min']

type Case = { readonly measured: Measured; readonly family: string; readonly variant: Variant }

function casesOf(schedule: string, ranks: Range, microbatches: Range): Case[] {
  const skeletons = parseSchedule(schedule)
  const transposed = layoutOf(skeletons[0]) === 'Replicated'
  const variants: readonly Variant[] = transposed
    ? ['frozen', 'trained, owner', 'trained, first-rank']
    : skeletons.length > 1
      ? ['frozen', 'trained']
      : ['trained']
  const families = transposed ? SIZE_FAMILIES : ['body']
  return range(ranks.to - ranks.from + 1).flatMap(p =>
    range(microbatches.to - microbatches.from + 1).flatMap(m =>
      families.flatMap(family =>
        variants.map(variant => ({
          family,
          variant,
          measured: exampleOf(schedule, ranks.from + p, microbatches.from + m, variant)
        }))
      )
    )
  )
}

/** An instance of a schedule with all durations 1: the orders are the same for any others. */
function exampleOf(schedule: string, ranks: number, microbatches: number, variant: Variant): Measured {
  const skeletons = parseSchedule(schedule)
  const ones = range(microbatches).map(() => 1)
  const regions = skeletons.map((skeleton, index): MeasuredRegion => {
    const name = `region${index}`
    const trainable = index > 0 || variant !== 'frozen'
    const slab = {
      origin: name,
      trainable,
      forward: ones,
      backward: { kind: 'full', full: ones },
      activation: 0,
      parameters: 0,
      output: 0
    } as const
    return { name, skeleton, stages: range(layoutOf(skeleton) === 'Replicated' ? 1 : ranks).map(() => [slab]) }
  })
  return {
    name: schedule,
    hash: schedule,
    unit: 'ticks',
    ticksPerUnit: 1,
    ranks,
    microbatches,
    regions: normalise(regions),
    communication: { model: 'latency', send: 1, gather: 1, scatter: 1, broadcast: 0, reduce: new Map() },
    capacity: range(ranks).map(() => undefined),
    reserved: range(ranks).map(() => 0),
    encoderBackward: variant === 'trained, first-rank' ? 'first-rank' : 'owner'
  }
}

function orderOf(measured: Measured, family: string): OrderGraph {
  const rule = FAMILIES.find(known => known.id === family)
  const applied = rule?.apply(measured)
  if (applied?.kind === 'order') return graphOf(applied.problem, applied.sequences, looseOf(applied.measured))
  const problem = buildProblem(measured)
  return graphOf(problem, bodySequences(problem, bodyOrder(measured)), looseOf(measured))
}

/** The graph of an order that is given as event ids. */
export function graphOf(problem: Problem, sequences: Sequences, loose: Loose): OrderGraph {
  const runs = sequences.map(ids =>
    ids.map(id => {
      const { kind, stage, microbatch } = problem.events[id].key
      return [{ kind: kind as 'F' | 'B' | 'I' | 'W' | 'E' | 'EB', stage, microbatch }]
    })
  )
  return orderGraph(runs, loose)
}
