import { showBytes } from '../base/bytes.ts'
import type { Host } from '../host/port.ts'
import type { ScheduleDocument } from '../schedule/document.ts'
import { shortName } from '../schedule/label.ts'
import type { Measured } from '../schedule/measured.ts'
import { renderCells } from '../verify/grid.ts'
import { CONFIRM_EVENTS, type Witness } from './durations/confirm.ts'
import { sizesOf } from './durations/counting.ts'
import { graphOfDocument, nodeName, type OrderGraph } from './durations/order-graph.ts'
import { type OrderFault, type OrderProof, proveOrder } from './durations/prove-order.ts'
import type { CounterexampleDocument, DurationsDocument, ProofDocument, ProofViolation } from './proof.ts'
import { type Proof, proveSchedule } from './schedule.ts'

/** Faults that keep an order from being one: what is listed, and where. */
const STRUCTURAL = ['UNKNOWN_EVENT', 'FOOTPRINT', 'DUPLICATE_EVENT', 'MISSING_EVENT', 'WRONG_RANK']

export type OrderProofOptions = {
  /** Gives Z3; without it the graph alone decides. */
  readonly host?: Host
  readonly timeLimitMs?: number
  readonly confirmEvents?: number
  /** Columns of text that grids and counterexamples take at most; 80 where absent. */
  readonly columns?: number
}

/**
 * Strength *this order, for every duration*, for a timed schedule: its own times first, then its order with any others.
 * @throws FaultError when the document is about another instance
 */
export async function proveDocumentOrder(
  measured: Measured,
  document: ScheduleDocument,
  options: OrderProofOptions = {}
): Promise<Proof> {
  const timed = proveSchedule(measured, document, {}, options.columns)
  const strength = 'this order, for every duration'
  if (timed.document.violations.some(violation => STRUCTURAL.includes(violation.code)))
    return { ...timed, document: { ...timed.document, strength } }
  const graph = graphOfDocument(measured, document)
  const proof = await proveOrder(graph, { ...options, sizes: sizesOf(measured), capacity: measured.capacity })
  const own = joined(
    { format: 'tropipe.proof/1', legal: true, strength, makespan: document.makespan, violations: [] },
    proof
  )
  const legal = own.legal && timed.document.legal
  const violations = [...timed.document.violations, ...own.violations]
  const text = `${timed.text}${durationsText(proof, options.columns)}`
  return { document: { ...own, legal, violations }, text }
}

/** A document with what the proof for every duration adds to it. */
export function joined(document: ProofDocument, proof: OrderProof): ProofDocument {
  const { confirmation } = proof
  const refuted = confirmation?.status === 'refuted'
  return {
    ...document,
    legal: document.legal && proof.faults.length === 0 && !refuted,
    violations: [...document.violations, ...proof.faults.map(fault => violationOf(proof.graph, fault))],
    everyDuration: durationsDocument(proof)
  }
}

function durationsDocument({ graph, inFlight, memory, needed, implied, confirmation }: OrderProof): DurationsDocument {
  const engine = confirmation?.engine
  return {
    decided: { events: graph.nodes.length, edges: graph.edges.length, dependencies: graph.needs.length },
    inFlight,
    ...(memory ? { peakMemory: memory.map(count => count.peak) } : {}),
    needed,
    implied,
    ...(confirmation
      ? {
          solver: {
            engine: engine ? `${engine.name} ${engine.version}` : 'none',
            status: confirmation.status,
            checks: confirmation.checks.map(({ what, expected, got }) => ({ what, expected, got: got ?? 'undecided' })),
            witnesses: [...confirmation.witnesses].map(([without, witness]) => ({
              without,
              counterexample: witnessText(graph, witness)
            }))
          }
        }
      : {})
  }
}

/** `F(stage 1, microbatch 0) starts at 0, before F(stage 0, microbatch 0) [0, 1) has ended`. */
function witnessText({ nodes }: OrderGraph, { pair, start, end }: Witness): string {
  const { before, after } = pair
  return `${nodeName(nodes[after])} starts at ${start[after]}, before ${nodeName(nodes[before])} [${start[before]}, ${end[before]}) has ended`
}

function violationOf(
  graph: OrderGraph,
  { code, rank, nodes, message, advice, counterexample }: OrderFault
): ProofViolation {
  const first = nodes[0] === undefined ? undefined : graph.nodes[nodes[0]]
  return {
    code,
    rank,
    ...(first && first.index >= 0 ? { step: first.index, event: nodeName(first) } : {}),
    ...(code === 'CYCLE' ? { cycle: nodes.map(id => nodeName(graph.nodes[id])) } : {}),
    message,
    advice,
    ...(counterexample ? { counterexample: counterexampleDocument(graph, counterexample) } : {})
  }
}

function counterexampleDocument(
  graph: OrderGraph,
  example: NonNullable<OrderFault['counterexample']>
): CounterexampleDocument {
  const ranks = graph.lists.map(list =>
    list.map(id => ({ event: nodeName(graph.nodes[id]), start: example.start[id], end: example.end[id] }))
  )
  return { special: example.special, tick: example.tick, ranks }
}

/** What was proved for every duration, in words, or the grid and the counterexample. */
export function durationsText(proof: OrderProof, columns = 80): string {
  const { graph, faults, inFlight, needed, implied, memory, confirmation } = proof
  if (faults.length > 0) return `${faults.map(fault => faultText(graph, fault, columns)).join('\n')}`
  const lines = [
    `for every duration: it finishes, no two actions of a rank overlap, and every dependency holds (${graph.edges.length} edges imply ${graph.needs.length} more)`,
    `  activations in flight at most, by rank: ${inFlight.join(', ')}`,
    ...(memory?.some(count => count.peak > 0)
      ? [`  memory at most, by rank: ${memory.map(count => showBytes(count.peak)).join(', ')}`]
      : []),
    `  rests on: ${needed.join(', ')}${implied.length > 0 ? `; follows from these: ${implied.join(', ')}` : ''}`,
    confirmation
      ? `  Z3: ${confirmation.status}, ${confirmation.checks.length} checks (hypotheses satisfiable; no rule can fail; without a class that it rests on, one can)`
      : `  decided on the graph (Z3 repeats proofs of up to ${CONFIRM_EVENTS} events)`
  ]
  return `${lines.join('\n')}\n`
}

/** How many events before and after the marked one a counterexample lists per rank. */
const AROUND = 6

function faultText(
  graph: OrderGraph,
  { code, rank, nodes, message, advice, counterexample }: OrderFault,
  columns: number
): string {
  const cell = (id: number) => ({ rank: graph.nodes[id].rank, step: graph.nodes[id].index })
  const [first, ...others] = nodes
  const lists = graph.lists.map(list => list.map(id => shortName(graph.nodes[id])))
  const grid = renderCells(lists, first === undefined ? undefined : cell(first), others.map(cell), columns)
  const shown = counterexample ? `\n${exampleText(graph, counterexample, first ?? -1, columns)}` : ''
  return `not legal for every duration\n\n${grid}\n\n${code} at rank ${rank}: ${message}\n  advice: ${advice}\n${shown}`
}

/** Events after a head, on as many lines as they need. */
function listed(head: string, events: readonly string[], columns: number): string {
  let text = head
  let used = head.length
  for (const event of events) {
    const next = used + 2 + event.length
    const joined = next <= columns || used === head.length
    text += joined ? `  ${event}` : `\n${' '.repeat(head.length)}  ${event}`
    used = joined ? next : head.length + 2 + event.length
  }
  return text
}

function exampleText(
  graph: OrderGraph,
  example: NonNullable<OrderFault['counterexample']>,
  marked: number,
  columns: number
): string {
  const at = marked < 0 ? 0 : example.start[marked]
  const rows = graph.lists.map((list, rank) => {
    const centre = Math.max(
      0,
      list.findIndex(id => example.end[id] >= at)
    )
    const near = list.slice(Math.max(0, centre - AROUND), centre + AROUND)
    const events = near.map(id => `${shortName(graph.nodes[id])} [${example.start[id]}, ${example.end[id]})`)
    return listed(`  rank ${rank}:`, events, columns)
  })
  const special = example.special.length > 0 ? example.special.join('; ') : 'nothing is special'
  return `counterexample: every event takes 1 tick and transfers none, but ${special}. At ${example.tick}:\n${rows.join('\n')}\n`
}
