import { firstStages } from '../algebra/derive.ts'
import { layoutOf } from '../algebra/types.ts'
import type { Byte, Measured, Stage } from './measured.ts'
import type { EventKey, Problem, Schedule } from './problem.ts'

/**
 * Bytes that a schedule moves between ranks: the output of every stage and encode that crosses, and as much again for
 * the gradient that comes back. Reductions and broadcasts are not counted, and a slab without `output` moves nothing.
 */
export function bytesMoved(measured: Measured, problem: Problem, schedule: Schedule): Byte {
  const outputs = outputsOf(measured)
  let total = 0
  for (const { from, to, channel } of problem.edges) {
    if (channel === undefined || schedule.rankOf[from] === schedule.rankOf[to]) continue
    const upstream = channel === 'recvGrad' || channel === 'scatter' ? to : from
    total += outputs(problem.events[upstream].key)
  }
  return total
}

/** Output bytes of the stage or encode that an event belongs to. */
function outputsOf(measured: Measured): (key: EventKey) => Byte {
  const firsts = firstStages(measured.regions)
  const last = (stage: Stage) => stage[stage.length - 1].output
  return ({ region, stage }) => {
    const { skeleton, stages } = measured.regions[region]
    return last(stages[layoutOf(skeleton) === 'Replicated' ? 0 : stage - firsts[region]])
  }
}
