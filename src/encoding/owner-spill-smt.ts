import { range } from '../base/arrays.ts'
import { encodesByTask } from '../schedule/encoder-task.ts'
import type { Tick } from '../schedule/measured.ts'
import type { EventId, Problem, Sequences } from '../schedule/problem.ts'
import { analyse } from './analysis.ts'
import type { Encoded } from './encoded.ts'
import { no, SmtBuilder, yes } from './model/builder.ts'
import type { Smt, Variable } from './model/types.ts'
import { ownerSequences } from './owner-milp.ts'

/**
 * `owner` with the paper's objective as a decision: is there an owner map under which no rank spills more than `spill` ticks?
 * One Boolean per encoder task and rank, and one integer sum per rank: exact at any scale of ticks. `slack` has P entries.
 */
export function encodeOwnerSpillSmt(
  problem: Problem,
  body: Sequences,
  slack: readonly Tick[],
  spill: Tick
): Encoded<Smt> {
  const analysis = analyse(problem, body, Number.MAX_SAFE_INTEGER)
  const smt = new SmtBuilder()
  const owners = [...encodesByTask(problem).values()].map(chunks => ({
    chunks,
    ranks: problem.events[chunks[0]].modes.map(({ rank }) => ({ rank, bool: smt.bool() }))
  }))
  for (const { ranks } of owners) {
    smt.clause(...ranks.map(({ bool }) => yes(bool)))
    for (const [i, a] of ranks.entries()) for (const b of ranks.slice(i + 1)) smt.clause(no(a.bool), no(b.bool))
  }
  const ticksOn = (chunks: readonly EventId[], rank: number): Tick =>
    chunks.reduce((total, event) => total + analysis.duration(event, rank) * analysis.unit, 0)
  for (const rank of range(problem.ranks)) {
    const terms = owners.flatMap(({ chunks, ranks }) =>
      ranks.filter(one => one.rank === rank).map(({ bool }) => [bool, ticksOn(chunks, rank)] as const)
    )
    smt.sum(terms, slack[rank] + spill)
  }
  const chosen = (values: ArrayLike<number>, ranks: readonly { readonly rank: number; readonly bool: Variable }[]) =>
    (ranks.find(({ bool }) => values[bool] === 1) ?? ranks[0]).rank
  return {
    model: smt.finish(),
    exact: true,
    unit: 1,
    boundTicks: () => undefined,
    decode: values =>
      ownerSequences(
        analysis,
        new Map(owners.flatMap(({ chunks, ranks }) => chunks.map(event => [event, chosen(values, ranks)] as const)))
      )
  }
}
