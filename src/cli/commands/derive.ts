import { type Derivation, derive as deriveGraph, type GraphEvent, numStages } from '../../algebra/derive.ts'
import { deriveOrder } from '../../algebra/derive-order.ts'
import { gatesOf } from '../../algebra/gates.ts'
import { normalise } from '../../algebra/normal-form.ts'
import { parseSchedule, printSchedule } from '../../algebra/notation.ts'
import { ownerOf } from '../../algebra/placement.ts'
import { type RuntimeRequest, runtimeOrder } from '../../algebra/runtime/hyper-parallel.ts'
import { isTrainable, layoutOf, type Shape, SKELETONS, type Skeleton, traitsOf } from '../../algebra/types.ts'
import { range } from '../../base/arrays.ts'
import { FaultError, fail } from '../../base/fault.ts'
import { transposeFull } from '../../heuristics/transpose-full.ts'
import { type DerivationView, derivationText } from '../../report/text/derivation.ts'
import { execOrderText } from '../../report/text/exec-order.ts'
import { shapeOf } from '../../schedule/costs.ts'
import type { Measured, MeasuredRegion } from '../../schedule/measured.ts'
import type { Problem } from '../../schedule/problem.ts'
import { defineCommand } from '../command.ts'
import { EXIT } from '../exit.ts'
import { type Instance, loadInstance } from '../inputs.ts'
import { printDocument } from '../io.ts'
import { execOrderDocument, type RuntimeOptions, runtimeRequest } from '../runtime.ts'

/** `tropipe derive`: what the algebra alone says about a schedule. */
export const derive = defineCommand({
  name: 'derive',
  summary: 'derive placement, seams, gates and order of a schedule from the algebra',
  details:
    'A SPEC such as "<transpose, 1f1b>" needs --ranks and --microbatches; a FILE says both itself. No solver runs, and no duration is read.',
  operands: [
    { name: 'SPEC|FILE', help: `a schedule (one skeleton per region: ${SKELETONS.join(', ')}), or an instance` }
  ],
  options: [
    'ranks',
    'microbatches',
    'trainable',
    'runtime',
    'backward',
    'overflow',
    'lessMemory',
    'chunks',
    'layers',
    'body',
    'overlapBF',
    'json',
    'output'
  ],
  examples: [
    'tropipe derive "<transpose, 1f1b>" --ranks 4 --microbatches 8',
    'tropipe derive "<1f1b, 1f1b, 1f1b>" --ranks 4 --microbatches 8',
    'tropipe derive instances/smoke/frozen-4x8-e6.yaml',
    'tropipe derive "<transpose, 1f1b>" --ranks 4 --microbatches 8 --runtime hyper-parallel --json'
  ],
  run: async ({ operands: [spec], options, io }) => {
    const isSpec = /^\s*[<\u27e8\u3008\u2329]/.test(spec)
    if (options.runtime) {
      const request = requestOf(isSpec ? spec : await loadInstance(io, spec), options)
      if (options.json) await printDocument(io, execOrderDocument(request), options.output)
      else io.out(execOrderText(runtimeOrder(request), stagesOf(request), io.style))
      return EXIT.done
    }
    const view = isSpec ? viewOfSpec(spec, options) : viewOf((await loadInstance(io, spec)).measured)
    if (options.json) await printDocument(io, derivationDocument(view), options.output)
    else io.out(derivationText(view, io.style))
    return EXIT.done
  }
})

type RuntimeFlags = Omit<RuntimeOptions, 'backward'> &
  Size & { readonly backward: RuntimeOptions['backward'] | undefined }

/** The runtime's schedule for a SPEC and options, or for an instance, whose own sizes and bits count. */
function requestOf(input: string | Instance, options: RuntimeFlags): RuntimeRequest {
  const backward = options.backward ?? 'first-rank'
  if (typeof input === 'string') return runtimeRequest(parseSchedule(input), sizeOf(options), { ...options, backward })
  const { regions, ranks, microbatches, encoderBackward } = input.measured
  const shape = shapeOf(input.measured)
  return runtimeRequest(
    normalise(regions).map(region => region.skeleton),
    { ranks, microbatches },
    {
      ...options,
      trainable: isTrainable(shape.regions[0]),
      backward: options.backward ?? encoderBackward,
      chunks: numStages(shape.regions) / ranks
    }
  )
}

function stagesOf({ ranks, body }: RuntimeRequest): number {
  return ranks * (body.kind === 'interleaved' ? body.chunks : 1)
}

type Size = {
  readonly ranks: number | undefined
  readonly microbatches: number | undefined
  readonly trainable: boolean
}

function sizeOf({ ranks, microbatches }: Omit<Size, 'trainable'>): { ranks: number; microbatches: number } {
  if (ranks === undefined || microbatches === undefined) {
    const [missing, value] = ranks === undefined ? ['--ranks', ranks] : ['--microbatches', microbatches]
    fail('MISSING_SIZE', missing, value, 'a schedule alone has no size', 'Give --ranks P and --microbatches M.')
  }
  return { ranks, microbatches }
}

function viewOfSpec(spec: string, size: Size): DerivationView {
  const skeletons = parseSchedule(spec)
  const { ranks, microbatches } = sizeOf(size)
  const ones = range(microbatches).map(() => 1)
  const regions = skeletons.map((skeleton, index): MeasuredRegion => {
    const name = `region${index}`
    const slab = {
      origin: name,
      trainable: size.trainable || index > 0 || skeletons.length === 1,
      forward: ones,
      backward: { kind: 'full', full: ones },
      activation: 0,
      parameters: 0,
      output: 0
    } as const
    return { name, skeleton, stages: range(slabsOf(skeleton, ranks)).map(() => [slab]) }
  })
  return viewOf(
    { ...BARE, ranks, microbatches, regions: normalise(regions), ...freeRanks(ranks) },
    printSchedule(skeletons)
  )
}

/** A SPEC says no slabs: P per Sharded region, 2P where the skeleton is a V of two chunks. */
function slabsOf(skeleton: Skeleton, ranks: number): number {
  if (layoutOf(skeleton) === 'Replicated') return 1
  return traitsOf(skeleton).map === 'fold' ? 2 * ranks : ranks
}

/** Everything that derive does not read of a measured instance. */
const BARE = {
  name: 'derived',
  hash: 'derived',
  unit: 'ticks',
  ticksPerUnit: 1,
  communication: { model: 'latency', send: 0, gather: 0, scatter: 0, broadcast: 0, reduce: new Map() },
  encoderBackward: 'owner'
} as const

function freeRanks(ranks: number) {
  return { capacity: range(ranks).map(() => undefined), reserved: range(ranks).map(() => 0) }
}

function viewOf(measured: Measured, given?: string): DerivationView {
  const shape = shapeOf(measured)
  const owners = range(shape.microbatches).map(m => ownerOf(m, shape.ranks, shape.microbatches, 'full'))
  const derivation = deriveGraph(shape, owners)
  return {
    given: given ?? printSchedule(shape.regions.map(region => region.skeleton)),
    shape,
    derivation,
    order: orderOf(shape, derivation)
  }
}

/** The derived order as event keys: E and EB name the work of Replicated regions, which has no stage. */
function orderOf(shape: Shape, derivation: Derivation): DerivationView['order'] {
  const source = layoutOf(shape.regions[0].skeleton) === 'Replicated'
  try {
    const { ranks } = deriveOrder(shape, derivation)
    return {
      family: source ? transposeFull.id : 'body',
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

function derivationDocument({ shape, derivation, order }: DerivationView): unknown {
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
    edges: derivation.edges,
    ...('none' in order ? {} : { family: order.family, order: order.ranks.map(keys => keys.map(eventDocument)) })
  }
}

function eventDocument({ kind, region, stage, microbatch }: Problem['events'][number]['key']) {
  return { kind, region, ...(stage < 0 ? {} : { stage }), microbatch }
}
