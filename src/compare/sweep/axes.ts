import { range } from '../../base/arrays.ts'
import { fail } from '../../base/fault.ts'
import { didYouMean } from '../../base/suggest.ts'
import { LIMITS } from '../../instance/limits.ts'

/** What a sweep can vary: sizes of the instance, or factors on its numbers. */
export const AXES = {
  ranks: { kind: 'count', most: LIMITS.ranks, words: 'number of ranks; the backbone is cut anew into equal shares' },
  microbatches: {
    kind: 'count',
    most: LIMITS.microbatches,
    words: 'number of microbatches; their durations repeat in a cycle'
  },
  chunks: { kind: 'count', most: LIMITS.encoderParts, words: 'chunks that every encoder task is cut into' },
  encoder: { kind: 'factor', words: 'factor on every duration of the encoder' },
  communication: {
    kind: 'factor',

    words: 'factor on every transfer, broadcast and reduction'
  },
  capacity: { kind: 'factor', words: 'factor on the memory capacity' }
} as const

export type AxisName = keyof typeof AXES

/** An axis with its values, ascending. */
export type Axis = { readonly name: AxisName; readonly values: readonly number[] }

/** One combination of values; axes that are not swept are absent. */
export type SweepPoint = { readonly [K in AxisName]?: number }

/** Points of a range of factors where their number is not given. */
const FACTOR_POINTS = 9

/** Most combinations of one sweep. */
const MOST_POINTS = 100_000

/** Name, then a list of numbers, or a range with its number of points. */
const AXIS = /^([a-z]+)=(?:(\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)|(\d+(?:\.\d+)?)\.\.(\d+(?:\.\d+)?)(?::(\d{1,4}))?)$/

/**
 * Reads `ranks=2..16`, `encoder=0.1..4`, `encoder=0.1..4:5` (five points, evenly spaced in ratio) or `ranks=2,4,8`.
 * @throws FaultError SWEEP_SYNTAX
 */
export function parseAxis(text: string): Axis {
  const [word] = text.trim().split('=')
  if (!Object.hasOwn(AXES, word)) return refuse(text, `there is no axis "${word}"`, didYouMean(word, Object.keys(AXES)))
  const name = word as AxisName
  const match = AXIS.exec(text.trim())
  if (!match) return refuse(text, `${name} has no such values`)
  const axis = AXES[name]
  const count = axis.kind === 'count'
  const most = 'most' in axis ? axis.most : Number.MAX_SAFE_INTEGER
  if (Math.max(...(match[2] ?? `${match[3]},${match[4]}`).split(',').map(Number)) > most)
    return refuse(text, `${name} go up to ${most}`)
  const values = match[2] === undefined ? between(match, text, count) : match[2].split(',').map(Number)
  const wrong = values.find(value => !(value > 0) || !Number.isFinite(value) || (count && !Number.isInteger(value)))
  if (values.length === 0 || wrong !== undefined)
    return refuse(text, `${count ? 'counts are whole and' : 'factors are'} above 0`)
  return { name, values: [...new Set(values)].sort((a, b) => a - b) }
}

function between(match: RegExpExecArray, text: string, count: boolean): number[] {
  const [low, high] = [Number(match[3]), Number(match[4])]
  const points = match[5] === undefined ? undefined : Number(match[5])
  if (!(low > 0) || !(high >= low)) return refuse(text, 'a range goes from a smaller to a larger number above 0')
  if (count) {
    const all = range(Math.floor(high) - Math.ceil(low) + 1).map(i => Math.ceil(low) + i)
    return points === undefined || points >= all.length ? all : thinned(all, points)
  }
  const wanted = points ?? FACTOR_POINTS
  if (wanted < 2 || low === high) return [low]
  return range(wanted).map(i => Number((low * (high / low) ** (i / (wanted - 1))).toPrecision(6)))
}

/** Evenly spaced members of a list, first and last included. */
function thinned(all: readonly number[], points: number): number[] {
  if (points < 2) return [all[0]]
  return range(points).map(i => all[Math.round((i * (all.length - 1)) / (points - 1))])
}

function refuse(text: string, message: string, advice?: string): never {
  const names = Object.keys(AXES).join(', ')
  return fail(
    'SWEEP_SYNTAX',
    '--sweep',
    text,
    message,
    advice ?? `Write ranks=2..16, encoder=0.1..4 or ranks=2,4,8; axes: ${names}.`
  )
}

/** Every combination of the axes' values, the last axis fastest. Without axes one empty point. @throws FaultError SWEEP_AXIS */
export function gridOf(axes: readonly Axis[]): SweepPoint[] {
  const twice = axes.find((axis, index) => axes.slice(0, index).some(other => other.name === axis.name))
  if (twice) fail('SWEEP_AXIS', '--sweep', twice.name, `the axis ${twice.name} is given twice`, 'Give each axis once.')
  const points = axes.reduce((product, { values }) => product * values.length, 1)
  if (points > MOST_POINTS)
    fail(
      'SWEEP_AXIS',
      '--sweep',
      points,
      `a sweep has ${MOST_POINTS} points at most`,
      'Give fewer values, e.g. ranks=2..64:8.'
    )
  return axes.reduce<SweepPoint[]>(
    (points, { name, values }) => points.flatMap(point => values.map(value => ({ ...point, [name]: value }))),
    [{}]
  )
}

/** A point as people write it, e.g. `ranks=4 encoder=0.5`. */
export function pointText(point: SweepPoint): string {
  return Object.entries(point)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')
}
