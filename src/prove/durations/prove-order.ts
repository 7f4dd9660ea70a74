import type { Host } from '../../host/port.ts'
import type { Byte } from '../../schedule/measured.ts'
import { CONFIRM_EVENTS, type Confirmation, confirm, presentClasses } from './confirm.ts'
import { type Counterexample, fullest, overtaking } from './counterexample.ts'
import { type Count, countMemory, type Sizes, unitSizes } from './counting.ts'
import { type EdgeClass, nodeName, type OrderGraph } from './order-graph.ts'
import { acyclicity, type Reach, reachOf } from './reach.ts'

/** Why an order is not legal for every duration. `nodes` are the events it speaks of, the first the one to mark. */
export type OrderFault = {
  readonly code: 'CYCLE' | 'PRECEDENCE' | 'MEMORY'
  readonly rank: number
  readonly nodes: readonly number[]
  readonly message: string
  readonly advice: string
  readonly counterexample?: Counterexample
}

/** What was proved of an order, for every duration of every event and transfer from 0 on. */
export type OrderProof = {
  readonly graph: OrderGraph
  readonly faults: readonly OrderFault[]
  /** Per rank, the most bytes over all durations, where sizes are known. */
  readonly memory?: readonly Count[]
  /** Per rank, the most stage activations that wait for their backward at once. */
  readonly inFlight: readonly number[]
  /** Classes of edges that some rule rests on; those left over follow from the rest. */
  readonly needed: readonly EdgeClass[]
  readonly implied: readonly EdgeClass[]
  /** Z3's own proof; absent where the order is larger than the stated size or no host was given. */
  readonly confirmation?: Confirmation
}

export type OrderOptions = {
  readonly sizes?: Sizes
  readonly capacity?: readonly (Byte | undefined)[]
  /** Gives the solver; without it the graph alone decides. */
  readonly host?: Host
  /** Events up to which Z3 is asked too. */
  readonly confirmEvents?: number
  readonly timeLimitMs?: number
}

/**
 * Proves an order for every duration. On the graph: it can finish (no cycle), and every dependency within a rank follows
 * from what the ranks enforce, so every rule holds, end to end, by transitivity. Memory by counting. Z3 repeats the proof
 * up to a stated size, and shows that it is not vacuous.
 */
export async function proveOrder(graph: OrderGraph, options: OrderOptions = {}): Promise<OrderProof> {
  const finish = acyclicity(graph)
  const none = { graph, inFlight: [], needed: [], implied: [] }
  if (!finish.acyclic) return { ...none, faults: [cycleFault(graph, finish.cycle)] }
  const { topological } = finish
  const reach = reachOf(graph, topological)
  const open = graph.needs.filter(({ from, to }) => !reach.precedes(from, to))
  const faults: OrderFault[] = open.map(({ from, to }) => precedenceFault(graph, topological, from, to))
  const { sizes, capacity } = options
  const memory = sizes && countMemory(graph, reach, sizes)
  if (sizes && memory && capacity) faults.push(...memoryFaults(graph, topological, reach, sizes, memory, capacity))
  const needed = presentClasses(graph).filter(by => isNeeded(graph, topological, reach, by))
  const small = graph.nodes.length <= (options.confirmEvents ?? CONFIRM_EVENTS)
  const confirmation =
    options.host && small && open.length === 0
      ? await confirm(options.host, graph, needed, options.timeLimitMs ?? 20_000)
      : undefined
  return {
    graph,
    faults,
    ...(memory ? { memory } : {}),
    inFlight: countMemory(graph, reach, unitSizes(graph)).map(count => count.peak),
    needed,
    implied: presentClasses(graph).filter(by => !needed.includes(by)),
    ...(confirmation ? { confirmation } : {})
  }
}

function cycleFault(graph: OrderGraph, cycle: readonly number[]): OrderFault {
  const names = cycle.map(id => `${nodeName(graph.nodes[id])} on rank ${graph.nodes[id].rank}`)
  return {
    code: 'CYCLE',
    rank: graph.nodes[cycle[0]].rank,
    nodes: cycle,
    message: `the order cannot finish: ${[...names, names[0]].join(' -> ')} (each waits for the one before it)`,
    advice: 'Move one of these events in its list so that it no longer waits for itself.'
  }
}

function precedenceFault(graph: OrderGraph, topological: Int32Array, from: number, to: number): OrderFault {
  const [before, after] = [graph.nodes[from], graph.nodes[to]]
  return {
    code: 'PRECEDENCE',
    rank: after.rank,
    nodes: [to, from],
    message: `nothing makes ${nodeName(after)} on rank ${after.rank} wait for ${nodeName(before)} on rank ${before.rank}`,
    advice: `Put both on one rank, ${nodeName(before)} first.`,
    counterexample: overtaking(graph, topological, from, to)
  }
}

function memoryFaults(
  graph: OrderGraph,
  topological: Int32Array,
  reach: Reach,
  sizes: Sizes,
  memory: readonly Count[],
  capacity: readonly (Byte | undefined)[]
): OrderFault[] {
  return memory.flatMap(({ peak, moment }, rank): OrderFault[] => {
    const limit = capacity[rank]
    if (limit === undefined || peak <= limit) return []
    const over = `rank ${rank} may hold ${peak} bytes, ${peak - limit} above its capacity of ${limit}`
    const advice = 'Run fewer forwards or encodes ahead of their backwards, or raise the capacity.'
    if (moment < 0) return [{ code: 'MEMORY', rank, nodes: [], message: over, advice: 'Parameters alone do not fit.' }]
    const list = graph.lists[rank]
    const node = list[Math.min(moment >> 1, list.length - 1)]
    const when = moment % 2 === 1 ? `during ${nodeName(graph.nodes[node])}` : `in the gap before step ${moment >> 1}`
    const counterexample = fullest(graph, topological, reach, sizes, rank, moment)
    return [{ code: 'MEMORY', rank, nodes: [node], message: `${over}, ${when}`, advice, counterexample }]
  })
}

/**
 * Whether some edge of a class does not follow from the other classes. It certainly does not where no other way into its
 * target can be reached from its source even with all classes; only where every edge has such a way is the graph
 * without the class walked.
 */
function isNeeded(graph: OrderGraph, topological: Int32Array, full: Reach, by: EdgeClass): boolean {
  const own = graph.edges.filter(edge => edge.by === by)
  if (by === 'rank order') return own.some(({ from, to }) => !chainPrecedes(graph, from, to))
  const targets = new Set(own.map(edge => edge.to))
  const others = new Map<number, number[]>()
  for (const { from, to, by: other } of graph.edges) {
    if (other !== by && targets.has(to)) others.set(to, [...(others.get(to) ?? []), from])
  }
  const alone = ({ from, to }: { from: number; to: number }) =>
    (others.get(to) ?? []).every(way => way !== from && !full.precedes(from, way))
  if (own.some(alone)) return true
  const reach = reachOf(graph, topological, [by])
  return own.some(({ from, to }) => !reach.precedes(from, to))
}

/** Whether a path of transfers alone leads from one event to another; those stay within a microbatch. */
function chainPrecedes(graph: OrderGraph, from: number, to: number): boolean {
  if (graph.nodes[from].microbatch !== graph.nodes[to].microbatch) return false
  const seen = new Set([from])
  for (const node of seen) {
    for (const edge of graph.edges) if (edge.from === node && edge.by !== 'rank order') seen.add(edge.to)
  }
  return seen.has(to)
}
