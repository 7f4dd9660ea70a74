import { maximum, range } from '../../base/arrays.ts'
import { type Fault, FaultError, fail } from '../../base/fault.ts'
import { checkInstance, type InstanceDocument } from '../../instance/index.ts'
import type { Assumption } from '../assumption.ts'
import { median, type Statistics, statisticsOf } from './statistics.ts'
import type { ProfilePart, RankTotal, SpanKind } from './types.ts'

/** What a profile does not say. `ranks` and `microbatches` are needed for totals; else they come from the spans. */
export type ProfileRequest = {
  readonly name: string
  readonly ranks?: number
  readonly microbatches?: number
  readonly trainable: boolean
}

/** A measured instance out of a profile. */
export type Profiled = {
  readonly document: InstanceDocument
  readonly statistics?: Statistics
  readonly assumptions: readonly Assumption[]
  readonly notes: readonly string[]
}

/** Longest believable event: an hour. Beyond, the unit is wrong. */
const LONGEST_US = 3.6e9
/** Below this spread over microbatches a stage gets one number for all. */
const ALIKE = 0.05

/** Turns a profile into an instance: medians over steps, per microbatch where they differ. */
export function instanceOfProfile(part: ProfilePart, request: ProfileRequest): Profiled {
  checkUnits(part)
  if (part.spans.length > 0) return fromSpans(part, request)
  if (part.totals.length > 0) return fromTotals(part, request)
  return fail('PROFILE_EMPTY', 'profile', 0, 'the profile has no measurements', 'Give a trace or a table of times.')
}

function checkUnits(part: ProfilePart): void {
  const faults: Fault[] = [...part.spans, ...part.totals]
    .filter(one => one.us > LONGEST_US)
    .slice(0, 20)
    .map(one => ({
      code: 'UNIT_IMPLAUSIBLE',
      path: one.from,
      value: one.us,
      message: `${(one.us / 3.6e9).toFixed(1)} hours for one piece of work: longer than an epoch takes`,
      advice: 'Check the unit: traces are in microseconds, a CSV names its own (duration_us, duration_ms, duration_s).'
    }))
  if (faults.length > 0) throw new FaultError(faults)
}

function fromSpans(part: ProfilePart, request: ProfileRequest): Profiled {
  const statistics = statisticsOf(part.spans)
  const stages = 1 + maximum(part.spans.map(span => span.stage))
  const microbatches = 1 + maximum(part.spans.map(span => span.microbatch))
  if (stages === 0)
    fail(
      'PROFILE_INCOMPLETE',
      'profile',
      undefined,
      'no stage of the backbone was measured',
      'Give the traces of all ranks.'
    )
  const ranks = request.ranks ?? stages
  if (stages % ranks !== 0)
    fail(
      'STAGE_COUNT',
      '--ranks',
      ranks,
      `${stages} stages do not spread evenly over ${ranks} ranks`,
      `Use a divisor of ${stages}.`
    )
  if (request.microbatches !== undefined && request.microbatches !== microbatches)
    fail(
      'PROFILE_MICROBATCHES',
      '--microbatches',
      request.microbatches,
      `the profile has ${microbatches} microbatches`,
      'Leave the option out, or give the profile of such a run.'
    )
  const times = new Times(statistics, microbatches)
  const isSplit = statistics.stages.some(one => one.kind === 'I')
  const regions = [
    ...sourceOf(statistics, times, request.trainable),
    {
      name: 'llm',
      trainable: true,
      stages: range(stages).map(stage => ({
        forward: times.list('F', stage),
        backward: isSplit ? { input: times.list('I', stage), weight: times.list('W', stage) } : times.list('B', stage)
      }))
    }
  ]
  times.finish()
  const assumptions: Assumption[] = [
    { field: 'communication', value: 0, why: 'transfers are not measured by the marked spans' },
    { field: 'memory', value: 'unlimited', why: 'a trace does not say what is kept' }
  ]
  return { ...finish(request, ranks, microbatches, regions), statistics, assumptions, notes: part.notes }
}

function sourceOf(statistics: Statistics, times: Times, trainable: boolean) {
  if (!statistics.stages.some(one => one.kind === 'E')) return []
  const trained = statistics.stages.some(one => one.kind === 'EB')
  const forward = times.encodes('E')
  const backward = trained ? times.encodes('EB') : 0
  return [{ name: 'vision', trainable: trained || trainable, stages: [{ forward, backward }] }]
}

/** Medians by kind, stage and microbatch; remembers what is missing. */
class Times {
  readonly #cells: ReadonlyMap<string, number>
  readonly #microbatches: number
  readonly #missing: string[] = []

  constructor(statistics: Statistics, microbatches: number) {
    this.#microbatches = microbatches
    this.#cells = new Map(
      statistics.microbatches.map(one => [`${one.kind}/${one.stage}/${one.microbatch}`, one.median])
    )
  }

  /** Whole microseconds per microbatch, or one number where they are alike. */
  list(kind: SpanKind, stage: number): number | number[] {
    const values = range(this.#microbatches).map(m => this.#cells.get(`${kind}/${stage}/${m}`))
    const found = values.filter(value => value !== undefined)
    if (found.length < this.#microbatches)
      this.#missing.push(
        found.length === 0
          ? `${kind} of stage ${stage}`
          : `${kind} of stage ${stage}, ${this.#microbatches - found.length} microbatches`
      )
    const middle = median(found)
    const alike = found.every(value => Math.abs(value - middle) <= (ALIKE / 2) * middle)
    return alike ? Math.round(middle) : found.map(Math.round)
  }

  /** Whole microseconds of the encoder per microbatch; 0 where none was measured: a text-only microbatch. */
  encodes(kind: 'E' | 'EB'): number[] {
    return range(this.#microbatches).map(m => Math.round(this.#cells.get(`${kind}/-1/${m}`) ?? 0))
  }

  finish(): void {
    if (this.#missing.length === 0) return
    const shown = this.#missing.slice(0, 6).join('; ')
    const more = this.#missing.length > 6 ? ` and ${this.#missing.length - 6} more` : ''
    fail(
      'PROFILE_INCOMPLETE',
      'profile',
      this.#missing.length,
      `not measured: ${shown}${more}`,
      'Give the traces of all ranks, of at least two complete steps.'
    )
  }
}

function fromTotals(part: ProfilePart, request: ProfileRequest): Profiled {
  const byRank = new Map<number, RankTotal[]>()
  for (const total of part.totals) byRank.set(total.rank, [...(byRank.get(total.rank) ?? []), total])
  const ranks = request.ranks ?? byRank.size
  const { microbatches } = request
  if (microbatches === undefined)
    return fail(
      'PROFILE_MICROBATCHES',
      '--microbatches',
      undefined,
      'computing time per rank does not say how many microbatches a step has',
      'Give --microbatches M.'
    )
  const ordered = [...byRank.keys()].sort((a, b) => a - b)
  if (ordered.length % ranks !== 0)
    fail(
      'STAGE_COUNT',
      '--ranks',
      ranks,
      `${ordered.length} ranks were measured`,
      `Use a divisor of ${ordered.length}.`
    )
  const share = ordered.length / ranks
  const stages = range(ranks).map(rank => {
    const members = ordered.slice(rank * share, (rank + 1) * share)
    const slowest = maximum(members.map(member => median(byRank.get(member)!.map(one => one.us))))
    const forward = Math.round(slowest / microbatches / 3)
    return { forward, backward: Math.round(slowest / microbatches) - forward }
  })
  const assumptions: Assumption[] = [
    {
      field: 'stages',
      value: 'estimated',
      why: `computing time of a step / ${microbatches} microbatches, a third of it forward; encoder work is inside`
    },
    {
      field: 'ranks',
      value: ranks,
      why: `${ordered.length} measured ranks, ${share} per pipeline rank, the slowest counts`
    }
  ]
  const regions = [{ name: 'llm', trainable: true, stages }]
  return { ...finish(request, ranks, microbatches, regions), assumptions, notes: part.notes }
}

function finish(
  request: ProfileRequest,
  ranks: number,
  microbatches: number,
  regions: readonly { readonly name: string }[]
) {
  const skeletons = regions.map(region => (region.name === 'vision' ? 'transpose' : '1f1b'))
  const checked = checkInstance({
    format: 'tropipe.instance/1',
    name: request.name,
    description: 'measured by a profile',
    source: 'medians over the steps of a profile, warm-up and outliers left out',
    unit: 'us',
    ranks,
    microbatches,
    schedule: `<${skeletons.join(', ')}>`,
    regions
  } as never)
  if (!checked.ok) throw new FaultError(checked.faults)
  return { document: checked.document }
}
