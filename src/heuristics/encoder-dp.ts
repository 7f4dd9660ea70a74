import { range } from '../base/arrays.ts'
import { indexEvents } from '../schedule/body.ts'
import { LAG } from '../schedule/channels.ts'
import type { Family } from '../schedule/family.ts'
import type { Edge, EventId, Problem, Sequences } from '../schedule/problem.ts'
import { applyTranspose } from './transpose.ts'

/** Three phases: all encoder forwards over all ranks, the backbone, all encoder backwards. */
export const encoderDp: Family = {
  id: 'encoder-dp',
  title: 'three phases: encoder data-parallel over all ranks, then the backbone, then encoder backwards',
  source: 'colocated multimodal training of Megatron-LM (PR 4784): macro-forward, 1F1B, macro-backward',
  apply: measured => {
    if (measured.communication.model !== 'latency')
      return { kind: 'not-applicable', reason: 'its barriers between phases are timed under latency only' }
    const result = applyTranspose(measured, ({ ranks }) => m => ({ rank: m % ranks, at: 'prefix' }))
    if (result.kind === 'not-applicable' || measured.regions.length < 2) return result
    const { problem } = result
    const isLast = (id: EventId) => problem.events[id].key.kind === 'EB'
    const sequences = result.sequences.map(ids => [...ids.filter(id => !isLast(id)), ...ids.filter(isLast)])
    return { ...result, sequences, problem: withPhases(problem, sequences, measured.microbatches) }
  }
}

/** Adds the barriers: no first-stage forward before every feature is there, no encoder backward before the last B. */
function withPhases(problem: Problem, sequences: Sequences, microbatches: number): Problem {
  const index = indexEvents(problem)
  const all = (kind: 'E' | 'EB') => range(microbatches).flatMap(m => index.encodes(kind, m))
  const first = sequences[0].find(id => problem.events[id].key.kind === 'F')
  const last = sequences[0].findLast(id => problem.events[id].key.kind === 'B')
  const edges: Omit<Edge, 'id'>[] = []
  const link = (from: EventId, to: EventId, lag: number) => edges.push({ from, to, type: 'sequence', bytes: 0, lag })
  if (first !== undefined) for (const encode of all('E')) link(encode, first, LAG.gather)
  if (last !== undefined) for (const backward of all('EB')) link(last, backward, LAG.scatter)
  return { ...problem, edges: [...problem.edges, ...edges].map((edge, id) => ({ ...edge, id })) }
}
