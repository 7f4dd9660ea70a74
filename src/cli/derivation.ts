import { type Derivation, derive, type GraphEvent } from '../algebra/derive.ts'
import { deriveOrder } from '../algebra/derive-order.ts'
import { gatesOf } from '../algebra/gates.ts'
import { normalise } from '../algebra/normal-form.ts'
import { parseSchedule, printSchedule } from '../algebra/notation.ts'
import { greedyOwners, optimalOwners } from '../algebra/owners.ts'
import { bidirectionalFeed, numOwners, type Overflow, ownerOf } from '../algebra/placement.ts'
import { type EncoderBackward, layoutOf, type Shape, type Skeleton, traitsOf } from '../algebra/types.ts'
import { range, sum } from '../base/arrays.ts'
import { FaultError, fail } from '../base/fault.ts'
import { encodesAndSlack } from '../heuristics/transpose-greedy.ts'
import { LIMITS } from '../instance/limits.ts'
import { type DerivationView, phasesOf } from '../report/text/derivation.ts'
import { buildProblem } from '../schedule/build.ts'
import { shapeOf } from '../schedule/costs.ts'
import type { Measured, MeasuredRegion } from '../schedule/measured.ts'
import { peakInFlight } from '../schedule/metrics.ts'
import type { Problem } from '../schedule/problem.ts'
import type { OwnersOption } from './values.ts'

/** What the options of `derive` choose where a SPEC leaves it open. */
export type SpecOptions = {
  readonly ranks: number | undefined
  readonly microbatches: number | undefined
  readonly trainable: boolean
  readonly backward: EncoderBackward | undefined
  readonly overflow: Overflow
  readonly owners: OwnersOption | undefined
  readonly feed: 'bidirectional' | undefined
}

/** P and M of a SPEC. @throws FaultError MISSING_SIZE, TOO_LARGE */
export function sizeOf({ ranks, microbatches }: Pick<SpecOptions, 'ranks' | 'microbatches'>): {
  ranks: number
  microbatches: number
} {
  if (ranks === undefined || microbatches === undefined) {
    const [missing, value] = ranks === undefined ? ['--ranks', ranks] : ['--microbatches', microbatches]
    fail('MISSING_SIZE', missing, value, 'a schedule alone has no size', 'Give --ranks P and --microbatches M.')
  }
  checkLimit('--ranks', ranks, LIMITS.ranks)
  checkLimit('--microbatches', microbatches, LIMITS.microbatches)
  return { ranks, microbatches }
}

/** Sizes that instances may not have, schedules may not have either. @throws FaultError TOO_LARGE */
export function checkLimit(path: string, value: number, limit: number): void {
  if (value > limit) fail('TOO_LARGE', path, value, `the limit is ${limit}`, 'Take a smaller size.')
}

/** The derivation of a SPEC at the size that the options give. */
export function viewOfSpec(spec: string, options: SpecOptions): DerivationView {
  const skeletons = parseSchedule(spec)
  const { ranks, microbatches } = sizeOf(options)
  const slabs = sum(skeletons.map(skeleton => slabsOf(skeleton, skeletons, ranks)))
  checkLimit('--ranks, --microbatches', 2 * slabs * microbatches, LIMITS.events)
  const ones = range(microbatches).map(() => 1)
  const regions = skeletons.map((skeleton, index): MeasuredRegion => {
    const name = `region${index}`
    const slab = {
      origin: name,
      trainable: options.trainable || index > 0 || skeletons.length === 1,
      forward: ones,
      backward: { kind: 'full', full: ones },
      activation: 0,
      parameters: 0,
      output: 0
    } as const
    return { name, skeleton, stages: range(slabsOf(skeleton, skeletons, ranks)).map(() => [slab]) }
  })
  return viewOf(
    {
      ...BARE,
      ranks,
      microbatches,
      regions: normalise(regions),
      encoderBackward: options.backward ?? 'owner',
      ...(options.feed ? { stageMap: bidirectionalFeed(ranks, microbatches) } : {}),
      ...freeRanks(ranks)
    },
    options,
    printSchedule(skeletons)
  )
}

/** A SPEC says no slabs: P per Sharded region, 2P where a single folded region is a V of two chunks. */
function slabsOf(skeleton: Skeleton, all: readonly Skeleton[], ranks: number): number {
  if (layoutOf(skeleton) === 'Replicated') return 1
  const folded = all.filter(other => traitsOf(other).map === 'fold')
  return folded.length === 1 && folded[0] === skeleton ? 2 * ranks : ranks
}

/** Everything that derive does not read of a measured instance. */
const BARE = {
  name: 'derived',
  hash: 'derived',
  unit: 'ticks',
  ticksPerUnit: 1,
  communication: { model: 'latency', send: 0, gather: 0, scatter: 0, broadcast: 0, reduce: new Map() }
} as const

function freeRanks(ranks: number) {
  return { capacity: range(ranks).map(() => undefined), reserved: range(ranks).map(() => 0) }
}

/** The derivation of an instance under an owner rule, or under owners given one by one. @throws FaultError BAD_OWNERS */
export function viewOf(measured: Measured, options: OwnerChoice, given?: string): DerivationView {
  const shape = shapeOf(measured)
  const owners = chosenOwners(shape, options, given === undefined ? measured : undefined)
  const derivation = derive(shape, owners.ranks)
  return {
    given: given ?? printSchedule(shape.regions.map(region => region.skeleton)),
    shape,
    owners,
    derivation,
    order: orderOf(shape, derivation, owners.rule)
  }
}

/** How the encodes find their ranks. */
export type OwnerChoice = Pick<SpecOptions, 'overflow' | 'owners'>

/** A SPEC has no durations, so `measured` is absent for it. */
function chosenOwners(
  shape: Shape,
  { overflow, owners }: OwnerChoice,
  measured: Measured | undefined
): DerivationView['owners'] {
  if (!owners) return { rule: overflow, ranks: ownersOf(shape, overflow) }
  if (typeof owners === 'string') return { rule: 'explicit', ranks: ownersByRule(owners, measured) }
  if (owners.length !== shape.microbatches || owners.some(rank => rank >= shape.ranks)) {
    fail(
      'BAD_OWNERS',
      '--owners',
      owners,
      `owners are ${shape.microbatches} ranks below ${shape.ranks}`,
      'Give one rank for each microbatch.'
    )
  }
  return { rule: 'explicit', ranks: owners }
}

function ownersByRule(rule: 'greedy' | 'optimal', measured: Measured | undefined): readonly number[] {
  if (!measured)
    fail('NO_DURATIONS', '--owners', rule, `${rule} owners need durations`, 'Give an instance, or ranks one by one.')
  const { work, slack } = encodesAndSlack(measured, buildProblem(measured))
  return rule === 'greedy' ? greedyOwners(work, slack) : optimalOwners(work, slack).owners
}

/** Owner of every microbatch under the rule (M entries). */
export function ownersOf({ ranks, microbatches }: Shape, overflow: Overflow): number[] {
  return range(microbatches).map(m => ownerOf(m, ranks, microbatches, overflow))
}

/** Under `min` the overflow is encoded right before it is used. */
export function lateUnder(
  rule: DerivationView['owners']['rule'],
  { ranks, microbatches }: Shape
): (microbatch: number) => boolean {
  return m => rule === 'min' && m >= numOwners(ranks, microbatches)
}

/** The derived order as event keys: E and EB name the work of Replicated regions, which has no stage. */
function orderOf(
  shape: Shape,
  derivation: Derivation,
  rule: DerivationView['owners']['rule']
): DerivationView['order'] {
  const source = layoutOf(shape.regions[0].skeleton) === 'Replicated'
  try {
    const { ranks, edges } = deriveOrder(shape, derivation, { late: lateUnder(rule, shape) })
    return {
      family: source ? (rule === 'explicit' ? 'transpose, owners given' : `transpose-${rule}`) : 'body',
      edges,
      ranks: ranks.map(ids => ids.map(id => keyOf(derivation.events[id])))
    }
  } catch (error) {
    if (error instanceof FaultError && error.faults[0].code === 'NOT_YET') return { none: error.faults[0].message }
    throw error
  }
}

const KIND = { Fwd: 'F', Bwd: 'B', BwdInput: 'I', BwdWeight: 'W' } as const

function keyOf(event: GraphEvent): Problem['events'][number]['key'] {
  if (!('microbatch' in event) || !('rank' in event)) throw new Error('an order lists compute events only')
  const { region, microbatch, stage = -1 } = event
  const kind = stage >= 0 ? KIND[event.kind] : event.kind === 'Fwd' ? 'E' : 'EB'
  return { kind, region, stage, microbatch, item: 0, chunk: 0, replica: 0 }
}

/** The derivation as the document that `--json` prints. */
export function derivationDocument({ shape, derivation, order }: DerivationView): unknown {
  return {
    format: 'tropipe.derivation/1',
    schedule: printSchedule(shape.regions.map(region => region.skeleton)),
    P: shape.ranks,
    M: shape.microbatches,
    regions: derivation.placement.map(({ region, layout, owner }) => ({
      name: shape.regions[region].name,
      layout,
      owner
    })),
    seams: derivation.seams,
    gates: gatesOf(shape.regions),
    reduces: derivation.reduces,
    events: derivation.events,
    edges: [...derivation.edges, ...('none' in order ? [] : order.edges)],
    ...('none' in order ? {} : orderDocument(order))
  }
}

/** The order with the lengths of its phases and its peak of forwards in flight, per rank. */
function orderDocument({ family, ranks }: Exclude<DerivationView['order'], { readonly none: string }>) {
  return {
    family,
    order: ranks.map(keys => keys.map(eventDocument)),
    phases: ranks.map(keys => {
      const [prefix, warmup, steady, cooldown, suffix] = phasesOf(keys).map(phase => phase.length)
      return { prefix, warmup, steady, cooldown, suffix }
    }),
    inFlight: ranks.map(keys => peakInFlight(keys))
  }
}

function eventDocument({ kind, region, stage, microbatch }: Problem['events'][number]['key']) {
  return { kind, region, ...(stage < 0 ? {} : { stage }), microbatch }
}
