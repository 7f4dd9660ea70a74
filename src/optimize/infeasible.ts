import { showBytes } from '../base/bytes.ts'
import { bodyMemoryNeeds, type EncodeNeed, encodeMemoryNeeds } from '../bounds/memory.ts'
import { eventLabel } from '../schedule/label.ts'
import type { Byte } from '../schedule/measured.ts'
import type { Problem, Sequences } from '../schedule/problem.ts'
import type { Reason } from './types.ts'

/** A rank that no timing of the fixed body order fits, if there is one; with `body` empty only fixed bytes count. */
export function memoryReason(problem: Problem, body: Sequences): Reason | undefined {
  if (problem.capacity.every(limit => limit === undefined)) return undefined
  for (const need of bodyMemoryNeeds(problem, body)) {
    const capacity = problem.capacity[need.rank]
    if (capacity === undefined || need.needed <= capacity) continue
    const { rank, fixed, needed, step } = need
    if (fixed > capacity) {
      return {
        code: 'FIXED_BYTES',
        rank,
        needed: fixed,
        capacity,
        message: `rank ${rank} holds ${showBytes(fixed)} of parameters and reserved memory, ${above(fixed, capacity)}`,
        advice: 'Spread the parameters over more ranks, shard them, or raise memory.capacity.'
      }
    }
    const at = step < 0 ? '' : ` at ${eventLabel(problem, body[rank][step])}`
    return {
      code: 'BODY_BYTES',
      rank,
      needed,
      capacity,
      message: `rank ${rank} needs ${showBytes(needed)}${at} whatever the timing, ${above(needed, capacity)}`,
      advice: 'Lower the activations (recompute), use an order that holds fewer microbatches, or raise memory.capacity.'
    }
  }
  return undefined
}

/** An encode that fits beside the fixed body on no rank at any place, if there is one. Each injection order is a body of its own. */
export function encodeMemoryReason(problem: Problem, body: Sequences): Reason | undefined {
  const { capacity } = problem
  if (capacity.some(limit => limit === undefined)) return undefined
  const excess = ({ rank, needed }: EncodeNeed) => needed - (capacity[rank] ?? needed)
  for (const needs of encodeMemoryNeeds(problem, body)) {
    const best = needs.reduce((least, need) => (excess(need) < excess(least) ? need : least))
    if (excess(best) <= 0) continue
    const { event, rank, needed } = best
    const limit = capacity[rank] ?? needed
    return {
      code: 'ENCODE_BYTES',
      rank,
      needed,
      capacity: limit,
      message: `${eventLabel(problem, event)} fits on no rank at any time: rank ${rank} comes closest and needs ${showBytes(needed)}, ${above(needed, limit)}`,
      advice: 'Lower the activations (recompute, or options.items), or raise memory.capacity.'
    }
  }
  return undefined
}

/** By how much, so that one byte too many does not read as an equality of two rounded figures. */
function above(needed: Byte, capacity: Byte): string {
  return `${showBytes(needed - capacity)} above its capacity of ${showBytes(capacity)}`
}
