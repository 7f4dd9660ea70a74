import type { ScheduleDocument } from '../schedule/document.ts'
import { encoderOrigins, exposedEncoder } from '../schedule/encoder-share.ts'
import { type Cause, type IdleInterval, idleByCause, idleIntervals } from '../schedule/idle.ts'
import type { Byte, Measured, Tick } from '../schedule/measured.ts'
import { peakBytes } from '../schedule/memory.ts'
import { bubbleOverWork, bubbleRatio, peakInFlight, spanTicks, utilisation } from '../schedule/metrics.ts'
import type { Problem, Schedule } from '../schedule/problem.ts'
import { bytesMoved } from '../schedule/traffic.ts'

/** What one schedule costs, each figure by its name; byte and in-flight lists have one entry per rank. */
export type Metrics = {
  /** Latest end of anything, from 0. */
  readonly makespan: Tick
  /** Longest time from a rank's first start to its last end. */
  readonly span: Tick
  /** Bubble over makespan: idle time / (P * makespan). */
  readonly bubbleRatio: number
  /** Bubble over work: idle time / work. */
  readonly bubbleOverWork: number
  /** Needed work / (P * makespan); recomputed work is not needed. */
  readonly utilisation: number
  readonly peakMemory: readonly Byte[]
  readonly inFlight: readonly number[]
  /** Activations, features and their gradients that cross ranks. */
  readonly bytesMoved: Byte
  /** Ticks by which the encoder lengthens the step, against the same order with an encoder that takes no time. */
  readonly exposedEncoder: Tick
  /** Idle ticks over all ranks by what they wait for; they sum to all idle time. */
  readonly idle: Readonly<Record<Cause, Tick>>
}

/** A timed order of an instance: what the order is of (`measured` may be transformed from `instance`), and its times. */
export type TimedOrder = {
  readonly instance: Measured
  readonly measured: Measured
  readonly problem: Problem
  readonly schedule: Schedule
  readonly document: ScheduleDocument
}

/** Every metric of a timed order. */
export function metricsOf({ instance, measured, problem, schedule, document }: TimedOrder): Metrics {
  return {
    makespan: document.makespan,
    span: spanTicks(document),
    bubbleRatio: bubbleRatio(document),
    bubbleOverWork: bubbleOverWork(document),
    utilisation: utilisation(document, recomputedTicks(measured, problem)),
    peakMemory: peakBytes(problem, schedule),
    inFlight: document.ranks.map(peakInFlight),
    bytesMoved: bytesMoved(measured, problem, schedule),
    exposedEncoder: exposedEncoder(measured, problem, schedule, encoderOrigins(instance)),
    idle: idleByCause(idleIntervals(problem, schedule))
  }
}

/** Idle intervals of a timed order, with their causes. */
export function idleOf({ problem, schedule }: TimedOrder): IdleInterval[] {
  return idleIntervals(problem, schedule)
}

/** Encoder forwards that `first-rank` backwards run a second time. */
function recomputedTicks({ encoderBackward }: Measured, problem: Problem): Tick {
  if (encoderBackward !== 'first-rank') return 0
  const again = new Set(problem.events.filter(event => event.key.kind === 'EB').map(event => event.key.microbatch))
  const encodes = problem.events.filter(({ key }) => key.kind === 'E' && again.has(key.microbatch))
  return encodes.reduce((total, event) => total + event.modes[0].duration, 0)
}
