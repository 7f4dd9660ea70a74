import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { type Fault, FaultError } from '../../base/fault.ts'
import type { Comparison } from '../compare.ts'
import type { SweepPoint } from './axes.ts'

/** The result of one point of a sweep; one line of a store. */
export type SweepRecord = {
  readonly format: 'tropipe.sweep/1'
  /** Hash of all that the result depends on. */
  readonly key: string
  /** Place of the point among all of the sweep, from 0, so that merged tables have one order. */
  readonly index: number
  readonly point: SweepPoint
  /** Share of the encoder in all work. */
  readonly encoderShare: number
  /** The comparison, or why the point has none. */
  readonly comparison?: Comparison
  readonly refused?: string
}

/** Key of a point's result: the instance by its hash, the point, and everything that steers the comparison. */
export function recordKey(instance: string, point: SweepPoint, settings: unknown): string {
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify([instance, Object.entries(point), settings])))).slice(0, 32)
}

/** A record as a line of a store. */
export function recordLine(record: SweepRecord): string {
  return `${JSON.stringify(record)}\n`
}

/**
 * Records of a store. A last line that is not complete is what a killed run leaves: it is left out and `torn` says so.
 * @throws FaultError NOT_A_SWEEP for anything else that is no record
 */
export function parseStore(text: string, path: string): { readonly records: SweepRecord[]; readonly torn: boolean } {
  const lines = text.split('\n')
  const last = lines.pop() ?? ''
  const faults: Fault[] = []
  const records = lines.flatMap((line, index): SweepRecord[] => {
    const record = recordOf(line)
    if (record) return [record]
    faults.push({
      code: 'NOT_A_SWEEP',
      path: `${path}:${index + 1}`,
      value: line.slice(0, 80),
      message: 'the line is no result of a sweep',
      advice: 'Give a store that `tropipe compare --sweep` wrote.'
    })
    return []
  })
  if (faults.length > 0) throw new FaultError(faults)
  return { records, torn: last !== '' }
}

function recordOf(line: string): SweepRecord | undefined {
  try {
    const value: unknown = JSON.parse(line)
    const isRecord =
      typeof value === 'object' &&
      value !== null &&
      'format' in value &&
      value.format === 'tropipe.sweep/1' &&
      'key' in value
    return isRecord ? (value as SweepRecord) : undefined
  } catch {
    return undefined
  }
}

/** Records of several stores as one, each key once, in the order of the sweep. */
export function mergeRecords(stores: readonly (readonly SweepRecord[])[]): SweepRecord[] {
  const byKey = new Map(stores.flat().map(record => [record.key, record]))
  return [...byKey.values()].sort((a, b) => a.index - b.index || (a.key < b.key ? -1 : 1))
}
