import { allEdges, topological, type WeightedEdge, type WeightedGraph } from './graph.ts'
import { compose, feedback, join, type Matrix, nothing } from './matrix.ts'

/**
 * Where time enters or leaves a part of a schedule. From outside: `arrival`, the moment at which a rank has what a
 * microbatch's first event there needs, `free`, the moment from which a rank is free, and `start`, the beginning of the
 * step, for what waits for nothing else (the broadcast). To the outside: `done`, the last
 * end of a microbatch's events on a rank (rank -1: beside compute), and `left`, when a rank is free again. Between parts:
 * `wire`, a dependency that crosses a seam, and `turn`, the hand-over of a rank from one part to the next.
 */
export type Port =
  | { readonly kind: 'arrival' | 'done'; readonly rank: number; readonly microbatch: number }
  | { readonly kind: 'free' | 'left'; readonly rank: number }
  | { readonly kind: 'start' }
  | { readonly kind: 'wire'; readonly from: number; readonly to: number }
  | { readonly kind: 'turn'; readonly rank: number; readonly place: number }

/** A part's map from its input ports to its output ports. */
export type PartMap = { readonly inputs: readonly Port[]; readonly outputs: readonly Port[]; readonly matrix: Matrix }

/** The denotation of a schedule: a map from `arrival`, `free` and `start` ports to `done` and `left` ports. */
export type Denotation = PartMap

/** Name of a port; an output and an input of one name are joined. */
export function portName(port: Port): string {
  switch (port.kind) {
    case 'arrival':
    case 'done':
      return `${port.kind} ${port.rank} ${port.microbatch}`
    case 'free':
    case 'left':
      return `${port.kind} ${port.rank}`
    case 'start':
      return port.kind
    case 'wire':
      return `wire ${port.from} ${port.to}`
    case 'turn':
      return `turn ${port.rank} ${port.place}`
  }
}

/**
 * The maps of the parts that `partOf` cuts a schedule into (one number per node), each computed from its own events
 * alone: the elementary maps "latest input, then duration" composed in a topological order of the part.
 */
export function partMaps(graph: WeightedGraph<number>, partOf: readonly number[]): PartMap[] {
  const parts = [...new Set(partOf)].sort((a, b) => a - b)
  const order = topological(graph.nodes.length, allEdges(graph, 0))
  return parts.map(part => new PartBuilder(graph, partOf, part).build(order.filter(node => partOf[node] === part)))
}

/** What a node waits for: another node of its part, or an input. */
type Wait = { readonly from: number; readonly weight: number } | { readonly column: number; readonly weight: number }

/** Rows over the inputs of one part, one per node: when it ends. */
class PartBuilder {
  readonly #inputs: Port[] = []
  readonly #columns = new Map<string, number>()
  readonly #outputs = new Map<string, { readonly port: Port; readonly rows: number[] }>()
  readonly #into: (readonly Wait[])[]

  constructor(
    readonly graph: WeightedGraph<number>,
    readonly partOf: readonly number[],
    readonly part: number
  ) {
    this.#into = this.#collect()
  }

  /** What each node of the part waits for: nodes of the part, or input ports; and what leaves the part. */
  #collect() {
    const into = this.graph.nodes.map((): Wait[] => [])
    const { graph, partOf, part } = this
    // A broadcast holds an encode back, but brings no microbatch.
    const fed = new Set(graph.edges.filter(edge => graph.nodes[edge.from].microbatch >= 0).map(edge => edge.to))
    const waits = new Set(graph.edges.map(edge => edge.to))
    for (const edge of graph.edges) this.#addEdge(into, edge)
    for (const [rank, sequence] of graph.sequences.entries()) {
      for (const [place, node] of sequence.entries()) {
        const before = sequence[place - 1]
        const inside = before !== undefined && partOf[before] === part
        if (partOf[node] === part) {
          const port: Port = place === 0 ? { kind: 'free', rank } : { kind: 'turn', rank, place }
          into[node].push(inside ? { from: before, weight: 0 } : { column: this.#input(port), weight: 0 })
        } else if (inside) this.#output({ kind: 'turn', rank, place }, before)
        if (partOf[node] === part && place === sequence.length - 1) this.#output({ kind: 'left', rank }, node)
      }
    }
    for (const [id, node] of graph.nodes.entries()) {
      if (partOf[id] !== part) continue
      const { rank, microbatch } = node
      if (!fed.has(id) && rank >= 0) {
        into[id].push({ column: this.#input({ kind: 'arrival', rank, microbatch }), weight: 0 })
      }
      if (rank < 0 && !waits.has(id)) into[id].push({ column: this.#input({ kind: 'start' }), weight: 0 })
      this.#output({ kind: 'done', rank, microbatch }, id)
    }
    return into
  }

  #addEdge(into: Wait[][], { from, to, weight }: WeightedEdge<number>): void {
    const [starts, ends] = [this.partOf[from] === this.part, this.partOf[to] === this.part]
    const port: Port = { kind: 'wire', from, to }
    if (starts && ends) into[to].push({ from, weight })
    else if (ends) into[to].push({ column: this.#input(port), weight })
    else if (starts) this.#output(port, from)
  }

  /** Column of an input port. */
  #input(port: Port): number {
    const name = portName(port)
    const column = this.#columns.get(name) ?? this.#inputs.push(port) - 1
    this.#columns.set(name, column)
    return column
  }

  #output(port: Port, node: number): void {
    const known = this.#outputs.get(portName(port))
    if (known) known.rows.push(node)
    else this.#outputs.set(portName(port), { port, rows: [node] })
  }

  build(order: readonly number[]): PartMap {
    const inputs = this.#inputs
    const rows = new Map<number, Float64Array>()
    for (const node of order) {
      const row = new Float64Array(inputs.length).fill(Number.NEGATIVE_INFINITY)
      for (const wait of this.#into[node]) {
        if ('column' in wait) row[wait.column] = Math.max(row[wait.column], wait.weight)
        else raise(row, rows.get(wait.from), wait.weight)
      }
      const { weight } = this.graph.nodes[node]
      rows.set(
        node,
        row.map(entry => entry + weight)
      )
    }
    const outputs = [...this.#outputs.values()]
    const matrix = nothing(outputs.length, inputs.length)
    for (const [index, { rows: nodes }] of outputs.entries()) {
      const target = matrix.entries.subarray(index * inputs.length, (index + 1) * inputs.length)
      for (const node of nodes) raise(target, rows.get(node), 0)
    }
    return { inputs, outputs: outputs.map(({ port }) => port), matrix }
  }
}

/** `target` becomes at least `source` plus a weight. */
function raise(target: Float64Array, source: Float64Array | undefined, weight: number): void {
  if (!source) throw new Error('a part must be walked in topological order')
  for (let i = 0; i < target.length; i++) target[i] = Math.max(target[i], source[i] + weight)
}

/**
 * The composition law, contention included. Join the parts' outputs to the inputs of the same name (wires across seams,
 * and turns: the state of each rank threaded from part to part) and solve x = A x (+) B u for the joined ports, y = C x
 * (+) D u: the whole is D (+) C A* B. Where parts share no rank there is no turn, and this is the paper's law: the maps of
 * the regions with the seams between them.
 */
export function composeParts(parts: readonly PartMap[]): Denotation {
  const named = parts.map(part => ({ ...part, from: part.inputs.map(portName), to: part.outputs.map(portName) }))
  const inner = [...new Set(named.flatMap(part => part.to))].filter(isInner)
  const inputs = outer(parts.flatMap(part => part.inputs))
  const outputs = outer(parts.flatMap(part => part.outputs))
  const innerAt = indexOf(inner)
  const inputAt = indexOf(inputs.map(portName))
  const outputAt = indexOf(outputs.map(portName))
  const joined = feedback(gather(named, innerAt, innerAt), gather(named, innerAt, inputAt))
  const matrix = join(compose(gather(named, outputAt, innerAt), joined), gather(named, outputAt, inputAt))
  return { inputs, outputs, matrix }
}

const isInner = (name: string) => name.startsWith('wire') || name.startsWith('turn')

/** The ports to the outside, each once, in the order of their names. */
function outer(ports: readonly Port[]): Port[] {
  const named = new Map(ports.map(port => [portName(port), port]))
  return [...named]
    .filter(([name]) => !isInner(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, port]) => port)
}

function indexOf(names: readonly string[]): Map<string, number> {
  return new Map(names.map((name, index) => [name, index]))
}

/** A part with the names of its ports. */
type NamedPart = { readonly matrix: Matrix; readonly from: readonly string[]; readonly to: readonly string[] }

/** One matrix of all parts' entries between the named rows and columns. */
function gather(
  parts: readonly NamedPart[],
  rows: ReadonlyMap<string, number>,
  columns: ReadonlyMap<string, number>
): Matrix {
  const matrix = nothing(rows.size, columns.size)
  for (const part of parts) {
    const columnAt = part.from.map(name => columns.get(name) ?? -1)
    for (const [row, name] of part.to.entries()) {
      const to = rows.get(name) ?? -1
      if (to < 0) continue
      for (const [column, at] of columnAt.entries()) {
        if (at < 0) continue
        const entry = part.matrix.entries[row * columnAt.length + column]
        if (entry > matrix.entries[to * columns.size + at]) matrix.entries[to * columns.size + at] = entry
      }
    }
  }
  return matrix
}

/** The denotation of a schedule composed from its parts; by default its regions, and the seams as a part of their own. */
export function denote(graph: WeightedGraph<number>, partOf?: readonly number[]): Denotation {
  return composeParts(partMaps(graph, partOf ?? graph.nodes.map(node => node.region)))
}
