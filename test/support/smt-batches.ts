import type { Clause, Literal, Smt } from '../../src/encoding/model/types.ts'

/** All of the models at once: satisfiable exactly when each is. Values are those of the parts, see `partValues`. */
export function allOf(models: readonly Smt[]): Smt {
  return joined(models, clause => clause)
}

/** At least one of the models: unsatisfiable exactly when each is. */
export function anyOf(models: readonly Smt[]): Smt {
  const base = models.reduce((total, model) => total + model.numBools, 0)
  const all = joined(models, (clause, part) => [...clause, { bool: base + part, value: false }])
  const sums = all.sums.map((sum, index) => ({ sum, part: partOfSum(models, index) }))
  const guards = models.map((_, part): Literal => ({ bool: base + part, value: true }))
  return {
    ...all,
    numBools: base + models.length,
    clauses: [...all.clauses, guards],
    sums: sums.map(({ sum, part }) => {
      const most = sum.terms.reduce((total, [, bytes]) => total + bytes, 0)
      const slack = Math.max(0, most - sum.atMost)
      return { terms: [...sum.terms, [base + part, slack] as const], atMost: sum.atMost + slack }
    })
  }
}

/** The values of one part of `allOf`. */
export function partValues(models: readonly Smt[], part: number, values: Float64Array): Float64Array {
  const before = models.slice(0, part)
  const numInts = models.reduce((total, model) => total + model.ints.length, 0)
  const ints = before.reduce((total, model) => total + model.ints.length, 0)
  const bools = numInts + before.reduce((total, model) => total + model.numBools, 0)
  const own = models[part]
  return Float64Array.from([
    ...values.slice(ints, ints + own.ints.length),
    ...values.slice(bools, bools + own.numBools)
  ])
}

function joined(models: readonly Smt[], change: (clause: Clause, part: number) => Clause): Smt {
  let [ints, bools] = [0, 0]
  const result = { ints: [] as Smt['ints'][number][], clauses: [] as Clause[], sums: [] as Smt['sums'][number][] }
  for (const [part, model] of models.entries()) {
    const shift = (literal: Literal): Literal => {
      if ('bool' in literal) return { ...literal, bool: literal.bool + bools }
      const move = (x: number) => (x < 0 ? x : x + ints)
      return { x: move(literal.x), y: move(literal.y), atLeast: literal.atLeast }
    }
    for (const clause of model.clauses) result.clauses.push(change(clause.map(shift), part))
    for (const { terms, atMost } of model.sums)
      result.sums.push({ terms: terms.map(([bool, bytes]) => [bool + bools, bytes] as const), atMost })
    result.ints.push(...model.ints)
    ints += model.ints.length
    bools += model.numBools
  }
  return { kind: 'smt', numBools: bools, ...result }
}

function partOfSum(models: readonly Smt[], index: number): number {
  let seen = 0
  return models.findIndex(model => {
    seen += model.sums.length
    return index < seen
  })
}
