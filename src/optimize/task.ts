import type { BodyOrder } from '../algebra/orders/body.ts'
import { maximum } from '../base/arrays.ts'
import type { Encoded } from '../encoding/encoded.ts'
import type { Cp, Milp, Smt } from '../encoding/model/types.ts'
import type { Measured, Tick } from '../schedule/measured.ts'
import type { Problem, Schedule, Sequences } from '../schedule/problem.ts'

/** One search: the instance, its event graph, which orders are allowed, what is minimised, and how to encode it. */
export type Task = {
  readonly measured: Measured
  readonly problem: Problem
  /** The same problem under latency communication, which bounds and solver models are made for; valid for `problem` too. */
  readonly relaxed: Problem
  /** The body order that the problem fixes, for the checker; undefined where the body is free. */
  readonly bodyOrder: BodyOrder | undefined
  /** The same as event ids; empty lists where the body is free. */
  readonly body: Sequences
  /** The task whose fixed body is the one that an order keeps, where the problem leaves that open. */
  readonly ofOrder?: (sequences: Sequences) => Task
  /** What is minimised, in ticks; the makespan where absent. */
  readonly objectiveOf?: (schedule: Schedule) => Tick
  /** A value that some schedule reaches whenever there is one at all. */
  readonly longest: Tick
  /** Is there a schedule of at most this value? */
  readonly encodeDecision?: (value: Tick) => Encoded<Smt>
  /** The least value, where it is at most this horizon. */
  readonly encodeMilp?: (horizon: Tick) => Encoded<Milp>
  /** The same as an interval model. */
  readonly encodeCp?: (horizon: Tick) => Encoded<Cp>
}

/**
 * Ticks that suffice for some schedule whenever there is one: at every tick before its end something computes, travels,
 * is broadcast or reduced, since waiting for nothing can be cut out.
 */
export function longestMakespan(problem: Problem): Tick {
  const longestLags = problem.lags.map(table => maximum(table))
  let [total, latest] = [0, 0]
  for (const { modes } of problem.events) {
    let longest = 0
    for (const { duration, release } of modes) {
      if (duration > longest) longest = duration
      if (release > latest) latest = release
    }
    total += longest
  }
  for (const { lag } of problem.edges) if (lag >= 0) total += longestLags[lag]
  return total + latest
}
