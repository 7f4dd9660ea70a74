import type { Host } from '../../host/port.ts'
import type { Engine, Outcome, Smt } from '../../solvers/port.ts'
import { runBackend } from '../../solvers/run.ts'
import { EDGE_CLASSES, type EdgeClass, type OrderGraph } from './order-graph.ts'
import { type Pair, type Property, propertiesOf } from './properties.ts'
import { hypotheses, negated, timesOf } from './smt.ts'

/** What Z3 said of one rule or of one class of edges left out. */
export type Check = {
  readonly what: string
  readonly expected: 'sat' | 'unsat'
  readonly got: Outcome['status'] | 'undecided'
}

/** A rule that breaks once a class of edges is left out: the class is used. */
export type Witness = { readonly pair: Pair; readonly start: Float64Array; readonly end: Float64Array }

/** Z3's own proof of an order, beside the one on the graph. */
export type Confirmation = {
  readonly engine: Engine | undefined
  /** Hypotheses alone sat; each rule negated unsat; each class of edges that matters left out, sat. */
  readonly checks: readonly Check[]
  readonly witnesses: ReadonlyMap<EdgeClass, Witness>
  readonly status: 'confirmed' | 'refuted' | 'undecided'
}

/** Largest order, in events, that is given to Z3 as well. */
export const CONFIRM_EVENTS = 48

/**
 * Has Z3 prove the rules of an acyclic order for all durations. `needed` are the classes that the graph says some rule
 * rests on: leaving one out must make a rule fail; leaving out any other must not, since its edges follow from the rest.
 */
export async function confirm(
  host: Host,
  graph: OrderGraph,
  needed: readonly EdgeClass[],
  timeLimitMs: number
): Promise<Confirmation> {
  const checks: Check[] = []
  const witnesses = new Map<EdgeClass, Witness>()
  let engine: Engine | undefined
  const properties = propertiesOf(graph)
  const ask = async (what: string, expected: 'sat' | 'unsat', model: Smt): Promise<Outcome> => {
    const outcome = await runBackend(host, 'z3', { model, timeLimitMs, seed: 1 })
    const got =
      outcome.stop === 'proved' && (outcome.status === 'sat' || outcome.status === 'unsat')
        ? outcome.status
        : 'undecided'
    checks.push({ what, expected, got })
    engine ??= outcome.engine
    return outcome
  }
  await ask('the hypotheses alone', 'sat', hypotheses(graph))
  // One question for all rules: if none of their negations can hold, neither can any of them alone.
  await ask(
    `some rule fails: ${properties.map(property => property.text).join('; or: ')}`,
    'unsat',
    negated(graph, properties)
  )
  for (const by of presentClasses(graph)) {
    const expected = needed.includes(by) ? 'sat' : 'unsat'
    const { values, status } = await ask(`without ${by}: some rule fails`, expected, negated(graph, properties, by))
    const witness = status === 'sat' && values ? witnessOf(values, graph, properties) : undefined
    if (witness) witnesses.set(by, witness)
  }
  return { engine, checks, witnesses, status: statusOf(checks) }
}

/** Classes of edges that an order has. */
export function presentClasses(graph: OrderGraph): EdgeClass[] {
  const present = new Set(graph.edges.map(edge => edge.by))
  return EDGE_CLASSES.filter(by => present.has(by))
}

function statusOf(checks: readonly Check[]): Confirmation['status'] {
  if (checks.some(({ got }) => got === 'undecided')) return 'undecided'
  return checks.every(({ got, expected }) => got === expected) ? 'confirmed' : 'refuted'
}

function witnessOf(values: ArrayLike<number>, graph: OrderGraph, properties: readonly Property[]): Witness | undefined {
  const { start, end } = timesOf(values, graph.nodes.length)
  const pair = properties.flatMap(({ pairs }) => pairs).find(({ before, after }) => start[after] < end[before])
  return pair && { pair, start, end }
}
