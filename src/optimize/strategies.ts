import { jointBounds, placementBounds, transferBounds } from '../bounds/index.ts'
import { anyInjection } from '../bounds/reorder.ts'
import { spillBound } from '../bounds/spill.ts'
import type { Bound } from '../schedule/certificate.ts'
import { evaluateBackbone } from '../schedule/closed-form.ts'
import type { Measured } from '../schedule/measured.ts'
import type { EventId, Sequences } from '../schedule/problem.ts'
import { construct } from './constructive.ts'
import { encodeMemoryReason, memoryReason } from './infeasible.ts'
import { constructJoint, refineJoint } from './joint.ts'
import { searchOwners } from './owner.ts'
import { type RefineLimits, refine } from './refine.ts'
import { constructReorder, refineReorder, reorderTask } from './reorder.ts'
import type { Session } from './session.ts'
import type { Task } from './task.ts'
import { jointTask, ownerTask, placementTask } from './tasks.ts'
import type { Reason, SolveOptions } from './types.ts'

/** How one decision problem is attacked before, between and after exact solvers. */
export type Strategy = {
  readonly task: Task
  /**
   * Bounds on the value, strongest first; at least one. With `limits` false, those that hold whatever the capacities and
   * the communication model.
   */
  readonly bounds: (limits: boolean) => readonly Bound[]
  /** Why no timing of any allowed order fits the ranks' memory, where counting along the body tells. */
  readonly memory: () => Reason | undefined
  readonly construct: (session: Session) => void | Promise<void>
  /** Search that can go on for as long as there is time; absent where construction already searches. */
  readonly refine?: (session: Session, limits: RefineLimits) => Promise<void>
}

/** The strategy of the problem that the options name. */
export function strategyOf(
  measured: Measured,
  { problem, objective }: Pick<SolveOptions, 'problem' | 'objective'>
): Strategy {
  switch (problem) {
    case 'placement':
      return placementStrategy(placementTask(measured))
    case 'owner':
      return ownerStrategy(ownerTask(measured, objective))
    case 'joint':
      return jointStrategy(jointTask(measured))
    case 'reorder':
      return reorderStrategy(placementTask(measured))
  }
}

function placementStrategy(task: Task): Strategy {
  return {
    task,
    bounds: limits => withTransfers(task, limits, placementBounds(task.relaxed, task.body, { memory: limits })),
    memory: () => memoryReason(task.problem, task.body) ?? encodeMemoryReason(task.problem, task.body),
    construct: session => construct(task, session),
    refine: (session, limits) => refine(task, session, limits)
  }
}

function ownerStrategy(task: Task): Strategy {
  const { relaxed: problem, body, objectiveOf } = task
  const slack = () => evaluateBackbone(problem, body)?.warmupSlack ?? body.map(() => 0)
  return {
    task,
    bounds: limits =>
      objectiveOf
        ? [spillBound(problem, slack())]
        : withTransfers(task, limits, placementBounds(problem, body, { memory: limits })),
    memory: () => memoryReason(task.problem, body) ?? encodeMemoryReason(task.problem, body),
    construct: session => searchOwners(task, session)
  }
}

/** Cost of a step that builds a placement, in steps that change one. */
const STEPS_OF_BUILDING = 16

function reorderStrategy(fixed: Task): Strategy {
  const task = reorderTask(fixed)
  const relaxed = anyInjection(task.relaxed)
  return {
    task,
    bounds: limits => {
      const options = { memory: limits }
      // Positions know the body and the least that each takes; whatever the order, all of the work has to be done.
      const both = [...placementBounds(relaxed, task.body, options), ...jointBounds(task.relaxed, options)]
      return withTransfers(task, limits, strongestFirst(both))
    },
    memory: () => memoryReason(task.problem, bodyOfAnyInjection(task)),
    construct: session => constructReorder(task, session),
    // A step here builds a placement anew: where exact solvers come next, few are worth it.
    refine: (session, limits) =>
      refineReorder(task, session, {
        ...limits,
        steps: task.encodeDecision ? limits.steps / STEPS_OF_BUILDING : limits.steps
      })
  }
}

/**
 * The body whose memory every injection order needs: its own where all microbatches hold the same at the same stages, else
 * nothing beyond what is fixed.
 */
function bodyOfAnyInjection({ problem, body }: Task): Sequences {
  const profiles = new Map<number, string[]>()
  const add = (event: EventId, what: string) => {
    const { kind, stage, microbatch } = problem.events[event].key
    profiles.set(microbatch, [...(profiles.get(microbatch) ?? []), `${kind}${stage} ${what}`])
  }
  const placed = new Set(body.flat())
  for (const event of placed) add(event, `${problem.events[event].modes[0].duration === 0}`)
  for (const { from, until, bytes } of problem.holds)
    if (placed.has(from.event)) add(from.event, `${until.at} ${bytes}`)
  const distinct = new Set([...profiles.values()].map(list => list.sort().join()))
  return distinct.size <= 1 && profiles.size === problem.microbatches ? body : body.map(() => [])
}

function jointStrategy(task: Task): Strategy {
  return {
    task,
    bounds: limits => withTransfers(task, limits, jointBounds(task.relaxed, { memory: limits })),
    memory: () => memoryReason(task.problem, task.body),
    construct: session => constructJoint(task, session),
    refine: (session, limits) => refineJoint(task, session, limits)
  }
}

/** Adds what transfers demand under the task's own communication model. */
function withTransfers({ problem, relaxed }: Task, limits: boolean, bounds: readonly Bound[]): readonly Bound[] {
  if (!limits || problem.communication === 'latency') return bounds
  return strongestFirst([...bounds, ...transferBounds(relaxed, problem.communication)])
}

function strongestFirst(bounds: readonly Bound[]): readonly Bound[] {
  return [...bounds].sort((a, b) => b.ticks - a.ticks)
}
