import { ranksOfStage } from '../../algebra/placement.ts'
import { isTrainable, layoutOf } from '../../algebra/types.ts'
import { range } from '../../base/arrays.ts'
import type { ScheduleDocument } from '../../schedule/document.ts'
import { type ForeignOrder, type RunKind, runsOf, SOURCE } from '../../schedule/foreign.ts'
import { partWords } from '../../schedule/label.ts'
import type { Measured } from '../../schedule/measured.ts'

/**
 * Why an event waits for another one when an order runs: its rank's list, a transfer of one of four kinds, the
 * accumulation of weight gradients, or the broadcast of a replica's parameters.
 */
export const EDGE_CLASSES = ['rank order', 'send', 'recvGrad', 'gather', 'scatter', 'accumulate', 'broadcast'] as const
export type EdgeClass = (typeof EDGE_CLASSES)[number]

export type NodeKind = RunKind | 'Reduce' | 'Broadcast'

/** One event of an order. `index` is its place in its rank's list; -1 for what occupies no compute. */
export type OrderNode = {
  readonly kind: NodeKind
  /** -1 for the source's E and EB and for what has no stage. */
  readonly stage: number
  readonly microbatch: number
  /** Which encode of its microbatch, where there are several. */
  readonly item?: number | undefined
  readonly chunk?: number | undefined
  readonly rank: number
  readonly index: number
}

/** `to` starts at or after the end of `from`, whatever the durations. */
export type OrderEdge = { readonly from: number; readonly to: number; readonly by: EdgeClass }

/**
 * An order with everything that its ranks enforce by themselves (`edges`), and with what the dependencies ask for on
 * top of it within a rank (`needs`): a stage's backward after its forward, W after I, EB after E.
 */
export type OrderGraph = {
  readonly nodes: readonly OrderNode[]
  /** Per rank, its events in order; events that run overlapped as one action stand side by side. */
  readonly lists: readonly (readonly number[])[]
  readonly edges: readonly OrderEdge[]
  readonly needs: readonly { readonly from: number; readonly to: number }[]
  /** Per event, the list indices at which its action begins and ends; both its own unless it is overlapped. */
  readonly spans: readonly Span[]
}

/** What takes part in a step beside compute: which reductions and broadcast take time. */
export type Loose = {
  readonly broadcast: boolean
  readonly replicaReduction: boolean
  /** Per data group, its rank and its stages. */
  readonly dataGroups: readonly { readonly rank: number; readonly stages: readonly number[] }[]
}

/** List indices of the first and last event of an action. */
export type Span = { readonly first: number; readonly last: number }

/** Compute of one action; several where the runtime overlaps them. */
type Action = readonly Run[]

type Run = {
  readonly kind: RunKind
  readonly stage: number
  readonly microbatch: number
  readonly item?: number | undefined
  readonly chunk?: number | undefined
}

/** The order of a timed document, its times forgotten. */
export function graphOfDocument(measured: Measured, document: ScheduleDocument): OrderGraph {
  const runs = document.ranks.map(events =>
    events.map(({ kind, stage, microbatch, item, chunk }) => [
      { kind, stage: stage ?? SOURCE, microbatch, item, chunk }
    ])
  )
  return orderGraph(runs, looseOf(measured))
}

/** A foreign order's compute; every stage and the source reduce, since nothing says which do. */
export function graphOfForeign(order: ForeignOrder): OrderGraph {
  const dataGroups = range(order.ranks.length).map(rank => ({
    rank,
    stages: range(order.stages).filter(stage => order.stageToRank[stage] === rank)
  }))
  const replicaReduction = order.encoderBackward === 'owner'
  return orderGraph(
    order.ranks.map(actions => actions.map(runsOf)),
    { broadcast: false, replicaReduction, dataGroups }
  )
}

/** Reductions and broadcast of an instance, whether or not they take ticks in it: they might. */
export function looseOf(measured: Measured): Loose {
  const dataGroups: { rank: number; stages: number[] }[] = []
  let first = 0
  for (const region of measured.regions) {
    if (layoutOf(region.skeleton) === 'Replicated') continue
    const own = range(region.stages.length).map(local => first + local)
    first += own.length
    if (!isTrainable(region)) continue
    for (const rank of range(measured.ranks))
      dataGroups.push({ rank, stages: own.filter(stage => ranksOfStage(measured, stage).includes(rank)) })
  }
  const source = measured.regions[0]
  const replicated = layoutOf(source.skeleton) === 'Replicated' && isTrainable(source)
  return { broadcast: replicated, replicaReduction: replicated && measured.encoderBackward === 'owner', dataGroups }
}

/**
 * The graph of an order; each event is taken to be listed once. Overlapped events count as one action: it starts when the
 * inputs of all are there, and what they make leaves when all have ended.
 */
export function orderGraph(ranks: readonly (readonly Action[])[], loose: Loose): OrderGraph {
  const nodes: OrderNode[] = []
  const spans: Span[] = []
  const lists = ranks.map((actions, rank) => {
    const list: number[] = []
    for (const action of actions) {
      const span = { first: list.length, last: list.length + action.length - 1 }
      for (const { kind, stage, microbatch, item, chunk } of action) {
        list.push(nodes.push({ kind, stage, microbatch, item, chunk, rank, index: list.length }) - 1)
        spans.push(span)
      }
    }
    return list
  })
  const edges: OrderEdge[] = []
  const needs: { from: number; to: number }[] = []
  for (const list of lists) {
    for (let i = 1; i < list.length; i++) edges.push({ from: list[i - 1], to: list[i], by: 'rank order' })
  }
  const compute = nodes.length
  const find = nodeIndex(nodes)
  for (let id = nodes.length - 1; id >= 0; id--) addDependencies(nodes[id], id, find, edges, needs)
  addLoose(nodes, edges, loose)
  const end = (id: number) => (id < compute ? lists[nodes[id].rank][spans[id].last] : id)
  const start = (id: number) => (id < compute ? lists[nodes[id].rank][spans[id].first] : id)
  const whole = <T extends { from: number; to: number }>(pair: T): T => ({
    ...pair,
    from: end(pair.from),
    to: start(pair.to)
  })
  return {
    nodes,
    lists,
    edges: edges.map(edge => (edge.by === 'rank order' ? edge : whole(edge))),
    needs: needs.map(whole),
    spans
  }
}

type Find = (
  kind: 'F' | 'back' | 'W' | 'E' | 'EB',
  stage: number,
  microbatch: number,
  item?: number,
  chunk?: number
) => number | undefined

/** Finds nodes by what they are; B and I are both `back`. */
function nodeIndex(nodes: readonly OrderNode[]): Find {
  const ids = new Map<number, number>()
  const rows = { F: 0, back: 1, W: 2, E: 3, EB: 4 }
  const width = (of: 'microbatch' | 'item' | 'chunk') =>
    1 + nodes.reduce((most, node) => Math.max(most, node[of] ?? 0), 0)
  const [microbatches, items, chunks] = [width('microbatch'), width('item'), width('chunk')]
  const key = (row: number, stage: number, microbatch: number, item: number, chunk: number) =>
    item < items && chunk < chunks
      ? ((((stage + 1) * 5 + row) * microbatches + microbatch) * items + item) * chunks + chunk
      : -1
  for (const [id, { kind, stage, microbatch, item = 0, chunk = 0 }] of nodes.entries()) {
    const row = kind === 'B' || kind === 'I' ? rows.back : rows[kind as 'F' | 'W' | 'E' | 'EB']
    ids.set(key(row, stage, microbatch, item, chunk), id)
  }
  return (kind, stage, microbatch, item = 0, chunk = 0) => ids.get(key(rows[kind], stage, microbatch, item, chunk))
}

function addDependencies(
  node: OrderNode,
  id: number,
  find: Find,
  edges: OrderEdge[],
  needs: OrderGraph['needs'][number][]
): void {
  const { kind, stage, microbatch: m, item = 0, chunk = 0 } = node
  const wait = (from: number | undefined, by: EdgeClass) => from !== undefined && edges.push({ from, to: id, by })
  const need = (from: number | undefined) => from !== undefined && needs.push({ from, to: id })
  switch (kind) {
    case 'F':
      if (stage === 0) for (const encode of lastEncodes(find, m)) wait(encode, 'gather')
      else wait(find('F', stage - 1, m), 'send')
      break
    case 'B':
    case 'I':
      wait(find('back', stage + 1, m), 'recvGrad')
      need(find('F', stage, m))
      break
    case 'W':
      need(find('back', stage, m))
      break
    case 'E':
      if (chunk > 0) need(find('E', SOURCE, m, item, chunk - 1))
      break
    case 'EB': {
      const before = find('EB', SOURCE, m, item, chunk + 1)
      need(before)
      if (before === undefined) wait(find('back', 0, m), 'scatter')
      // Without a body nothing else carries a recompute from the owner to the first stage's rank.
      if (find('back', 0, m) === undefined) wait(find('E', SOURCE, m, item, chunk), 'gather')
      else need(find('E', SOURCE, m, item, chunk))
      break
    }
    default:
      break
  }
}

/** The encode that completes each item of a microbatch: its last chunk. */
function lastEncodes(find: Find, microbatch: number): number[] {
  const last: number[] = []
  for (let item = 0; find('E', SOURCE, microbatch, item) !== undefined; item++) {
    let chunk = 0
    while (find('E', SOURCE, microbatch, item, chunk + 1) !== undefined) chunk++
    last.push(find('E', SOURCE, microbatch, item, chunk) as number)
  }
  return last
}

function addLoose(nodes: OrderNode[], edges: OrderEdge[], { broadcast, replicaReduction, dataGroups }: Loose): void {
  const compute = nodes.length
  const none = { stage: SOURCE, microbatch: -1, index: -1 }
  const add = (kind: 'Reduce' | 'Broadcast', rank: number, stage = SOURCE) =>
    nodes.push({ ...none, kind, rank, stage }) - 1
  for (const { rank, stages } of dataGroups) {
    const backwards = range(compute).filter(
      id => 'BIW'.includes(nodes[id].kind) && nodes[id].rank === rank && stages.includes(nodes[id].stage)
    )
    if (backwards.length === 0) continue
    const reduce = add('Reduce', rank, stages[0])
    for (const from of backwards) edges.push({ from, to: reduce, by: 'accumulate' })
  }
  const encodeBackwards = range(compute).filter(id => nodes[id].kind === 'EB')
  if (replicaReduction && encodeBackwards.length > 0) {
    const reduce = add('Reduce', 0)
    for (const from of encodeBackwards) edges.push({ from, to: reduce, by: 'accumulate' })
  }
  const late = range(compute).filter(id => nodes[id].kind === 'E' && nodes[id].rank !== 0)
  if (broadcast && late.length > 0) {
    const from = add('Broadcast', 0)
    for (const to of late) edges.push({ from, to, by: 'broadcast' })
  }
}

/** `B(stage 2, microbatch 5)`, `E(microbatch 5, item 1, chunk 0)`, `Reduce(stage 0, ...)` of a node. */
export function nodeName(node: OrderNode): string {
  const { kind, stage, microbatch, rank } = node
  if (microbatch < 0) return stage < 0 ? `${kind}(source)` : `${kind}(rank ${rank}, from stage ${stage})`
  return `${kind}(${stage < 0 ? '' : `stage ${stage}, `}microbatch ${microbatch}${partWords(node)})`
}
