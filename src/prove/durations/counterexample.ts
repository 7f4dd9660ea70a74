import type { Sizes } from './counting.ts'
import { holdAll } from './counting.ts'
import { nodeName, type OrderGraph } from './order-graph.ts'
import type { Reach } from './reach.ts'

/** Concrete durations under which an order breaks a rule, with the times that they give. Ticks; by node. */
export type Counterexample = {
  readonly durations: Float64Array
  readonly start: Float64Array
  readonly end: Float64Array
  /** Moment of the fault: for memory, when the rank holds too much. */
  readonly tick: number
  /** What is out of the ordinary: everything else takes one tick and transfers none. */
  readonly special: readonly string[]
}

/** Durations by node, transfer ticks by the edge's place in `graph.edges`, and earliest starts by node. */
type Times = { durations: Float64Array; lags: Map<number, number>; releases: Map<number, number> }

const unitTimes = (graph: OrderGraph): Times => ({
  durations: new Float64Array(graph.nodes.length).fill(1),
  lags: new Map(),
  releases: new Map()
})

/** Earliest times of an order whose events come in topological order. */
function run(graph: OrderGraph, topological: Int32Array, { durations, lags, releases }: Times) {
  const start = new Float64Array(graph.nodes.length)
  const end = new Float64Array(graph.nodes.length)
  const into = new Map<number, { from: number; lag: number }[]>()
  for (const [index, { from, to }] of graph.edges.entries()) {
    const list = into.get(to) ?? []
    list.push({ from, lag: lags.get(index) ?? 0 })
    into.set(to, list)
  }
  for (const node of topological) {
    let ready = releases.get(node) ?? 0
    for (const { from, lag } of into.get(node) ?? []) ready = Math.max(ready, end[from] + lag)
    start[node] = ready
    end[node] = ready + durations[node]
  }
  return { durations, start, end }
}

/** `before` need not end before `after` starts: it takes longer than everything else together. */
export function overtaking(graph: OrderGraph, topological: Int32Array, before: number, after: number): Counterexample {
  const times = unitTimes(graph)
  times.durations[before] = graph.nodes.length + 1
  const { start, ...rest } = run(graph, topological, times)
  return { ...rest, start, tick: start[after], special: [lasts(graph, before, times.durations[before])] }
}

const lasts = (graph: OrderGraph, node: number, ticks: number) => `${nodeName(graph.nodes[node])} takes ${ticks} ticks`

/** Durations that make everything live at once that may be live in one moment of a rank (see `countMemory`). */
export function fullest(
  graph: OrderGraph,
  topological: Int32Array,
  reach: Reach,
  sizes: Sizes,
  rank: number,
  moment: number
): Counterexample {
  const times = unitTimes(graph)
  const long = graph.nodes.length + 1
  const special: string[] = []
  const inFlight = new Set<number>()
  holdAll(graph, reach, sizes, (at, _, first, last, transfer) => {
    if (at === rank && first <= moment && moment <= last && transfer !== undefined) inFlight.add(transfer)
  })
  for (const [index, { from, by }] of graph.edges.entries()) {
    if (by !== 'gather' || !inFlight.has(from)) continue
    times.lags.set(index, 3 * long)
    special.push(`the gather of ${nodeName(graph.nodes[from])} takes ${3 * long} ticks`)
  }
  const node: number | undefined = graph.lists[rank][moment >> 1]
  if (moment % 2 === 1) {
    times.durations[node] = long
    special.push(lasts(graph, node, long))
  } else if (node !== undefined) {
    times.releases.set(node, 2 * long)
    special.push(`${nodeName(graph.nodes[node])} is delayed to ${2 * long}`)
  }
  const { start, end, durations } = run(graph, topological, times)
  const previous: number | undefined = graph.lists[rank][(moment >> 1) - 1]
  const gap = node === undefined || inFlight.size > 0 ? (previous === undefined ? 0 : end[previous]) : start[node] - 1
  return { durations, start, end, special, tick: moment % 2 === 1 ? end[node] - 1 : gap }
}
