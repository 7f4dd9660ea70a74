import type { EventId, Schedule, Sequences } from '../../../schedule/problem.ts'
import type { Analysis } from '../../analysis.ts'
import type { Variable } from '../../model/types.ts'
import { type Timed, timedIn } from '../../timed.ts'
import type { Gap, SlotContext, Task } from './context.ts'

/**
 * A schedule as values of a slot model (one per variable): its own starts of the body, the slots in which its free events
 * stand, and joints where what stands before them has ended. Within a gap the model has an order of its own, in which what
 * follows is no later. Undefined where the body is another, or where there is no such slot: an event outside its windows,
 * or encodes and backwards that alternate more often than the gap has parts.
 */
export function slotValues(context: SlotContext, schedule: Schedule): Float64Array | undefined {
  const { analysis, gaps, start, end } = context
  const timed = timedIn(analysis, schedule)
  const values = new Float64Array(context.milp.numVariables)
  for (const [event, variable] of start) values[variable] = timed.start[event]
  values[end.start as Variable] = Math.floor(schedule.makespan / analysis.unit)
  for (const [rank, line] of gaps.entries()) {
    const inside = betweenTasks(analysis, schedule.sequences, rank)
    if (!inside) return undefined
    for (const [place, events] of inside.entries()) {
      const parts = line.filter(gap => gap.place === place)
      if (!fill(context, timed, parts, events, values)) return undefined
    }
  }
  return values
}

/** The free events of a rank before each task of its body and after the last; undefined where the body is another. */
function betweenTasks({ body, position }: Analysis, sequences: Sequences, rank: number): EventId[][] | undefined {
  const tasks = body[rank] ?? []
  const inside: EventId[][] = [[]]
  for (const event of sequences[rank]) {
    if (position[event] < 0) inside[inside.length - 1].push(event)
    else if (tasks[inside.length - 1] === event) inside.push([])
    else return undefined
  }
  return inside.length === tasks.length + 1 ? inside : undefined
}

/** Gives each event the first part of the gap, from that of the event before it, that has a slot for it. */
function fill(
  { analysis }: SlotContext,
  timed: Timed,
  parts: readonly Gap[],
  events: readonly EventId[],
  values: Float64Array
): boolean {
  let left = events
  let ended = endOf(parts[0].previous, values)
  for (const [index, { rank, encodes, backwards, next }] of parts.entries()) {
    const slots = new Map([...encodes, ...backwards].map(slot => [slot.event, slot.variable]))
    const beyond = left.findIndex(event => !slots.has(event))
    const here = beyond < 0 ? left : left.slice(0, beyond)
    for (const event of here) {
      values[slots.get(event) as Variable] = 1
      ended = Math.max(ended, timed.start[event] + analysis.duration(event, rank))
    }
    left = left.slice(here.length)
    const isJoint = index + 1 < parts.length
    if (isJoint) values[next.start as Variable] = ended
  }
  return left.length === 0
}

function endOf({ start, duration }: Task, values: Float64Array): number {
  return (start === undefined ? 0 : values[start]) + duration
}
