import { range } from '../../base/arrays.ts'
import { fail } from '../../base/fault.ts'
import { derive, type Owners } from '../derive.ts'
import { deriveOrder, type OrderOptions } from '../derive-order.ts'
import type { ComputeEvent } from '../events.ts'
import { placementIn, rankOfStage } from '../placement.ts'
import { layoutOf, type Shape } from '../types.ts'
import { type DerivedWeights, derivedGraph } from './derived-graph.ts'
import { essentialTerms, type WitnessedTerm } from './essential.ts'
import { makespanOf, type WeightedGraph } from './graph.ts'
import { type Polynomial, polynomials, TERM_LIMIT, type Term } from './polynomial.ts'

/** How fine the names are: one forward and backward for all stages, or one per stage (`f0`, `b0`, ...). */
export type Naming = 'uniform' | 'by-stage'

/** A maximum of sums of named durations, and what each name stands for. */
export type NamedTerms = {
  readonly names: readonly string[]
  readonly meaning: Readonly<Record<string, string>>
  readonly terms: readonly { readonly term: Term }[]
}

/** The makespan of a derived order as named terms. */
export type SymbolicMakespan = Omit<NamedTerms, 'terms'> & {
  /** Only terms that rule somewhere, each with durations (in the order of the names) under which it alone does. */
  readonly terms: readonly WitnessedTerm[]
}

/** What a symbolic makespan is made for. `sync` also names the broadcast and the reductions, which are 0 otherwise. */
export type SymbolicOptions = OrderOptions & {
  readonly naming?: Naming
  readonly sync?: boolean
  readonly limit?: number
}

/**
 * The closed form of a schedule for its P and M: the longest path of its derived order over (max,+) polynomials, with the
 * terms that never rule alone removed exactly.
 * @throws FaultError TOO_MANY_TERMS when the names are too fine for the size
 */
export function symbolicMakespan(shape: Shape, owners: Owners, options: SymbolicOptions = {}): SymbolicMakespan {
  const { names, meaning, terms } = coveringTerms(shape, owners, options)
  return { names, meaning, terms: essentialTerms(terms.map(({ term }) => term)) }
}

/** Most numbers of one term per event: beyond it polynomials outgrow memory before any has too many terms. */
const MOST_COUNTS = 3_000_000

/**
 * The makespan's component-wise maximal terms: the same maximum, found without deciding which of them ever rule alone.
 * @throws FaultError TOO_MANY_TERMS when the names are too fine for the size
 */
export function coveringTerms(shape: Shape, owners: Owners, options: SymbolicOptions = {}): NamedTerms {
  const namer = new Namer(shape, options)
  const graph = weightedBy(shape, owners, options, namer.weights())
  const counts = graph.nodes.length * namer.names.length
  if (counts > MOST_COUNTS)
    fail(
      'TOO_MANY_TERMS',
      'names',
      counts,
      `one term for each event has more than ${MOST_COUNTS} counts of names`,
      'Use a smaller P and M.'
    )
  const polynomial = makespanOf(graph, polynomials(namer.names.length, options.limit ?? TERM_LIMIT))
  return { names: namer.names, meaning: namer.meaning, terms: polynomial.map(term => ({ term })) }
}

/** The graph of a shape's derived order with weights of any kind. */
export function weightedBy<W>(
  shape: Shape,
  owners: Owners,
  options: OrderOptions,
  weights: DerivedWeights<W>
): WeightedGraph<W> {
  const derivation = derive(shape, owners)
  const order = deriveOrder(shape, derivation, options)
  const sharded = shape.regions.some(region => layoutOf(region.skeleton) === 'Sharded')
  const home = sharded ? rankOfStage(placementIn(shape), 0, 0) : 0
  return derivedGraph(derivation, order, { ...shape, home }, weights)
}

/** The name of each kind of duration, by region and stage. */
export function nameOf(event: ComputeEvent, naming: Naming): string {
  const { kind, region, stage, microbatch } = event
  if (stage === undefined) {
    const place = region === 0 ? '' : `r${region}_`
    return `${kind === 'Fwd' ? 'e' : 'd'}${place}${microbatch}`
  }
  const letter = { Fwd: 'f', Bwd: 'b', BwdInput: 'i', BwdWeight: 'w' }[kind]
  return naming === 'uniform' ? letter : `${letter}${stage}`
}

/** Collects the names that a shape's events need, in a fixed order, and turns each into a one-term polynomial. */
class Namer {
  readonly names: readonly string[]
  readonly meaning: Readonly<Record<string, string>>
  readonly #naming: Naming
  readonly #sync: boolean

  constructor(shape: Shape, { naming = 'uniform', sync = false }: SymbolicOptions) {
    this.#naming = naming
    this.#sync = sync
    const owners = range(shape.microbatches).map(() => 0)
    const { events, seams } = derive(shape, owners)
    const meaning = new Map<string, string>()
    const backbone = events.filter(event => 'stage' in event && event.stage !== undefined) as ComputeEvent[]
    for (const event of backbone) meaning.set(nameOf(event, naming), meaningOf(event, naming))
    if (shape.ranks > 1)
      addLags(
        meaning,
        seams.flatMap(seam => [seam.forward, seam.backward ?? '']),
        backbone.length > 0
      )
    const source = events.filter(
      event => 'microbatch' in event && 'rank' in event && event.stage === undefined
    ) as ComputeEvent[]
    for (const kind of ['Fwd', 'Bwd'] as const) {
      for (const event of source) if (event.kind === kind) meaning.set(nameOf(event, naming), meaningOf(event, naming))
    }
    if (sync) {
      meaning.set('p', 'broadcast of the trained replica')
      for (const [region, { name }] of shape.regions.entries()) meaning.set(`q${region}`, `reduction of ${name}`)
    }
    this.names = [...meaning.keys()]
    this.meaning = Object.fromEntries(meaning)
  }

  weights(): DerivedWeights<Polynomial> {
    const zero: Polynomial = [this.names.map(() => 0)]
    const one = (name: string): Polynomial =>
      this.names.includes(name) ? [this.names.map(other => (other === name ? 1 : 0))] : zero
    const known = new Map(this.names.map(name => [name, one(name)]))
    return {
      compute: event => known.get(nameOf(event, this.#naming)) ?? zero,
      lag: { send: one('c'), gather: one('g'), scatter: one('x') },
      broadcast: this.#sync ? one('p') : zero,
      reduce: region => (this.#sync ? one(`q${region}`) : zero),
      unit: zero
    }
  }
}

function addLags(meaning: Map<string, string>, collectives: readonly string[], backbone: boolean): void {
  if (backbone || collectives.includes('Send')) meaning.set('c', 'transfer between stages on different ranks')
  if (collectives.includes('Gather')) meaning.set('g', 'gather of one microbatch between different ranks')
  if (collectives.includes('Scatter')) meaning.set('x', 'scatter of one microbatch between different ranks')
}

function meaningOf({ kind, region, stage, microbatch }: ComputeEvent, naming: Naming): string {
  const what = {
    Fwd: 'forward',
    Bwd: 'backward',
    BwdInput: 'input part of the backward',
    BwdWeight: 'weight part of the backward'
  }[kind]
  if (stage !== undefined) return `${what} of ${naming === 'uniform' ? 'any stage' : `stage ${stage}`}`
  return `${what} of microbatch ${microbatch} in region ${region}`
}
