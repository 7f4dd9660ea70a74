import { range } from '../../../base/arrays.ts'
import type { Tick } from '../../../schedule/measured.ts'
import type { Variable } from '../../model/types.ts'
import { type LogicContext, onRank } from './context.ts'

/** The most that a rank's encodes may take beyond its warmup slack, and that slack by rank (P entries), in ticks. */
export type SpillLimit = { readonly spill: Tick; readonly slack: readonly Tick[] }

/** Spill group. Consumes the owners of encodes. Creates one sum per rank: ticks of the encodes that it may run, within its slack and the spill. */
export function addSpill(context: LogicContext, { spill, slack }: SpillLimit): void {
  const { analysis, smt } = context
  const encodes = analysis.problem.events.filter(event => event.key.kind === 'E')
  for (const rank of range(analysis.problem.ranks)) {
    const terms = new Map<Variable, Tick>()
    let sure = 0
    for (const { id, modes } of encodes) {
      const here = onRank(context, id, rank)
      const ticks = modes.find(mode => mode.rank === rank)?.duration ?? 0
      if (here === 'always') sure += ticks
      // The chunks of a task share their owner.
      else if (here !== 'never' && 'bool' in here) terms.set(here.bool, (terms.get(here.bool) ?? 0) + ticks)
    }
    const room = slack[rank] + spill - sure
    if (room < 0) smt.clause()
    else if (terms.size > 0) smt.sum([...terms], room)
  }
}
