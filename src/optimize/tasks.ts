import { maximum } from '../base/arrays.ts'
import { notYet } from '../base/fault.ts'
import {
  encodeJointCp,
  encodeJointSmt,
  encodeOwnerMilp,
  encodeOwnerSmt,
  encodeOwnerSpill,
  encodeOwnerSpillSmt,
  encodePlacementCp,
  encodePlacementMilp,
  encodePlacementSmt
} from '../encoding/index.ts'
import { bodyOrder, bodySequences } from '../schedule/body.ts'
import { buildProblem } from '../schedule/build.ts'
import { encoderLoad, evaluateBackbone, spills } from '../schedule/closed-form.ts'
import type { Measured } from '../schedule/measured.ts'
import { latencyRelaxation, withPlacedTransfers } from '../schedule/relax.ts'
import { longestMakespan, type Task } from './task.ts'
import type { Objective } from './types.ts'

/** `placement`: body order fixed, encoder work free (spec section 4). */
export function placementTask(measured: Measured): Task {
  const problem = buildProblem(measured)
  const order = bodyOrder(measured)
  const relaxed = latencyRelaxation(problem)
  const body = bodySequences(problem, order)
  return {
    measured,
    problem,
    relaxed,
    bodyOrder: order,
    body,
    longest: longestMakespan(problem),
    encodeDecision: value => encodePlacementSmt(withPlacedTransfers(problem), body, value, problem.communication),
    encodeMilp: horizon => encodePlacementMilp(relaxed, body, horizon),
    encodeCp: horizon => encodePlacementCp(relaxed, body, horizon)
  }
}

/**
 * `joint`: everything free but the stage map: body order, microbatch order, split backward where the instance gives it.
 * @throws FaultError NOT_YET where overlapped pairs could be shorter than their parts, which no encoding knows
 */
export function jointTask(measured: Measured): Task {
  if (measured.overlap)
    notYet(
      'options.overlap',
      measured.overlap,
      'searching body orders (problem "joint") in which an overlapped pair is shorter than F + B',
      'Use --problem placement, which keeps the body order, or leave options.overlap out.'
    )
  const problem = buildProblem(measured, { split: true })
  const body = Array.from({ length: problem.ranks }, () => [])
  const relaxed = latencyRelaxation(problem)
  return {
    measured,
    problem,
    relaxed,
    bodyOrder: undefined,
    body,
    longest: longestMakespan(problem),
    encodeDecision: value => encodeJointSmt(withPlacedTransfers(problem), value, problem.communication),
    encodeCp: horizon => encodeJointCp(relaxed, horizon)
  }
}

/** Up to so many events, owner maps are judged by their spill together with times and memory. */
const MOST_EVENTS_OF_SPILL = 200

/** `owner`: the shape of `transpose-full`, owner map free; minimises the makespan or the paper's max_r spill_r. */
export function ownerTask(measured: Measured, objective: Objective): Task {
  const { encodeCp: _intervals, ...base } = placementTask(measured)
  const { problem: whole, relaxed: problem, body } = base
  if (objective === 'makespan') {
    return {
      ...base,
      encodeDecision: value => encodeOwnerSmt(withPlacedTransfers(whole), body, value, whole.communication),
      encodeMilp: horizon => encodeOwnerMilp(problem, body, horizon)
    }
  }
  const slack = evaluateBackbone(problem, body)?.warmupSlack ?? body.map(() => 0)
  const limited = whole.capacity.some(limit => limit !== undefined) && whole.events.length <= MOST_EVENTS_OF_SPILL
  return {
    ...base,
    longest: maximum(encoderLoad(problem, body)) + base.longest,
    objectiveOf: schedule => maximum(spills(encoderLoad(problem, schedule.sequences), slack)),
    // Without limits every owner map has a schedule, and the map alone decides; with limits it is a relaxation.
    encodeDecision: limited
      ? spill => {
          const placed = withPlacedTransfers(whole)
          const encoded = encodeOwnerSmt(placed, body, base.longest, whole.communication, { spill, slack })
          return { ...encoded, unit: 1 }
        }
      : spill => encodeOwnerSpillSmt(problem, body, slack, spill),
    encodeMilp: most => encodeOwnerSpill(problem, body, slack, most)
  }
}
