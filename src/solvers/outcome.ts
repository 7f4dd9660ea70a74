import type { Engine, Outcome, Status, Stop } from './port.ts'

const LONGEST = 600

/** Text that a person can read: one minified source dump or stack becomes its first few hundred characters. */
export function readable(text: unknown): string {
  const full = text instanceof Error ? text.message || text.name : typeof text === 'string' ? text : String(text)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: solver output may carry terminal codes
  const plain = full.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, ' ').trim()
  return plain.length <= LONGEST ? plain : `${plain.slice(0, LONGEST)} ... (${plain.length} characters in all)`
}

/** Engine of a backend that could not even say its version. */
export function unknownEngine(id: string): Engine {
  return { name: id, version: 'unknown' }
}

/** An outcome without any point. */
export function pointless(stop: Stop, engine: Engine, raw: unknown, status?: Status): Outcome {
  return { stop, engine, raw: readable(raw), ...(status ? { status } : {}) }
}

/** An outcome with a point. */
export function withPoint(
  stop: Stop,
  status: Status,
  values: Float64Array,
  engine: Engine,
  raw: unknown,
  claimedBound?: number
): Outcome {
  const bound = claimedBound !== undefined && Number.isFinite(claimedBound) ? { claimedBound } : {}
  return { stop, status, values, engine, raw: readable(raw), ...bound }
}
