import type { WaitGraph } from './waits.ts'

/** How many cycles are printed, and from how many nodes of a knot a shortest one is sought. */
const MOST_CYCLES = 10
const STARTS = 16

type LeaveOut = (graph: WaitGraph, edge: number) => boolean

/** Compressed successor lists of the nodes that can never end. */
type Knot = { readonly nodes: readonly number[]; readonly successors: ReadonlyMap<number, readonly number[]> }

/**
 * Short cycles of a wait graph, one per knot of nodes that wait for each other, as node lists in the order "each waits
 * for the next one". Empty when everything can end. Edges that `leaveOut` names are ignored.
 */
export function cyclesOf(graph: WaitGraph, leaveOut: LeaveOut = () => false): number[][] {
  const knot = unfinished(graph, leaveOut)
  const cycles: number[][] = []
  for (const component of componentsOf(knot)) {
    if (cycles.length === MOST_CYCLES) break
    cycles.push(shortestCycle(component, knot.successors).reverse())
  }
  return cycles
}

/** Runs the graph in topological order in typed arrays; what is left over waits on a cycle. */
function unfinished(graph: WaitGraph, leaveOut: LeaveOut): Knot {
  const { numNodes, from, to } = graph
  const kept = new Int32Array(graph.numEdges)
  let count = 0
  for (let e = 0; e < graph.numEdges; e++) if (!leaveOut(graph, e)) kept[count++] = e
  const used = kept.subarray(0, count)
  const start = new Int32Array(numNodes + 1)
  const waiting = new Int32Array(numNodes)
  for (const e of used) {
    start[from[e] + 1]++
    waiting[to[e]]++
  }
  for (let node = 0; node < numNodes; node++) start[node + 1] += start[node]
  const fill = start.slice()
  const successor = new Int32Array(used.length)
  for (const e of used) successor[fill[from[e]]++] = to[e]
  const queue = new Int32Array(numNodes)
  let tail = 0
  for (let node = 0; node < numNodes; node++) if (waiting[node] === 0) queue[tail++] = node
  for (let head = 0; head < tail; head++) {
    const node = queue[head]
    for (let i = start[node]; i < start[node + 1]; i++) if (--waiting[successor[i]] === 0) queue[tail++] = successor[i]
  }
  if (tail === numNodes) return { nodes: [], successors: new Map() }
  const nodes = [...Array(numNodes).keys()].filter(node => waiting[node] > 0)
  const left = (node: number) => [...successor.subarray(start[node], start[node + 1])].filter(next => waiting[next] > 0)
  return { nodes, successors: new Map(nodes.map(node => [node, left(node)])) }
}

/** Strongly connected components that hold a cycle (Tarjan, without recursion). */
function componentsOf({ nodes, successors }: Knot): number[][] {
  const order = new Map<number, number>()
  const low = new Map<number, number>()
  const open: number[] = []
  const isOpen = new Set<number>()
  const found: number[][] = []
  for (const root of nodes) {
    if (order.has(root)) continue
    const path: { node: number; next: number }[] = [{ node: root, next: 0 }]
    while (path.length > 0) {
      const top = path[path.length - 1]
      const { node } = top
      if (top.next === 0 && !order.has(node)) {
        order.set(node, order.size)
        low.set(node, order.get(node)!)
        open.push(node)
        isOpen.add(node)
      }
      const targets = successors.get(node) ?? []
      if (top.next < targets.length) {
        const target = targets[top.next++]
        if (!order.has(target)) path.push({ node: target, next: 0 })
        else if (isOpen.has(target)) low.set(node, Math.min(low.get(node)!, order.get(target)!))
        continue
      }
      path.pop()
      const parent = path.at(-1)
      if (parent) low.set(parent.node, Math.min(low.get(parent.node)!, low.get(node)!))
      if (low.get(node) !== order.get(node)) continue
      const component = open.splice(open.lastIndexOf(node))
      for (const member of component) isOpen.delete(member)
      if (component.length > 1 || targets.includes(node)) found.push(component)
    }
  }
  return found
}

/** A shortest cycle through one of the first nodes of a component, along the edges. */
function shortestCycle(component: readonly number[], successors: ReadonlyMap<number, readonly number[]>): number[] {
  const inside = new Set(component)
  let best: number[] | undefined
  for (const start of component.slice(0, STARTS)) {
    const cycle = cycleThrough(start, inside, successors)
    if (cycle && (!best || cycle.length < best.length)) best = cycle
  }
  return best ?? []
}

function cycleThrough(
  start: number,
  inside: ReadonlySet<number>,
  successors: ReadonlyMap<number, readonly number[]>
): number[] | undefined {
  const parent = new Map<number, number>()
  const queue = [start]
  for (let head = 0; head < queue.length; head++) {
    for (const next of successors.get(queue[head]) ?? []) {
      if (next === start) return chain(parent, queue[head], start)
      if (!inside.has(next) || parent.has(next)) continue
      parent.set(next, queue[head])
      queue.push(next)
    }
  }
  return undefined
}

function chain(parent: ReadonlyMap<number, number>, last: number, start: number): number[] {
  const path = [last]
  while (path[path.length - 1] !== start) path.push(parent.get(path[path.length - 1])!)
  return path.reverse()
}
