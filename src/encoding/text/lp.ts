import type { Milp, Term } from '../model/types.ts'

const LINE = 200

/**
 * CPLEX LP text of a model (sections Minimize, Subject To, Bounds, Generals, End), variables x0, x1, ... Read by glpsol --lp,
 * cbc, HiGHS and others. Every variable gets explicit bounds.
 */
export function writeLp(model: Milp): string {
  const lines = ['Minimize', ...wrap(' obj: ', model.objective.length ? model.objective : [[0, 0]]), 'Subject To']
  for (const [index, { terms, lower, upper }] of model.rows.entries()) {
    if (terms.length === 0) {
      if ((lower ?? 0) > 0 || (upper ?? 0) < 0) lines.push(` c${index}: 0 x0 >= 1`)
      continue
    }
    if (lower !== undefined && lower === upper) lines.push(...wrap(` c${index}: `, terms, ` = ${number(lower)}`))
    else {
      if (lower !== undefined) lines.push(...wrap(` c${index}l: `, terms, ` >= ${number(lower)}`))
      if (upper !== undefined) lines.push(...wrap(` c${index}u: `, terms, ` <= ${number(upper)}`))
    }
  }
  lines.push('Bounds')
  for (const [index, { lower, upper }] of model.variables.entries())
    lines.push(lower === upper ? ` x${index} = ${number(lower)}` : ` ${number(lower)} <= x${index} <= ${number(upper)}`)
  const whole = model.variables.flatMap((variable, index) => (variable.integer ? [`x${index}`] : []))
  if (whole.length > 0) lines.push('Generals', ...whole.map(name => ` ${name}`))
  return `${lines.join('\n')}\nEnd\n`
}

function wrap(head: string, terms: readonly Term[], tail = ''): string[] {
  const lines: string[] = []
  let line = head
  for (const [index, [variable, coefficient]] of terms.entries()) {
    const sign = coefficient < 0 ? '- ' : index === 0 ? '' : '+ '
    const text = `${sign}${number(Math.abs(coefficient))} x${variable} `
    if (line.length + text.length > LINE) {
      lines.push(line)
      line = '  '
    }
    line += text
  }
  return [...lines, `${line.trimEnd()}${tail}`]
}

/** A number without exponent surprises: LP readers take `2e5` for a name where it follows a name. */
function number(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+inf'
  if (value === Number.NEGATIVE_INFINITY) return '-inf'
  return Number.isInteger(value) ? BigInt(value).toString() : String(value)
}
