import type { Edge, Event, EventId, Hold, Problem, Sequences } from './problem.ts'

/** A problem with part of its events and edges, and the new id of every event that stayed (-1: left out). */
export type Restricted = { readonly problem: Problem; readonly idOf: Int32Array }

/** Keeps the events and edges that the predicates accept (edges also need both ends); holds follow their events. */
export function restrict(
  problem: Problem,
  keepEvent: (event: Event) => boolean,
  keepEdge: (edge: Edge) => boolean = () => true
): Restricted {
  const idOf = new Int32Array(problem.events.length).fill(-1)
  const events: Event[] = []
  for (const event of problem.events)
    if (keepEvent(event)) idOf[event.id] = events.push({ ...event, id: events.length }) - 1
  const edges: Edge[] = []
  const edgeOf = new Int32Array(problem.edges.length).fill(-1)
  for (const edge of problem.edges) {
    const [from, to] = [idOf[edge.from], idOf[edge.to]]
    if (from >= 0 && to >= 0 && keepEdge(edge))
      edgeOf[edge.id] = edges.push({ ...edge, id: edges.length, from, to }) - 1
  }
  const holds = problem.holds.flatMap(hold => mapHold(hold, idOf, edgeOf))
  const ties = problem.ties
    .filter(tie => tie.events.every(id => idOf[id] >= 0))
    .map(tie => ({ ...tie, events: tie.events.map(id => idOf[id]) }))
  return { problem: { ...problem, events, edges, holds, ties, fusable: [] }, idOf }
}

/** An order of the full problem as an order of the restricted one. */
export function restrictSequences({ idOf }: Restricted, sequences: Sequences): Sequences {
  return sequences.map(sequence => sequence.map(id => idOf[id]).filter(id => id >= 0))
}

function mapHold(hold: Hold, idOf: Int32Array, edgeOf: Int32Array): Hold[] {
  const mapPoint = (point: Hold['from']) => {
    const event: EventId = idOf[point.event]
    if (point.arrival === undefined) return event < 0 ? undefined : { event, at: point.at }
    const arrival = edgeOf[point.arrival]
    return event < 0 || arrival < 0 ? undefined : { event, at: point.at, arrival }
  }
  const [from, until] = [mapPoint(hold.from), mapPoint(hold.until)]
  const rankOf = 'rankOf' in hold.where ? idOf[hold.where.rankOf] : 0
  if (!from || !until || rankOf < 0) return []
  return [{ ...hold, from, until, where: 'rankOf' in hold.where ? { rankOf } : hold.where }]
}
