import { range, sum } from '../base/arrays.ts'
import type { Bound } from '../schedule/certificate.ts'
import type { CommunicationModel, Tick } from '../schedule/measured.ts'
import type { Edge, EventId, Problem } from '../schedule/problem.ts'
import type { Frame } from './frame.ts'

/**
 * What transfers that queue or block demand besides `latency` (docs/decisions/0002-communication-models.md): the busiest
 * link carries its transfers one after the other; the busiest rank computes, sends and receives one after the other.
 * Only transfers whose two ranks are fixed count. Undefined under `latency`, and where there are none.
 */
export function transferLoadBound(frame: Frame, model: CommunicationModel): Bound | undefined {
  switch (model) {
    case 'latency':
      return undefined
    case 'link':
      return worst(linkLoads(frame))
    case 'blocking':
      return worst(rankLoads(frame))
  }
}

type Moved = { readonly edge: Edge; readonly from: number; readonly to: number; readonly ticks: Tick }

function fixedTransfers(problem: Problem): Moved[] {
  return problem.edges.flatMap(edge => {
    const [left, right] = [problem.events[edge.from].modes, problem.events[edge.to].modes]
    if (edge.lag < 0 || left.length > 1 || right.length > 1) return []
    const [from, to] = [left[0].rank, right[0].rank]
    const ticks = problem.lags[edge.lag][from * problem.ranks + to]
    return ticks > 0 ? [{ edge, from, to, ticks }] : []
  })
}

/** Bounds of links: the earliest that anything is ready, all transfers, the least that follows any of them. */
function linkLoads(frame: Frame): Bound[] {
  const links = new Map<number, Moved[]>()
  for (const one of fixedTransfers(frame.problem)) {
    const link = one.from * frame.problem.ranks + one.to
    links.set(link, [...(links.get(link) ?? []), one])
  }
  return [...links.values()].map(moved => {
    const where = `link ${moved[0].from} -> ${moved[0].to}`
    return boundOf('link-load', where, [], moved, readyTicks(frame, moved), restTicks(frame, moved), frame)
  })
}

/** Bounds of ranks: the earliest that any item can start there, all compute and transfers, the least that follows any. */
function rankLoads(frame: Frame): Bound[] {
  const { problem, head, tail, duration } = frame
  const moved = fixedTransfers(problem)
  return range(problem.ranks).map(rank => {
    const own = problem.events
      .filter(event => event.occupies && event.modes.length === 1 && event.modes[0].rank === rank)
      .map(event => event.id)
    const here = moved.filter(({ from, to }) => from === rank || to === rank)
    const starts = [...own.map(event => head[event]), ...readyTicks(frame, here)]
    const rests = [...own.map(event => tail[event] - duration[event]), ...restTicks(frame, here)]
    return boundOf('blocked-rank-load', `rank ${rank}`, own, here, starts, rests, frame)
  })
}

function readyTicks({ head, duration }: Frame, moved: readonly Moved[]): Tick[] {
  return moved.map(({ edge }) => head[edge.from] + duration[edge.from])
}

function restTicks({ tail }: Frame, moved: readonly Moved[]): Tick[] {
  return moved.map(({ edge }) => tail[edge.to])
}

function boundOf(
  name: string,
  where: string,
  events: readonly EventId[],
  moved: readonly Moved[],
  starts: readonly Tick[],
  rests: readonly Tick[],
  { duration }: Frame
): Bound {
  const compute = sum(events.map(event => duration[event]))
  const transfers = sum(moved.map(({ ticks }) => ticks))
  const [first, last] = [starts, rests].map(list => (list.length === 0 ? 0 : Math.min(...list)))
  const terms = [
    { label: `${where} waits`, ticks: first, events: [] },
    { label: `${where} computes`, ticks: compute, events },
    { label: `${where} transfers`, ticks: transfers, events: moved.map(({ edge }) => edge.from) },
    { label: `what follows on other ranks`, ticks: last, events: [] }
  ]
  return { kind: 'bound', name, ticks: first + compute + transfers + last, terms }
}

function worst(bounds: readonly Bound[]): Bound | undefined {
  return bounds.reduce<Bound | undefined>((best, one) => (best && best.ticks >= one.ticks ? best : one), undefined)
}
