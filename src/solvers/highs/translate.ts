import type { ModelData } from 'highs'
import type { Milp } from '../../encoding/model/types.ts'

/** A model as sparse rows for HiGHS: no text, no names. */
export function toHighs(model: Milp, infinity: number): ModelData {
  const side = (value: number | undefined, absent: number) =>
    value === undefined || !Number.isFinite(value) ? absent : value
  const colCost = new Float64Array(model.variables.length)
  for (const [variable, coefficient] of model.objective) colCost[variable] = coefficient
  const starts = [0]
  for (const { terms } of model.rows) starts.push(starts[starts.length - 1] + terms.length)
  return {
    numCols: model.variables.length,
    numRows: model.rows.length,
    colCost,
    colLower: model.variables.map(({ lower }) => side(lower, -infinity)),
    colUpper: model.variables.map(({ upper }) => side(upper, infinity)),
    rowLower: model.rows.map(({ lower }) => side(lower, -infinity)),
    rowUpper: model.rows.map(({ upper }) => side(upper, infinity)),
    matrix: {
      format: 'csr',
      numRows: model.rows.length,
      numCols: model.variables.length,
      starts,
      indices: model.rows.flatMap(({ terms }) => terms.map(([variable]) => variable)),
      values: model.rows.flatMap(({ terms }) => terms.map(([, coefficient]) => coefficient))
    },
    integrality: Int32Array.from(model.variables, ({ integer }) => (integer ? 1 : 0))
  } as ModelData
}
