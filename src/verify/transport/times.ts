import { type ForeignOrder, partsOf, type Run, runsOf, type Transfer } from '../../schedule/foreign.ts'
import type { Tick } from '../../schedule/measured.ts'
import { WAITS, waitGraph } from './waits.ts'

/** What things take: runs occupy their rank, transfers only arrive later than they were sent. */
export type ActionCosts = {
  readonly durationOf: (run: Run, rank: number) => Tick
  readonly lagOf: (transfer: Transfer) => Tick
  /** Tick before which a run may not start. */
  readonly releaseOf?: (run: Run, rank: number) => Tick
}

/** Start and end of every action, rank by rank in list order, and the latest end. */
export type ActionTimes = {
  readonly start: readonly (readonly Tick[])[]
  readonly end: readonly (readonly Tick[])[]
  readonly makespan: Tick
}

/**
 * Times a runtime's order as its lists stand: every rank works through its list, a send is issued at its place and does
 * not wait, a receive waits at its place until what it gets has arrived; the parts of an overlap run one after the
 * other. `undefined` where the order cannot finish.
 */
export function timeActions(order: ForeignOrder, costs: ActionCosts): ActionTimes | undefined {
  const graph = waitGraph(order, false)
  const { numNodes, numEdges, from, to, why, index } = graph
  const lags = arrivalLags(order, costs, numNodes)
  const length = new Float64Array(numNodes)
  const end = new Float64Array(numNodes)
  for (const [rank, actions] of order.ranks.entries()) {
    for (const [step, action] of actions.entries()) {
      const node = index.first[rank] + step
      for (const run of runsOf(action)) {
        length[node] += costs.durationOf(run, rank)
        end[node] = Math.max(end[node], costs.releaseOf?.(run, rank) ?? 0)
      }
    }
  }
  const arrives = WAITS.indexOf('arrives')
  const { first, next, waiting } = successors(numNodes, numEdges, from, to)
  const queue = [...Array(numNodes).keys()].filter(node => waiting[node] === 0)
  for (let head = 0; head < queue.length; head++) {
    const node = queue[head]
    end[node] += length[node]
    for (let e = first[node]; e >= 0; e = next[e]) {
      const target = to[e]
      end[target] = Math.max(end[target], end[node] + (why[e] === arrives ? lags[target] : 0))
      if (--waiting[target] === 0) queue.push(target)
    }
  }
  if (queue.length < numNodes) return undefined
  const perRank = (tickOf: (node: number) => Tick) =>
    order.ranks.map((actions, rank) => actions.map((_, step) => tickOf(index.first[rank] + step)))
  let makespan = 0
  for (const tick of end) if (tick > makespan) makespan = tick
  return { start: perRank(node => end[node] - length[node]), end: perRank(node => end[node]), makespan }
}

/** Ticks between a send and the end of its receive, by the receiving action. */
function arrivalLags(order: ForeignOrder, costs: ActionCosts, numNodes: number): Float64Array {
  const lags = new Float64Array(numNodes)
  let node = 0
  for (const action of order.ranks.flat()) {
    for (const part of partsOf(action)) if (part.op === 'recv') lags[node] = Math.max(lags[node], costs.lagOf(part))
    node++
  }
  return lags
}

/** Edges out of each node as linked lists, and how many edges lead into it. */
function successors(numNodes: number, numEdges: number, from: Int32Array, to: Int32Array) {
  const first = new Int32Array(numNodes).fill(-1)
  const next = new Int32Array(numEdges)
  const waiting = new Int32Array(numNodes)
  for (let e = 0; e < numEdges; e++) {
    next[e] = first[from[e]]
    first[from[e]] = e
    waiting[to[e]]++
  }
  return { first, next, waiting }
}
