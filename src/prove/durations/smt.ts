import { range } from '../../base/arrays.ts'
import type { Clause, Difference, Smt } from '../../encoding/model/types.ts'
import type { EdgeClass, OrderGraph } from './order-graph.ts'
import type { Property } from './properties.ts'

/** Start and end of an event as integer variables; their difference is its duration, any number from 0 on. */
const startOf = (node: number) => 2 * node
const endOf = (node: number) => 2 * node + 1

const atLeast = (x: number, y: number, ticks: number): Difference => ({ x, y, atLeast: ticks })

/**
 * The hypotheses of an order in difference logic: every event has a start from 0 on and a duration of at least 0; every
 * edge holds. A transfer of free length >= 0 between two events says no more than that the second starts at or after the
 * end of the first, so transfers need no variable. All constants are 0 or 1, hence a satisfiable set has a solution
 * within [0, number of variables], and the upper limits take no solution away that matters.
 */
export function hypotheses(graph: OrderGraph, without?: EdgeClass): Smt {
  const ints = range(2 * graph.nodes.length).map(() => ({ lower: 0, upper: 2 * graph.nodes.length + 1 }))
  const durations = range(graph.nodes.length).map((node): Clause => [atLeast(endOf(node), startOf(node), 0)])
  const edges = graph.edges
    .filter(edge => edge.by !== without)
    .map(({ from, to }): Clause => [atLeast(startOf(to), endOf(from), 0)])
  return { kind: 'smt', ints, numBools: 0, clauses: [...durations, ...edges], sums: [] }
}

/** The hypotheses with the negation of a rule: some pair has `after` start before `before` has ended. */
export function negated(graph: OrderGraph, properties: readonly Property[], without?: EdgeClass): Smt {
  const model = hypotheses(graph, without)
  const broken = properties.flatMap(({ pairs }) =>
    pairs.map(pair => atLeast(endOf(pair.before), startOf(pair.after), 1))
  )
  return { ...model, clauses: [...model.clauses, broken] }
}

/** Start and end of every event in a solution. */
export function timesOf(values: ArrayLike<number>, nodes: number): { start: Float64Array; end: Float64Array } {
  return {
    start: Float64Array.from({ length: nodes }, (_, node) => values[startOf(node)]),
    end: Float64Array.from({ length: nodes }, (_, node) => values[endOf(node)])
  }
}
