import { range } from '../base/arrays.ts'
import { GraphBuilder, type GraphEdge, type GraphEvent } from './events.ts'
import { gatesOf, stageBackwards } from './gates.ts'
import { checkShape } from './normal-form.ts'
import { placementIn, rankOfStage, ranksOfStage } from './placement.ts'
import { type Seam, seamsOf } from './seams.ts'
import { type Layout, layoutOf, type RegionShape, type Shape, traitsOf } from './types.ts'

export type { EdgeType, GraphEdge, GraphEvent } from './events.ts'

export type RegionPlacement = {
  readonly region: number
  readonly layout: Layout
  readonly owner:
    | { readonly kind: 'ByLayer'; readonly firstStage: number; readonly ranks: readonly number[] }
    | { readonly kind: 'ByMicrobatch'; readonly ranks: readonly number[] }
}

/** What the algebra says about a schedule: placement, collectives, and the event graph with typed, acyclic edges. */
export type Derivation = {
  readonly placement: readonly RegionPlacement[]
  readonly seams: readonly Seam[]
  readonly reduces: readonly { readonly region: number; readonly group: 'ReplicaGroup' | 'DataGroup' }[]
  readonly events: readonly GraphEvent[]
  readonly edges: readonly GraphEdge[]
}

/** Index of the first stage of each region; Replicated regions have the number that the next Sharded one starts at. */
export function firstStages(regions: readonly RegionShape[]): number[] {
  let next = 0
  return regions.map(region => {
    const first = next
    if (layoutOf(region.skeleton) === 'Sharded') next += region.stages.length
    return first
  })
}

/** S: Sharded slabs over all regions. */
export function numStages(regions: readonly RegionShape[]): number {
  return regions.reduce((total, r) => total + (layoutOf(r.skeleton) === 'Sharded' ? r.stages.length : 0), 0)
}

/** Whether region 0 is a source whose microbatches may lack work: it is transposed, or something follows it. */
export function hasSource(regions: readonly RegionShape[]): boolean {
  return regions.length > 1 || layoutOf(regions[0].skeleton) === 'Replicated'
}

/**
 * derive (paper section 3.5): cut x schedule x model -> placement x collectives x event graph.
 * @throws FaultError when the schedule is not normal or its slabs do not fit P
 */
export function derive(shape: Shape, owners: Owners): Derivation {
  checkShape(shape.regions, shape.ranks, shape.inputs)
  const seams = seamsOf(shape.regions, shape.inputs)
  const graph = new GraphBuilder(shape)
  addCompute(graph, shape, owners)
  for (const [index, seam] of seams.entries()) addSeam(graph, shape, seam, index)
  addInnerEdges(graph, shape)
  const reduces = addReduces(graph, shape)
  addBarrier(graph)
  return { placement: placementOf(shape, owners), seams, reduces, events: graph.events, edges: graph.edges }
}

/** Rank of every microbatch in the Replicated regions: one map for all of them, or one by region. */
export type Owners = readonly number[] | { readonly byRegion: ReadonlyMap<number, readonly number[]> }

/** Owner of a microbatch in a Replicated region. */
export function ownerIn(owners: Owners, region: number, microbatch: number): number {
  return 'byRegion' in owners ? (owners.byRegion.get(region)?.[microbatch] ?? 0) : owners[microbatch]
}

/** One Fwd (and, where gated, one backward) per stage and microbatch; a Replicated region has one, at the owner. */
function addCompute(graph: GraphBuilder, shape: Shape, owners: Owners): void {
  const backwards = stageBackwards(shape.regions, shape.inputs)
  const firsts = firstStages(shape.regions)
  const where = placementIn(shape)
  for (const [region, { skeleton, stages }] of shape.regions.entries()) {
    const sharded = layoutOf(skeleton) === 'Sharded'
    const split = traitsOf(skeleton).backward === 'split'
    const recomputes = !sharded && isSource(shape, region) && shape.encoderBackward === 'first-rank'
    const microbatches = workOf(shape, region)
    for (const local of stages.keys()) {
      const stage = firsts[region] + local
      for (const microbatch of microbatches) {
        const owner = sharded ? rankOfStage(where, stage, microbatch) : ownerIn(owners, region, microbatch)
        graph.addRun(runOf('Fwd', region, sharded ? stage : undefined, owner, microbatch), local)
        if (!backwards[region][local]) continue
        if (sharded && split) addSplit(graph, shape, { region, stage, rank: owner, microbatch }, local)
        else {
          const rank = recomputes ? rankOfStage(where, 0, microbatch) : owner
          graph.addRun(runOf('Bwd', region, sharded ? stage : undefined, rank, microbatch), local)
        }
      }
    }
  }
}

/** A run with the keys of its kind alone: one shape of object for all stages, which most of the graph is made of. */
function runOf(
  kind: 'Fwd' | 'Bwd',
  region: number,
  stage: number | undefined,
  rank: number,
  microbatch: number
): GraphEvent & { kind: 'Fwd' | 'Bwd' } {
  return stage === undefined ? { kind, region, rank, microbatch } : { kind, region, stage, rank, microbatch }
}

/** A split backward: the input part always, the weight part where the stage has trained parameters (Lemma 1 iii). */
function addSplit(
  graph: GraphBuilder,
  shape: Shape,
  place: { readonly region: number; readonly stage: number; readonly rank: number; readonly microbatch: number },
  local: number
): void {
  const input = graph.addRun({ kind: 'BwdInput', ...place }, local)
  if (!shape.regions[place.region].stages[local].some(part => part.trainable)) return
  const weight = graph.add({ kind: 'BwdWeight', ...place })
  graph.link(input, weight, 'gradient')
}

/** Whether a region has nothing before it, and its microbatches may lack work. */
export function isSource(shape: Shape, region: number): boolean {
  return hasSource(shape.regions) && (shape.inputs ? shape.inputs[region].length === 0 : region === 0)
}

/** Microbatches that a region has work for: all, but in a source those whose encode exists. */
export function workOf(shape: Shape, region: number): number[] {
  const all = range(shape.microbatches)
  if (!isSource(shape, region)) return all
  const work = shape.work?.get(region) ?? shape.sourceWork
  return all.filter(m => work[m])
}

/** Collectives of one seam: one per microbatch that crosses it, backward only where the gate is open. */
function addSeam(graph: GraphBuilder, shape: Shape, seam: Seam, index: number): void {
  const left = seam.from
  const lastLocal = shape.regions[left].stages.length - 1
  for (const m of workOf(shape, left)) {
    const forward = graph.add({ kind: 'Coll', comm: seam.forward, seam: index, microbatch: m })
    graph.link(graph.find('Fwd', left, lastLocal, m), forward, 'activation')
    graph.link(forward, graph.find('Fwd', seam.to, 0, m), 'activation')
    if (!seam.backward) continue
    const backward = graph.add({ kind: 'Coll', comm: seam.backward, seam: index, microbatch: m })
    graph.link(graph.find('Bwd', seam.to, 0, m), backward, 'gradient')
    graph.link(backward, graph.find('Bwd', left, lastLocal, m), 'gradient')
  }
}

/** Activation and gradient edges between the stages of a region, F before its own B, and the loss turnaround. */
function addInnerEdges(graph: GraphBuilder, shape: Shape): void {
  const last = shape.regions.length - 1
  for (const [region, { stages }] of shape.regions.entries()) {
    for (const m of workOf(shape, region)) {
      for (const local of stages.keys()) {
        const forward = graph.find('Fwd', region, local, m)
        const backward = graph.find('Bwd', region, local, m)
        graph.link(forward, graph.find('Fwd', region, local + 1, m), 'activation')
        graph.link(graph.find('Bwd', region, local + 1, m), backward, 'gradient')
        if (region === last && local === stages.length - 1) addLoss(graph, m, forward, backward)
        else graph.link(forward, backward, 'activation')
      }
    }
  }
}

function addLoss(
  graph: GraphBuilder,
  microbatch: number,
  forward: number | undefined,
  backward: number | undefined
): void {
  const loss = graph.add({ kind: 'Loss', microbatch })
  graph.link(forward, loss, 'activation')
  graph.link(loss, backward, 'turnaround')
}

/**
 * Weight-gradient reductions of trainable regions, and the parameter broadcast that a trained replica starts with. A
 * region whose backward runs on the first rank alone has its whole gradient there: no reduction event.
 */
function addReduces(graph: GraphBuilder, shape: Shape): Derivation['reduces'] {
  const reduces: { region: number; group: 'ReplicaGroup' | 'DataGroup' }[] = []
  for (const [region, gates] of gatesOf(shape.regions, shape.inputs).entries()) {
    if (!gates.reduces) continue
    const replicated = layoutOf(shape.regions[region].skeleton) === 'Replicated'
    const group = replicated ? 'ReplicaGroup' : 'DataGroup'
    reduces.push({ region, group })
    if (replicated) addBroadcast(graph, region)
    if (replicated && shape.encoderBackward === 'first-rank') continue
    for (const [rank, sources] of backwardsByGroup(graph, region, replicated)) {
      const reduce = graph.add({ kind: 'DpReduce', region, group, ...(rank === undefined ? {} : { rank }) })
      for (const source of sources) graph.link(source, reduce, 'accumulate')
    }
  }
  return reduces
}

function addBroadcast(graph: GraphBuilder, region: number): void {
  const broadcast = graph.add({ kind: 'Broadcast', region })
  for (const [id, event] of graph.events.entries()) {
    if (event.kind === 'Fwd' && event.region === region) graph.link(broadcast, id, 'sequence')
  }
}

/** Backwards of a region that share a reduction: all of them (replica group), or those of each rank (data group). */
function backwardsByGroup(graph: GraphBuilder, region: number, replicated: boolean): Map<number | undefined, number[]> {
  const groups = new Map<number | undefined, number[]>()
  for (const [id, event] of graph.events.entries()) {
    if (!('region' in event) || event.region !== region) continue
    if (event.kind !== 'Bwd' && event.kind !== 'BwdWeight') continue
    const key = replicated ? undefined : event.rank
    const group = groups.get(key)
    if (group) group.push(id)
    else groups.set(key, [id])
  }
  return groups
}

/** The step ends when everything has: the barrier waits for every event that nothing else waits for. */
function addBarrier(graph: GraphBuilder): void {
  const waited = new Uint8Array(graph.events.length)
  for (const { from } of graph.edges) waited[from] = 1
  const barrier = graph.add({ kind: 'StepBarrier' })
  for (let id = 0; id < barrier; id++) if (waited[id] === 0) graph.link(id, barrier, 'sequence')
}

function placementOf(shape: Shape, owners: Owners): RegionPlacement[] {
  const firsts = firstStages(shape.regions)
  const place = placementIn(shape)
  return shape.regions.map(({ skeleton, stages }, region) => {
    const layout = layoutOf(skeleton)
    if (layout === 'Replicated') {
      const ranks = range(shape.microbatches).map(m => ownerIn(owners, region, m))
      return { region, layout, owner: { kind: 'ByMicrobatch', ranks } }
    }
    const ranks = range(stages.length).map(local => ranksOfStage(place, firsts[region] + local)[0])
    return { region, layout, owner: { kind: 'ByLayer', firstStage: firsts[region], ranks } }
  })
}
