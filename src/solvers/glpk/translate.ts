import type { GLPK, LP } from 'glpk.js/node'
import type { Milp, Term } from '../../encoding/model/types.ts'

/** A model in glpk.js form. Columns are x0, x1, ... in order; every one has explicit bounds. */
export function toGlpk(model: Milp, glpk: GLPK): LP {
  const vars = (terms: readonly Term[]) => terms.map(([variable, coef]) => ({ name: `x${variable}`, coef }))
  const bounds = (lower: number, upper: number) => {
    if (lower === upper) return { type: glpk.GLP_FX, lb: lower, ub: upper }
    if (lower === -Infinity && upper === Infinity) return { type: glpk.GLP_FR, lb: 0, ub: 0 }
    if (lower === -Infinity) return { type: glpk.GLP_UP, lb: 0, ub: upper }
    if (upper === Infinity) return { type: glpk.GLP_LO, lb: lower, ub: 0 }
    return { type: glpk.GLP_DB, lb: lower, ub: upper }
  }
  return {
    name: 'model',
    objective: {
      direction: glpk.GLP_MIN,
      name: 'obj',
      vars: model.objective.length > 0 ? vars(model.objective) : [{ name: 'x0', coef: 0 }]
    },
    subjectTo: model.rows.map(({ terms, lower, upper }, index) => ({
      name: `c${index}`,
      vars: vars(terms),
      bnds: bounds(lower ?? -Infinity, upper ?? Infinity)
    })),
    bounds: model.variables.map(({ lower, upper }, index) => ({ name: `x${index}`, ...bounds(lower, upper) })),
    generals: model.variables.flatMap(({ integer }, index) => (integer ? [`x${index}`] : []))
  }
}
