import { range } from '../base/arrays.ts'
import { fail } from '../base/fault.ts'
import { type Derivation, derive, isSource } from './derive.ts'
import type { ComputeEvent, GraphEdge, GraphEvent } from './events.ts'
import type { Warmup } from './orders/body.ts'
import { dualPipeOrder, dualPipeVOrder } from './orders/dualpipe.ts'
import { stepsOf } from './orders/order.ts'
import { zbH1Order } from './orders/split.ts'
import { waveOrder } from './orders/wave.ts'
import { weaveBody } from './orders/weave.ts'
import { zbvOrder } from './orders/zbv.ts'
import { isPlain, layoutOf, type Shape, type Skeleton } from './types.ts'

/** Choices of an order that the schedule itself leaves open. */
export type OrderOptions = {
  readonly warmup?: Warmup
  /** Microbatches that the source encodes directly before their first forward instead of in the prefix (`min` overflow). */
  readonly late?: (microbatch: number) => boolean
}

/** Parts of a rank's list: `[0, body)` prefix, `[body, suffix)` body, the rest suffix. */
export type Parts = { readonly body: number; readonly suffix: number }

/** An order of a derived graph: per rank its compute events, the Sequence edges that say so, and where its parts begin. */
export type DerivedOrder = {
  readonly ranks: readonly (readonly number[])[]
  readonly edges: readonly GraphEdge[]
  readonly parts: readonly Parts[]
}

type Body = readonly (readonly {
  readonly kind: 'F' | 'B' | 'I' | 'W'
  readonly stage: number
  readonly microbatch: number
}[])[]

/**
 * The order part of derive: a transposed source's forwards as each rank's prefix and its backwards as the suffix (on the
 * first rank: directly after the backward that they follow), the body between them, and the work of a Replicated region
 * in the middle or at the sink wherever its microbatch passes.
 */
export function deriveOrder(shape: Shape, derivation: Derivation, options: OrderOptions = {}): DerivedOrder {
  const later = shape.regions.some((r, index) => layoutOf(r.skeleton) === 'Replicated' && !isSource(shape, index))
  const ranks = later ? withoutGated(derivation, shape, options) : frameOf(shape, derivation, options)
  const edges = ranks.flatMap(ids =>
    ids.slice(1).map((to, index): GraphEdge => ({ from: ids[index], to, type: 'sequence' }))
  )
  return { ranks, edges, parts: ranks.map(ids => partsOf(shape, derivation, ids)) }
}

/** The order of Sharded regions and a transposed source. */
function frameOf(shape: Shape, derivation: Derivation, options: OrderOptions): number[][] {
  const finder = new Finder(derivation)
  return bodyOf(shape, options.warmup ?? 'classic').map((steps, rank) =>
    withSource(shape, derivation, finder, finder.idsOf(steps), rank, options.late ?? (() => false))
  )
}

/**
 * With Replicated regions behind the first: the order of the same schedule with everything trained, less the events that
 * the gates close. So freezing changes no forward order here either.
 */
function withoutGated(derivation: Derivation, shape: Shape, options: OrderOptions): number[][] {
  const regions = shape.regions.map(region => ({
    ...region,
    stages: region.stages.map(parts => parts.map(() => ({ trainable: true })))
  }))
  const byRegion = new Map(
    derivation.placement.map(({ region, owner }) => [region, owner.kind === 'ByMicrobatch' ? owner.ranks : []])
  )
  const trained = derive({ ...shape, regions }, { byRegion })
  const order = insertReplicated(trained, frameOf({ ...shape, regions }, trained, options))
  const ids = new Map(derivation.events.map((event, id) => [identity(event), id]))
  return order.map(list => list.map(id => ids.get(identity(trained.events[id]))).filter(id => id !== undefined))
}

function identity(event: GraphEvent): string {
  return JSON.stringify(event)
}

/** Body steps of all Sharded regions. An extension has an order of its own, for all its regions together. */
function bodyOf({ regions, ranks, microbatches }: Shape, warmup: Warmup): Body {
  const sharded = regions.filter(region => layoutOf(region.skeleton) === 'Sharded')
  if (sharded.length === 0) return range(ranks).map(() => [])
  const skeletons = new Set(sharded.map(region => region.skeleton))
  const [skeleton] = skeletons
  if (isPlain(skeleton) || skeletons.size > 1) return weaveBody(regions, ranks, microbatches, warmup)
  const stages = sharded.reduce((total, region) => total + region.stages.length, 0)
  return extensionOrder(skeleton, ranks, microbatches, stages / ranks).items.map(items => items.flatMap(stepsOf))
}

/** @throws FaultError EXTENSION_STAGES where the extension is made for another number of stages per rank */
function extensionOrder(skeleton: Skeleton, ranks: number, microbatches: number, chunks: number) {
  const made = CHUNKS[skeleton]
  if (made !== undefined && chunks !== made) {
    fail(
      'EXTENSION_STAGES',
      'regions',
      chunks * ranks,
      `${skeleton} is made for ${made} stages per rank`,
      `Give ${made * ranks} slabs in total.`
    )
  }
  switch (skeleton) {
    case 'wave':
      return waveOrder(ranks, microbatches, chunks)
    case 'zbv':
      return zbvOrder(ranks, microbatches)
    case 'dualpipe':
      return dualPipeOrder(ranks, microbatches)
    case 'dualpipev':
      return dualPipeVOrder(ranks, microbatches)
    default:
      return zbH1Order({ ranks, microbatches, chunks })
  }
}

/** Stages per rank of the extensions that have a fixed number. */
const CHUNKS: Readonly<Partial<Record<Skeleton, number>>> = { zbv: 2, dualpipev: 2, dualpipe: 1 }

/** Finds events of the graph by what a body step names. */
class Finder {
  readonly #ids = new Map<string, number>()

  constructor(derivation: Derivation) {
    for (const [id, event] of derivation.events.entries()) {
      if (!('rank' in event) || event.kind === 'DpReduce') continue
      const place = 'stage' in event && event.stage !== undefined ? `${event.stage}` : `r${event.region}`
      this.#ids.set(`${event.kind}/${place}/${event.microbatch}`, id)
    }
  }

  /** Events of a body, gated ones left out. A whole B of a split region is its two parts in a row. */
  idsOf(steps: Body[number]): number[] {
    return steps.flatMap(({ kind, stage, microbatch }) =>
      KINDS[kind].map(name => this.find(name, `${stage}`, microbatch)).filter(id => id !== undefined)
    )
  }

  find(kind: string, place: string, microbatch: number): number | undefined {
    return this.#ids.get(`${kind}/${place}/${microbatch}`)
  }
}

const KINDS = { F: ['Fwd'], B: ['Bwd', 'BwdInput', 'BwdWeight'], I: ['BwdInput'], W: ['BwdWeight'] } as const

/** A rank's body between the prefix and the suffix of the Replicated sources. */
function withSource(
  shape: Shape,
  { events }: Derivation,
  finder: Finder,
  body: readonly number[],
  rank: number,
  late: (microbatch: number) => boolean
): number[] {
  const sources = replicatedSources(shape)
  const of = (kind: 'Fwd' | 'Bwd') =>
    range(shape.microbatches).flatMap(m =>
      sources
        .map(region => finder.find(kind, `r${region}`, m))
        .filter(id => id !== undefined && (events[id] as ComputeEvent).rank === rank)
    ) as number[]
  const microbatchOf = (id: number) => (events[id] as ComputeEvent).microbatch
  const isFirst = (id: number, kind: string) => {
    const event = events[id] as ComputeEvent
    return event.stage === 0 && event.kind === kind
  }
  const early = (id: number) => !late(microbatchOf(id)) || finder.find('Fwd', '0', microbatchOf(id)) === undefined
  const beside = shape.encoderBackward === 'first-rank' && body.length > 0
  const encodes = of('Fwd')
  const returns = of('Bwd')
  const woven = body.flatMap(id => [
    ...(isFirst(id, 'Fwd') ? encodes.filter(e => !early(e) && microbatchOf(e) === microbatchOf(id)) : []),
    id,
    ...(beside && (isFirst(id, 'Bwd') || isFirst(id, 'BwdInput'))
      ? returns.filter(r => microbatchOf(r) === microbatchOf(id))
      : [])
  ])
  return [...encodes.filter(early), ...woven, ...(beside ? [] : returns)]
}

/** Regions that are transposed and have nothing before them: one, or several in parallel. */
export function replicatedSources(shape: Shape): number[] {
  return [...shape.regions.keys()].filter(
    region => isSource(shape, region) && layoutOf(shape.regions[region].skeleton) === 'Replicated'
  )
}

/**
 * Places what no list holds yet: work of Replicated regions after the first. Every rank plays its list at one step per
 * event; as soon as such work is ready, its owner does it next, because others wait for it.
 */
function insertReplicated({ events, edges }: Derivation, frame: readonly (readonly number[])[]): number[][] {
  const listed = new Set(frame.flat())
  const loose = [...events.keys()].filter(id => 'microbatch' in events[id] && 'rank' in events[id] && !listed.has(id))
  if (loose.length === 0) return frame.map(ids => [...ids])
  const waits = new Int32Array(events.length)
  const next: number[][] = events.map(() => [])
  for (const { from, to } of edges) {
    waits[to]++
    next[from].push(to)
  }
  const isLoose = new Set(loose)
  const urgent: number[][] = frame.map(() => [])
  const settle = (id: number): void => {
    for (const to of next[id]) {
      if (--waits[to] > 0) continue
      if (isLoose.has(to)) urgent[(events[to] as ComputeEvent).rank].push(to)
      else if (!listed.has(to)) settle(to)
    }
  }
  const open = [...events.keys()].filter(id => waits[id] === 0 && !listed.has(id))
  for (const id of open) {
    if (isLoose.has(id)) urgent[(events[id] as ComputeEvent).rank].push(id)
    else settle(id)
  }
  return play(frame, waits, urgent, settle)
}

function play(
  frame: readonly (readonly number[])[],
  waits: Int32Array,
  urgent: readonly number[][],
  settle: (id: number) => void
): number[][] {
  const lists: number[][] = frame.map(() => [])
  const place = frame.map(() => 0)
  for (let moved = true; moved; ) {
    const chosen = frame.map((ids, rank) => {
      const first = urgent[rank].shift()
      if (first !== undefined) return first
      const id = ids[place[rank]]
      if (id === undefined || waits[id] > 0) return undefined
      place[rank]++
      return id
    })
    moved = chosen.some(id => id !== undefined)
    for (const [rank, id] of chosen.entries()) if (id !== undefined) lists[rank].push(id)
    for (const id of chosen) if (id !== undefined) settle(id)
  }
  for (const [rank, ids] of frame.entries()) lists[rank].push(...ids.slice(place[rank]))
  return lists
}

function partsOf(shape: Shape, { events }: Derivation, ids: readonly number[]): Parts {
  const sources = new Set(replicatedSources(shape))
  const inBody = (id: number) => !sources.has((events[id] as ComputeEvent).region)
  const first = ids.findIndex(inBody)
  if (first < 0) {
    const returns = ids.findIndex(id => events[id].kind === 'Bwd')
    const end = returns < 0 ? ids.length : returns
    return { body: end, suffix: end }
  }
  return { body: first, suffix: ids.findLastIndex(inBody) + 1 }
}
