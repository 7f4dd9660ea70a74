import type { Family } from '../../schedule/family.ts'
import type { Measured } from '../../schedule/measured.ts'
import { type CompareOptions, compareFamilies } from '../compare.ts'
import { encoderShare, instanceAt } from './apply.ts'
import { type Axis, gridOf, type SweepPoint } from './axes.ts'
import { recordKey, type SweepRecord } from './record.ts'
import { inShard, type Shard } from './shard.ts'

/** What to sweep, and how each point is compared. */
export type SweepPlan = {
  readonly instances: readonly Measured[]
  readonly axes: readonly Axis[]
  readonly families: readonly Family[]
  readonly baseline?: string
  /** All that steers the search of the optimum, as plain data: part of every key. */
  readonly settings: unknown
  readonly shard: Shard
}

/** One point that is to be compared. */
export type SweepTask = {
  readonly key: string
  readonly index: number
  readonly point: SweepPoint
  readonly base: Measured
}

/** Callbacks of a sweep. */
export type SweepHooks = {
  /** Searches the optimum of an instance; absent: heuristics only. */
  readonly optimum?: (measured: Measured) => Promise<CompareOptions['optimum']>
  /** Takes each record as soon as it is there. */
  readonly keep: (record: SweepRecord) => Promise<void>
  readonly onProgress?: (done: number, total: number, task: SweepTask) => void
  readonly signal?: AbortSignal
}

/** The points of a plan that belong to its shard: every instance at every combination. */
export function tasksOf(plan: SweepPlan): SweepTask[] {
  const settings = [plan.families.map(family => family.id), plan.baseline ?? null, plan.settings]
  const points = gridOf(plan.axes)
  return plan.instances
    .flatMap(base => points.map(point => ({ base, point })))
    .map((task, index) => ({
      ...task,
      index,
      key: recordKey(`${task.base.name} ${task.base.hash}`, task.point, settings)
    }))
    .filter(task => inShard(plan.shard, task.index))
}

/** Compares every point of the shard whose key is not known yet. Resolves to whether all are done. */
export async function runSweep(plan: SweepPlan, known: ReadonlySet<string>, hooks: SweepHooks): Promise<boolean> {
  const tasks = tasksOf(plan)
  let done = 0
  for (const task of tasks) {
    if (hooks.signal?.aborted) return false
    if (!known.has(task.key)) {
      const record = await compareAt(plan, task, hooks)
      // What a cancelled search found is no result of its limits.
      if (hooks.signal?.aborted) return false
      await hooks.keep(record)
    }
    done++
    hooks.onProgress?.(done, tasks.length, task)
  }
  return true
}

async function compareAt(
  plan: SweepPlan,
  { key, index, point, base }: SweepTask,
  hooks: SweepHooks
): Promise<SweepRecord> {
  const measured = instanceAt(base, point)
  const head = { format: 'tropipe.sweep/1', key, index, point } as const
  if (typeof measured === 'string') return { ...head, encoderShare: encoderShare(base), refused: measured }
  const optimum = await hooks.optimum?.(measured)
  const comparison = compareFamilies(measured, {
    families: plan.families,
    ...(plan.baseline === undefined ? {} : { baseline: plan.baseline }),
    ...(optimum ? { optimum } : {})
  })
  return { ...head, encoderShare: encoderShare(measured), comparison }
}
