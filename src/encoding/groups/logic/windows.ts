import type { Analysis } from '../../analysis.ts'
import type { SmtBuilder } from '../../model/builder.ts'
import type { Variable } from '../../model/types.ts'

/**
 * Makespan group. Consumes the windows of the analysis. Creates one start variable per event, bounded by its window: the
 * bounds alone say that everything ends by the horizon.
 */
export function addStarts(analysis: Analysis, smt: SmtBuilder): Variable[] {
  if (!analysis.open) {
    smt.clause()
    return analysis.problem.events.map(() => smt.int(0, 0))
  }
  return analysis.problem.events.map(({ id }) => smt.int(analysis.head[id], analysis.latest[id]))
}
