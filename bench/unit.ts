import { bodyOrder, bodySequences, buildProblem, evaluate, type Measured } from '../src/index.ts'

/** The measure of all times: one longest-path pass over typed arrays in topological order, and our evaluator beside it. */
export type Unit = { readonly unitMs: number; readonly evaluatorMs: number }

/** Times a pass over the body graph of an instance without encoder; the least of many runs. */
export function measureUnit(measured: Measured): Unit {
  const problem = buildProblem(measured)
  const sequences = bodySequences(problem, bodyOrder(measured))
  const evaluation = evaluate(problem, sequences)
  if (evaluation.kind !== 'schedule') throw new Error('the body order has a cycle')
  const pass = compilePass(problem, sequences, evaluation.schedule.start)
  if (pass() !== evaluation.schedule.makespan) throw new Error('the unit pass and the evaluator disagree')
  return { unitMs: fastest(pass, 200), evaluatorMs: fastest(() => evaluate(problem, sequences), 50) }
}

function fastest(run: () => unknown, times: number): number {
  let best = Number.POSITIVE_INFINITY
  for (let index = 0; index < times; index++) {
    const from = performance.now()
    run()
    best = Math.min(best, performance.now() - from)
  }
  return best
}

type Parts = Parameters<typeof evaluate>

/** Arcs by target in topological order, so that the pass itself is two nested loops over arrays. */
function compilePass(problem: Parts[0], sequences: Parts[1], start: Float64Array): () => number {
  const size = problem.events.length
  const duration = Float64Array.from(problem.events, event => event.modes[0].duration)
  const order = Int32Array.from([...problem.events.keys()].sort((a, b) => start[a] - start[b] || a - b))
  const position = new Int32Array(size)
  for (const [index, event] of order.entries()) position[event] = index
  const incoming: [from: number, lag: number][][] = problem.events.map(() => [])
  for (const edge of problem.edges) {
    const [from, to] = [problem.events[edge.from].modes[0].rank, problem.events[edge.to].modes[0].rank]
    incoming[position[edge.to]].push([
      position[edge.from],
      edge.lag < 0 ? 0 : problem.lags[edge.lag][from * problem.ranks + to]
    ])
  }
  for (const sequence of sequences) {
    for (let index = 1; index < sequence.length; index++)
      incoming[position[sequence[index]]].push([position[sequence[index - 1]], 0])
  }
  const first = new Int32Array(size + 1)
  for (let index = 0; index < size; index++) first[index + 1] = first[index] + incoming[index].length
  const from = Int32Array.from(incoming.flat(), ([source]) => source)
  const lag = Float64Array.from(incoming.flat(), ([, ticks]) => ticks)
  const ticks = Float64Array.from(order, event => duration[event])
  const end = new Float64Array(size)
  return () => {
    let makespan = 0
    for (let event = 0; event < size; event++) {
      let ready = 0
      for (let arc = first[event]; arc < first[event + 1]; arc++) {
        const at = end[from[arc]] + lag[arc]
        if (at > ready) ready = at
      }
      const finish = ready + ticks[event]
      end[event] = finish
      if (finish > makespan) makespan = finish
    }
    return makespan
  }
}
