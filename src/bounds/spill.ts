import { maximum, range, sum } from '../base/arrays.ts'
import type { Bound } from '../schedule/certificate.ts'
import { encodesByTask } from '../schedule/encoder-task.ts'
import type { Tick } from '../schedule/measured.ts'
import type { Problem } from '../schedule/problem.ts'
import { leastTotal } from './windows.ts'

/**
 * Least possible max_r spill_r over all owner maps (paper section 4.3): the encodes must fit into all warmup slacks, each raised by
 * the spill; and the longest encoder task, all its chunks on one rank, spills on the rank with the most slack at least.
 */
export function spillBound(problem: Problem, warmupSlack: readonly Tick[]): Bound {
  const encodes = problem.events.filter(event => event.key.kind === 'E')
  const work = [...encodesByTask(problem).values()].map(chunks =>
    sum(chunks.map(id => problem.events[id].modes[0].duration))
  )
  const shared = Math.max(
    0,
    leastTotal(
      warmupSlack.map(ticks => -ticks),
      sum(work)
    )
  )
  const single = Math.max(0, maximum(work) - maximum(warmupSlack))
  const ticks = Math.max(shared, single)
  const terms = [
    { label: 'encoder work', ticks: sum(work), events: encodes.map(event => event.id) },
    ...range(problem.ranks).map(rank => ({
      label: `warmup slack of rank ${rank}`,
      ticks: warmupSlack[rank],
      events: []
    }))
  ]
  return { kind: 'bound', name: 'spill', ticks, terms }
}
