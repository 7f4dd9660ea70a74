import { fail } from '../../base/fault.ts'
import { type PipelineOrder, type StepKind, stepsOf } from '../orders/order.ts'
import { type PartMap, type Port, partMaps, portName } from './denotation.ts'
import { longestPaths, type WeightedGraph } from './graph.ts'
import { type Matrix, nothing } from './matrix.ts'
import { orderGraph } from './order-graph.ts'
import { type Fraction, reduced } from './regimes.ts'
import { NONE, TICKS } from './semiring.ts'

/**
 * The largest mean weight of a circuit of a square map: its (max,+) eigenvalue (Karp 1978). Undefined where no circuit
 * exists. Entries are whole ticks, so the result is an exact fraction.
 */
export function eigenvalue(matrix: Matrix): Fraction | undefined {
  const size = matrix.rows
  // walks[k][v]: heaviest walk of k steps that ends in v, from anywhere.
  const walks = [new Float64Array(size).fill(0)]
  for (let k = 1; k <= size; k++) walks.push(step(matrix, walks[k - 1]))
  let best: Fraction | undefined
  for (let v = 0; v < size; v++) {
    if (walks[size][v] === NONE) continue
    let least: Fraction | undefined
    for (let k = 0; k < size; k++) {
      if (walks[k][v] === NONE) continue
      const mean = reduced(walks[size][v] - walks[k][v], size - k)
      if (least === undefined || isLess(mean, least)) least = mean
    }
    if (least && (best === undefined || isLess(best, least))) best = least
  }
  return best
}

function step(matrix: Matrix, from: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const next = new Float64Array(matrix.rows).fill(NONE)
  for (let row = 0; row < matrix.rows; row++) {
    for (let column = 0; column < matrix.columns; column++) {
      next[row] = Math.max(next[row], matrix.entries[row * matrix.columns + column] + from[column])
    }
  }
  return next
}

function isLess(a: Fraction, b: Fraction): boolean {
  return a.over * b.under < b.over * a.under
}

/** Durations of an order's steps by kind and stage, alike for all microbatches, and the lag between ranks. */
export type SteadyWeights = { readonly step: (kind: StepKind, stage: number) => number; readonly send: number }

/**
 * The steady period of an order in ticks per round of `round` microbatches: the eigenvalue of the map of one round, which
 * leads from the state at one cut (when each rank is free, and every dependency in flight) to the state at the next.
 * `orderAt` gives the order for M microbatches; the cut is taken in the middle, or at `where` of the whole (0 to 1).
 * @throws FaultError NOT_PERIODIC where the order does not repeat itself there
 */
export function steadyPeriod(
  orderAt: (microbatches: number) => PipelineOrder,
  round: number,
  weights: SteadyWeights,
  where = 0.5
): Fraction | undefined {
  const ranks = orderAt(round).ranks
  const order = orderAt(round * Math.ceil((8 * ranks) / round + 6))
  return eigenvalue(roundMap(order, round, weights, where))
}

/** The map of one steady round. Cuts are where a clock of unit durations stands before and after the round. */
export function roundMap(order: PipelineOrder, round: number, weights: SteadyWeights, where = 0.5): Matrix {
  const steps = order.items.flat().map(item => stepsOf(item)[0])
  const end = longestPaths(orderGraph(order, { step: () => 1, fused: () => 1, send: 0, unit: 0 }), TICKS)
  const at = Math.floor(Math.max(...end) * where)
  const graph = orderGraph(order, {
    step: step => weights.step(step.kind, step.stage),
    fused: (forward, backward) => weights.step('F', forward.stage) + weights.step('B', backward.stage),
    send: weights.send,
    unit: 0
  })
  const perRound = new Set(steps.map(step => `${step.kind}${step.stage}`)).size / order.ranks
  const cuts = [at, at + Math.round(perRound * round)]
  const partOf = end.map(tick => (tick <= cuts[0] ? 0 : tick <= cuts[1] ? 1 : 2))
  const parts = partMaps(graph, partOf)
  if (parts.length !== 3) notPeriodic()
  const name = (node: number, shift: number) => {
    const { kind, stage, microbatch } = steps[node]
    return `${kind}${stage}/${microbatch + shift}`
  }
  const label = (port: Port, shift: number): string =>
    port.kind === 'wire'
      ? `${name(port.from, shift)}>${name(port.to, shift)}`
      : port.kind === 'turn'
        ? `${port.rank}`
        : ''
  const before = statesAt(graph, partOf, part => part === 0)
  const after = statesAt(graph, partOf, part => part < 2)
  const index = new Map(before.map((port, i) => [label(port, round), i]))
  if (before.length !== after.length || after.some(port => !index.has(label(port, 0)))) notPeriodic()
  return fill(before, after, parts[1], port => index.get(label(port, 0)) ?? -1)
}

function notPeriodic(): never {
  return fail('NOT_PERIODIC', 'order', undefined, 'the order does not repeat itself there', 'Use more microbatches.')
}

/** The state at a cut: wires from before it to behind it, and the rank hand-overs at it. */
function statesAt(
  graph: WeightedGraph<number>,
  partOf: readonly number[],
  isBefore: (part: number) => boolean
): Port[] {
  const crosses = (from: number, to: number) => isBefore(partOf[from]) && !isBefore(partOf[to])
  const wires = graph.edges
    .filter(edge => crosses(edge.from, edge.to))
    .map(({ from, to }): Port => ({ kind: 'wire', from, to }))
  const turns = graph.sequences.flatMap((sequence, rank): Port[] => {
    const place = sequence.findIndex((node, i) => i > 0 && crosses(sequence[i - 1], node))
    return place < 0 ? [] : [{ kind: 'turn', rank, place }]
  })
  return [...wires, ...turns]
}

/** Rows: the state after the round, in the order of the state before it. What crosses the whole round passes through. */
function fill(before: readonly Port[], after: readonly Port[], round: PartMap, rowOf: (port: Port) => number): Matrix {
  const matrix = nothing(before.length, before.length)
  const inputs = new Map(round.inputs.map((port, i) => [portName(port), i]))
  const outputs = new Map(round.outputs.map((port, i) => [portName(port), i]))
  for (const port of after) {
    const from = outputs.get(portName(port))
    for (const [column, earlier] of before.entries()) {
      const through = portName(earlier) === portName(port) ? 0 : NONE
      const input = inputs.get(portName(earlier))
      const inside =
        from === undefined || input === undefined ? NONE : round.matrix.entries[from * round.inputs.length + input]
      matrix.entries[rowOf(port) * before.length + column] = Math.max(through, inside)
    }
  }
  return matrix
}
