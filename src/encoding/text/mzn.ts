import type { Cp, CpConstraint, CpInterval, CpLiteral, Term } from '../model/types.ts'

/**
 * MiniZinc text of an interval model; variables x0, x1, ..., printed as `x0 = 5` lines. Includes only what Gecode's library
 * of old MiniZinc releases can load; no-overlap is written out in pairs, for its optional intervals.
 */
export function writeMzn(model: Cp): string {
  const lines = ['include "cumulative.mzn";']
  for (const [index, { lower, upper }] of model.variables.entries()) lines.push(`var ${lower}..${upper}: x${index};`)
  for (const { start, end, size, presence } of model.intervals)
    lines.push(`constraint ${given(presence ? [presence] : [])}x${start} + ${sizeText(size)} = x${end};`)
  for (const constraint of model.constraints) lines.push(...constraintLines(model, constraint))
  lines.push(model.objective.length > 0 ? `solve minimize ${sumText(model.objective)};` : 'solve satisfy;')
  const output = model.variables.map((_, index) => `"x${index} = ", show(x${index}), "\\n"`)
  lines.push(`output [${output.join(', ')}];`)
  return `${lines.join('\n')}\n`
}

function sizeText(size: CpInterval['size']): string {
  return typeof size === 'number' ? String(size) : `x${size.variable}`
}

function sumText(terms: readonly Term[]): string {
  return terms.length === 0 ? '0' : terms.map(([x, c]) => `${c} * x${x}`).join(' + ')
}

function literalText({ variable, value }: CpLiteral): string {
  return `x${variable} = ${value ? 1 : 0}`
}

function given(literals: readonly CpLiteral[]): string {
  return literals.length === 0 ? '' : `(${literals.map(literalText).join(' /\\ ')}) -> `
}

function constraintLines(model: Cp, constraint: CpConstraint): string[] {
  switch (constraint.kind) {
    case 'linear': {
      const [when, sum] = [given(constraint.when ?? []), sumText(constraint.terms)]
      const sides = [
        ...(constraint.lower === undefined ? [] : [`${sum} >= ${constraint.lower}`]),
        ...(constraint.upper === undefined ? [] : [`${sum} <= ${constraint.upper}`])
      ]
      return sides.map(side => `constraint ${when}${when ? `(${side})` : side};`)
    }
    case 'exactly-one':
      return [`constraint ${constraint.literals.map(one => `bool2int(${literalText(one)})`).join(' + ') || '0'} = 1;`]
    case 'or':
      return [`constraint ${constraint.literals.map(literalText).join(' \\/ ') || 'false'};`]
    case 'no-overlap':
      return pairs(constraint.intervals.map(index => model.intervals[index]))
    case 'cumulative':
      return [cumulativeText(model, constraint)]
    case 'reservoir':
      return reservoirLines(constraint)
  }
}

function pairs(intervals: readonly CpInterval[]): string[] {
  return intervals.flatMap((a, i) =>
    intervals.slice(i + 1).map(b => {
      const when = given([a.presence, b.presence].filter(literal => literal !== undefined))
      return `constraint ${when}(x${a.end} <= x${b.start} \\/ x${b.end} <= x${a.start});`
    })
  )
}

function cumulativeText(model: Cp, constraint: CpConstraint & { readonly kind: 'cumulative' }): string {
  const intervals = constraint.intervals.map(index => model.intervals[index])
  const demands = intervals.map(({ presence }, i) =>
    presence ? `${constraint.demands[i]} * bool2int(${literalText(presence)})` : String(constraint.demands[i])
  )
  const starts = intervals.map(({ start }) => `x${start}`).join(', ')
  const sizes = intervals.map(({ size }) => sizeText(size)).join(', ')
  return `constraint cumulative([${starts}], [${sizes}], [${demands.join(', ')}], ${constraint.capacity});`
}

function reservoirLines({
  times,
  changes,
  active,
  atLeast,
  atMost
}: CpConstraint & { readonly kind: 'reservoir' }): string[] {
  return times.flatMap((time, at) => {
    const level = times.map((other, i) => {
      const here = active?.[i] ? ` /\\ ${literalText(active[i])}` : ''
      return `${changes[i]} * bool2int(x${other} <= x${time}${here})`
    })
    const when = given(active?.[at] ? [active[at]] : [])
    return [`constraint ${when}(${level.join(' + ')} >= ${atLeast} /\\ ${level.join(' + ')} <= ${atMost});`]
  })
}
