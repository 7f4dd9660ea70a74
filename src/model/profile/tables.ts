import { fail } from '../../base/fault.ts'
import { cellNumber, parseTable } from './csv.ts'
import { type ProfileFile, type ProfilePart, type RankTotal, SPAN_KINDS, type Span, type SpanKind } from './types.ts'

type Row = Map<string, string>

/** What a table of a profile is, by its header. */
export type TableKind = 'stage-times' | 'step-trace' | 'kernel-details'

/** Recognises a table by its header; undefined for others. */
export function tableKind(header: readonly string[]): TableKind | undefined {
  const has = (name: string) => header.includes(name)
  if (has('Computing') && has('Free')) return 'step-trace'
  if (has('Duration(us)') && has('Accelerator Core')) return 'kernel-details'
  if (has('kind') && has('microbatch') && header.some(name => name.startsWith('duration'))) return 'stage-times'
  return undefined
}

/** Microseconds per unit of a `duration_<unit>` column; plain `duration` is microseconds. */
const UNITS: Readonly<Record<string, number>> = {
  duration: 1,
  duration_us: 1,
  duration_ms: 1e3,
  duration_s: 1e6,
  duration_ns: 1e-3
}

/** `kind,stage,microbatch,duration[,step]`: one line per measurement; stage may be empty for E and EB. */
export function readStageTimes({ name, text }: ProfileFile): ProfilePart {
  const { header, rows } = parseTable(text)
  const column = header.find(one => Object.hasOwn(UNITS, one))
  if (column === undefined)
    return fail(
      'PROFILE_UNIT',
      name,
      header.join(','),
      'no column says in which unit durations are',
      `Name it ${Object.keys(UNITS).join(', ')}.`
    )
  const seen = new Map<string, number>()
  const spans = rows.map((row, index): Span => {
    const at = `${name} line ${index + 2}`
    const kind = row.get('kind') as SpanKind
    if (!SPAN_KINDS.includes(kind))
      fail(
        'PROFILE_KIND',
        at,
        row.get('kind'),
        `"${row.get('kind')}" is not a kind of work`,
        `Use ${SPAN_KINDS.join(', ')}.`
      )
    const stage = kind === 'E' || kind === 'EB' ? -1 : whole(row, 'stage', at)
    const microbatch = whole(row, 'microbatch', at)
    const value = cellNumber(row.get(column))
    if (value === undefined || value < 0)
      return fail('PROFILE_NUMBER', at, row.get(column), `${column} is not a duration`, 'Write a number of at least 0.')
    const key = `${kind}/${stage}/${microbatch}`
    const turn = seen.get(key) ?? 0
    seen.set(key, turn + 1)
    const step = header.includes('step') ? whole(row, 'step', at) : turn
    return { kind, stage, microbatch, step, us: value * UNITS[column], from: at }
  })
  return { spans, totals: [], notes: [] }
}

function whole(row: Row, column: string, at: string): number {
  const value = cellNumber(row.get(column))
  if (value !== undefined && Number.isInteger(value) && value >= 0 && value <= 1e6) return value
  return fail('PROFILE_NUMBER', at, row.get(column), `${column} is not a whole number`, 'Count from 0.')
}

/** Ascend `step_trace_time.csv` or `cluster_step_trace_time.csv`: time that each rank computed, per step. */
export function readStepTrace({ name, text }: ProfileFile, order: number): ProfilePart {
  const { rows } = parseTable(text)
  const ranked = rows.filter(row => (row.get('Type') ?? 'rank') === 'rank')
  const totals = ranked.flatMap((row, index): RankTotal[] => {
    const us = cellNumber(row.get('Computing'))
    if (us === undefined || us < 0) return []
    const stated = cellNumber(row.get('Index')) ?? cellNumber(row.get('Device_id'))
    const step = cellNumber(row.get('Step'))
    return [
      { rank: stated ?? order, step: step ?? (row.has('Index') ? 0 : index), us, from: `${name} line ${index + 2}` }
    ]
  })
  if (totals.length === 0)
    fail('PROFILE_EMPTY', name, rows.length, 'no row gives the computing time of a rank', 'Give the complete table.')
  return { spans: [], totals, notes: [`${name}: computing time only: stages are estimated, not measured`] }
}

/** Ascend `kernel_details.csv` of one rank: kernels of compute cores summed per step; communication is left out. */
export function readKernelDetails({ name, text }: ProfileFile, order: number): ProfilePart {
  const { rows } = parseTable(text)
  const sums = new Map<number, number>()
  let skipped = 0
  for (const row of rows) {
    const us = cellNumber(row.get('Duration(us)'))
    const isExchange = row.get('Accelerator Core') === 'HCCL' || /^hcom/i.test(row.get('Type') ?? '')
    if (us === undefined || us < 0 || isExchange) skipped++
    else {
      const step = cellNumber(row.get('Step Id')) ?? 0
      sums.set(step, (sums.get(step) ?? 0) + us)
    }
  }
  if (sums.size === 0)
    fail('PROFILE_EMPTY', name, rows.length, 'no kernel of a compute core is listed', 'Give the complete table.')
  const rank = Number(/rank[_-]?(\d+)/i.exec(name)?.[1] ?? order)
  return {
    spans: [],
    totals: [...sums].map(([step, us]) => ({ rank, step, us, from: name })),
    notes: [`${name}: ${skipped} rows of communication or without a duration passed over; stages are estimated`]
  }
}
