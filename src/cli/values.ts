import { InvalidArgumentError } from 'commander'

/** Reads a whole number of at least `least`. @throws InvalidArgumentError */
export function parseCount(least: number): (text: string) => number {
  return text => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (!Number.isSafeInteger(value) || value < least)
      throw new InvalidArgumentError(`Give a whole number of at least ${least}.`)
    return value
  }
}

const MILLISECONDS = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000 } as const

/** Reads a duration such as `90s`, `500ms`, `2m` or `1.5h` into milliseconds; a bare number is seconds. @throws InvalidArgumentError */
export function parseDuration(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|min|h)?$/.exec(text)
  const value = match ? Number(match[1]) * MILLISECONDS[(match[2] ?? 's') as keyof typeof MILLISECONDS] : Number.NaN
  if (!(value > 0) || !Number.isFinite(value)) throw new InvalidArgumentError('Give a time such as 60s, 500ms or 2m.')
  return value
}

/** Reads a comma-separated list of names. @throws InvalidArgumentError */
export function parseNames(text: string): readonly string[] {
  const names = text.split(',').map(name => name.trim())
  if (names.some(name => name === '')) throw new InvalidArgumentError('Give names separated by commas.')
  return [...new Set(names)]
}

/** Reads a comma-separated list of whole numbers of at least 0. @throws InvalidArgumentError */
export function parseCounts(text: string): readonly number[] {
  return text.split(',').map(word => parseCount(0)(word.trim()))
}

/** An inclusive range of counts. */
export type Range = { readonly from: number; readonly to: number }

/** Reads `2..8`, or `4` for `4..4`, both from 1 on. @throws InvalidArgumentError */
export function parseRange(text: string): Range {
  const match = /^(\d{1,7})(?:\.\.(\d{1,7}))?$/.exec(text)
  const [from, to] = match ? [Number(match[1]), Number(match[2] ?? match[1])] : [0, 0]
  if (from < 1 || to < from) throw new InvalidArgumentError('Give a range such as 2..8.')
  return { from, to }
}

/** An owner rule that reads durations, or owners one by one. */
export type OwnersOption = 'greedy' | 'optimal' | readonly number[]

/** Reads `greedy`, `optimal`, or a comma-separated list of ranks. @throws InvalidArgumentError */
export function parseOwners(text: string): OwnersOption {
  if (text === 'greedy' || text === 'optimal') return text
  const ranks = text.split(',').map(part => (/^\s*\d+\s*$/.test(part) ? Number(part) : Number.NaN))
  if (ranks.some(rank => !Number.isSafeInteger(rank)))
    throw new InvalidArgumentError('Give greedy, optimal, or ranks such as 0,1,2,0.')
  return ranks
}
