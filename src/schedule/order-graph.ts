import { fail } from '../base/fault.ts'
import { type CompiledGraph, durationOn } from './compile.ts'
import type { EventId, Problem, Sequences } from './problem.ts'

function mayRun(graph: CompiledGraph, event: EventId, rank: number): boolean {
  const only = graph.onlyRank[event]
  return only < 0 ? !Number.isNaN(durationOn(graph, event, rank)) : only === rank
}

/** An order laid over a graph: rank of every event, its successor in the rank's sequence (-1: none), and how many predecessors it waits for. */
export function place(problem: Problem, graph: CompiledGraph, sequences: Sequences) {
  const rankOf = new Int32Array(graph.numEvents).fill(-1)
  const next = new Int32Array(graph.numEvents).fill(-1)
  const waiting = graph.indegree.slice()
  const { onlyRank } = graph
  let placed = 0
  for (let rank = 0; rank < sequences.length; rank++) {
    const sequence = sequences[rank]
    let before = -1
    for (let index = 0; index < sequence.length; index++) {
      const event = sequence[index]
      if (rankOf[event] >= 0 || (onlyRank[event] !== rank && !mayRun(graph, event, rank)))
        badPlace(problem, event, rank, rankOf[event] >= 0)
      rankOf[event] = rank
      if (before >= 0) {
        next[before] = event
        waiting[event]++
      }
      before = event
    }
    placed += sequence.length
  }
  if (placed !== graph.occupying) {
    const missing = problem.events.find(e => e.occupies && rankOf[e.id] < 0)
    fail(
      'ORDER_INCOMPLETE',
      'sequences',
      missing?.key,
      'an event is missing from the order',
      'List every compute event once.'
    )
  }
  for (let index = 0; index < graph.loose.length; index++)
    rankOf[graph.loose[index]] = graph.onlyRank[graph.loose[index]]
  return { rankOf, next, waiting }
}

function badPlace(problem: Problem, event: EventId, rank: number, twice: boolean): never {
  const what = twice ? 'an event is listed twice' : `an event is listed on rank ${rank}, where it cannot run`
  fail(
    'ORDER_PLACE',
    `sequences[${rank}]`,
    problem.events[event]?.key,
    what,
    'List every compute event once, on one of its ranks.'
  )
}

/** Some cycle among the events that never became ready, following predecessors. */
export function findCycle(problem: Problem, sequences: Sequences, waiting: Int32Array): EventId[] {
  const blockedBy = new Map<EventId, EventId>()
  for (const edge of problem.edges)
    if (waiting[edge.from] > 0 && waiting[edge.to] > 0) blockedBy.set(edge.to, edge.from)
  for (const sequence of sequences) {
    for (let i = 1; i < sequence.length; i++) {
      if (waiting[sequence[i]] > 0 && waiting[sequence[i - 1]] > 0) blockedBy.set(sequence[i], sequence[i - 1])
    }
  }
  const seen = new Map<EventId, number>()
  const path: EventId[] = []
  let event = blockedBy.keys().next().value as EventId
  while (!seen.has(event)) {
    seen.set(event, path.push(event) - 1)
    event = blockedBy.get(event) as EventId
  }
  return path.slice(seen.get(event)).reverse()
}
