import type { Milp } from '../model/types.ts'

/**
 * Free MPS text of a model, minimised, columns x0, x1, ... Integer columns stand between INTORG and INTEND markers and
 * always get explicit bounds: without, some readers take 0..1 and some unbounded. FREE tells cbc what others are told by an
 * option; without it, short names are read as columns of the fixed format.
 */
export function writeMps(model: Milp): string {
  const lines = ['NAME tropipe FREE', 'ROWS', ' N obj']
  for (const [index, row] of model.rows.entries()) lines.push(` ${senseOf(row)} c${index}`)
  lines.push('COLUMNS', ...columnLines(model), 'RHS')
  for (const [index, { lower, upper }] of model.rows.entries()) {
    const side = lower ?? upper ?? 0
    if (side !== 0) lines.push(` RHS c${index} ${side}`)
  }
  const ranges = model.rows.flatMap(({ lower, upper }, index) =>
    lower !== undefined && upper !== undefined && lower !== upper ? [` RNG c${index} ${upper - lower}`] : []
  )
  if (ranges.length > 0) lines.push('RANGES', ...ranges)
  lines.push('BOUNDS', ...model.variables.flatMap(boundLines))
  return `${lines.join('\n')}\nENDATA\n`
}

function senseOf({ lower, upper }: { readonly lower?: number; readonly upper?: number }): string {
  if (lower !== undefined) return lower === upper ? 'E' : 'G'
  return 'L'
}

function columnLines(model: Milp): string[] {
  const columns: string[][] = model.variables.map(() => [])
  for (const [variable, coefficient] of model.objective) columns[variable].push(` x${variable} obj ${coefficient}`)
  for (const [index, { terms }] of model.rows.entries())
    for (const [variable, coefficient] of terms) columns[variable].push(` x${variable} c${index} ${coefficient}`)
  const lines: string[] = []
  let inside = false
  for (const [index, { integer }] of model.variables.entries()) {
    if (integer !== inside) lines.push(` MARKER 'MARKER' '${integer ? 'INTORG' : 'INTEND'}'`)
    inside = integer
    lines.push(...(columns[index].length > 0 ? columns[index] : [` x${index} obj 0`]))
  }
  if (inside) lines.push(" MARKER 'MARKER' 'INTEND'")
  return lines
}

function boundLines({ lower, upper }: { readonly lower: number; readonly upper: number }, index: number): string[] {
  if (lower === upper) return [` FX BND x${index} ${lower}`]
  if (lower === Number.NEGATIVE_INFINITY && upper === Number.POSITIVE_INFINITY) return [` FR BND x${index}`]
  return [
    lower === Number.NEGATIVE_INFINITY ? ` MI BND x${index}` : ` LO BND x${index} ${lower}`,
    ...(upper === Number.POSITIVE_INFINITY ? [] : [` UP BND x${index} ${upper}`])
  ]
}
