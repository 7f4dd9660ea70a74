import { fail } from '../../base/fault.ts'
import type { ProfileFile, ProfilePart, Span, SpanKind } from './types.ts'

type Event = {
  readonly name: string
  readonly start: number
  readonly us: number
  readonly device: boolean
}

/** Actions that take no compute of their own: transfers and parameter exchanges. */
const EXCHANGE = /(SEND|RECV|UNSHARD|RESHARD|REDUCE|BROADCAST|DATA_LOAD)/

/** What a marker says: work of a stage or of the encoder, an exchange, or an overlapped pair. */
export type Marker =
  | { readonly kind: 'work'; readonly work: SpanKind; readonly stage: number; readonly microbatch: number }
  | { readonly kind: 'exchange' | 'overlap' | 'unknown' }

/** Reads `PP:<action>` (PyTorch pipelining: 0F0, 3B1, 2I0, 2W0) and `MPIPE:<TYPE>:<microbatch>` names. */
export function parseMarker(name: string): Marker | undefined {
  const mpipe = /^MPIPE:([A-Z_]+):(\d{1,7})$/.exec(name)
  if (mpipe) {
    const work = {
      MPIPE_TRANSPOSE_FWD: 'E',
      TRANSPOSE_FWD: 'E',
      MPIPE_TRANSPOSE_BWD: 'EB',
      TRANSPOSE_BWD: 'EB'
    } as const
    const type = mpipe[1]
    if (Object.hasOwn(work, type))
      return { kind: 'work', work: work[type as keyof typeof work], stage: -1, microbatch: Number(mpipe[2]) }
    return { kind: EXCHANGE.test(type) ? 'exchange' : 'unknown' }
  }
  if (!name.startsWith('PP:')) return undefined
  const action = name.slice(3)
  const plain = /^(\d{1,6})(F|B|I|W)(\d{1,7})$/.exec(action)
  if (plain) return { kind: 'work', work: plain[2] as SpanKind, stage: Number(plain[1]), microbatch: Number(plain[3]) }
  if (/OVERLAP_F_B/.test(action)) return { kind: 'overlap' }
  return { kind: EXCHANGE.test(action) ? 'exchange' : 'unknown' }
}

/**
 * Reads a PyTorch or Ascend profiler trace: an object with `traceEvents`, or a bare array; timestamps may be strings.
 * Device spans are preferred over host spans where there are any.
 */
export function readTrace({ name, text }: ProfileFile): ProfilePart {
  const events = eventsOf(name, text)
  const marked = events.filter(event => parseMarker(event.name) !== undefined)
  if (marked.length === 0)
    fail(
      'TRACE_NO_MARKERS',
      name,
      events.length,
      `none of the ${events.length} timed events of the trace says which stage and microbatch it is`,
      'Wrap each action in record_function("PP:" + action), e.g. PP:0F0 (the PyTorch pipelining runtime does), or give step_trace_time.csv for an estimate, or a CSV of stage times.'
    )
  const onDevice = marked.filter(event => event.device)
  const chosen = onDevice.length > 0 ? onDevice : marked
  const counts = { exchange: 0, overlap: 0, unknown: 0 }
  const stepOf = stepFinder(events)
  const spans: Span[] = []
  const seen = new Map<string, number>()
  for (const event of [...chosen].sort((a, b) => a.start - b.start)) {
    const marker = parseMarker(event.name)!
    if (marker.kind !== 'work') counts[marker.kind]++
    else {
      const { work: kind, stage, microbatch } = marker
      const key = `${kind}/${stage}/${microbatch}`
      const turn = seen.get(key) ?? 0
      seen.set(key, turn + 1)
      spans.push({
        kind,
        stage,
        microbatch,
        step: stepOf?.(event) ?? turn,
        us: event.us,
        from: `${name}: ${event.name}`
      })
    }
  }
  return { spans, totals: [], notes: notesOf(name, counts, onDevice.length > 0, stepOf !== undefined) }
}

function notesOf(
  name: string,
  counts: Readonly<Record<'exchange' | 'overlap' | 'unknown', number>>,
  device: boolean,
  stepped: boolean
): string[] {
  return [
    ...(device ? [] : [`${name}: no device spans: host launch times are used`]),
    ...(stepped ? [] : [`${name}: no ProfilerStep marks: the n-th time of an action counts as step n`]),
    ...(counts.exchange > 0 ? [`${name}: ${counts.exchange} transfers and exchanges passed over`] : []),
    ...(counts.overlap > 0
      ? [`${name}: ${counts.overlap} overlapped pairs passed over: give a run without overlap`]
      : []),
    ...(counts.unknown > 0 ? [`${name}: ${counts.unknown} actions of other kinds passed over`] : [])
  ]
}

function eventsOf(name: string, text: string): Event[] {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    fail('TRACE_SYNTAX', name, undefined, `not readable as JSON: ${reason}`, 'Give the complete trace file.')
  }
  const list = Array.isArray(json) ? json : (json as { traceEvents?: unknown } | null)?.traceEvents
  if (!Array.isArray(list))
    return fail(
      'TRACE_SHAPE',
      name,
      typeof json,
      'this is not a profiler trace: no list of events',
      'Give a trace with traceEvents (PyTorch) or a bare list (Ascend trace_view.json).'
    )
  const devices = devicePids(list)
  const origin = firstStamp(list)
  return list.flatMap(raw => eventOf(raw, origin, devices))
}

type Raw = Readonly<Record<string, unknown>>

function isRaw(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Processes that stand for accelerators: by label (NPU, GPU) or by name. */
function devicePids(list: readonly unknown[]): ReadonlySet<unknown> {
  const found = new Set<unknown>()
  for (const raw of list) {
    if (!isRaw(raw) || raw.ph !== 'M' || !isRaw(raw.args)) continue
    const labels = raw.name === 'process_labels' ? String(raw.args.labels) : ''
    const title = raw.name === 'process_name' ? String(raw.args.name) : ''
    if (/\b(NPU|GPU)\b/.test(labels) || title === 'Ascend Hardware') found.add(raw.pid)
  }
  return found
}

/** Whole microseconds of the first timestamp: subtracted before anything is a double. */
function firstStamp(list: readonly unknown[]): bigint {
  for (const raw of list) {
    const parts = isRaw(raw) ? stampParts(raw.ts) : undefined
    if (parts) return parts.whole
  }
  return 0n
}

function stampParts(value: unknown): { readonly whole: bigint; readonly fraction: number } | undefined {
  if (typeof value === 'number')
    return Number.isFinite(value) && Math.abs(value) < 2 ** 63
      ? { whole: BigInt(Math.floor(value)), fraction: value - Math.floor(value) }
      : undefined
  if (typeof value !== 'string') return undefined
  const match = /^(\d{1,19})(\.\d{1,12})?\s*$/.exec(value)
  return match ? { whole: BigInt(match[1]), fraction: match[2] ? Number(match[2]) : 0 } : undefined
}

function eventOf(raw: unknown, origin: bigint, devices: ReadonlySet<unknown>): Event[] {
  if (!isRaw(raw) || raw.ph !== 'X' || typeof raw.name !== 'string') return []
  const stamp = stampParts(raw.ts)
  const us = typeof raw.dur === 'string' ? Number(raw.dur) : raw.dur
  if (!stamp || typeof us !== 'number' || !Number.isFinite(us) || us < 0) return []
  const start = Number(stamp.whole - origin) + stamp.fraction
  return [{ name: raw.name, start, us, device: raw.cat === 'gpu_user_annotation' || devices.has(raw.pid) }]
}

/** Steps by `ProfilerStep#N` spans, counted from 0 in time order; undefined where there are none. */
function stepFinder(events: readonly Event[]): ((event: Event) => number) | undefined {
  const marks = events.filter(event => /^ProfilerStep#\d+$/.test(event.name)).sort((a, b) => a.start - b.start)
  const distinct = [...new Map(marks.map(mark => [mark.name, mark])).values()]
  if (distinct.length === 0) return undefined
  return event => {
    let step = 0
    distinct.forEach((mark, index) => {
      if (event.start >= mark.start) step = index
    })
    return step
  }
}
