import { maximum, range, sum } from '../../base/arrays.ts'
import { placementBounds } from '../../bounds/index.ts'
import { bodyOrder, bodySequences } from '../../schedule/body.ts'
import { buildProblem } from '../../schedule/build.ts'
import type { Measured } from '../../schedule/measured.ts'
import { type Attribution, attribute, makespanOf } from './attribution.ts'
import { ASSUMED, instanceOf, PUBLISHED, type Published, READINGS, type Reading, stageOf } from './experiments.ts'

/** One reading, published against computed; times in seconds. */
export type PaperRow = {
  readonly reading: Reading
  readonly published: Published
  readonly computed: { readonly baseline: number; readonly transposed: number }
  readonly policies: Readonly<Record<string, number>>
  readonly lowerBound: number
  readonly attribution: Attribution
  /** Which cause the reading names: the largest part of the gain. */
  readonly cause: 'slow encoder stage' | 'freed stage' | 'encoder fused into stage 0'
}

/** One point of the sweep around a reading. */
export type SweepPoint = {
  readonly vary: 'ranks' | 'microbatches' | 'encoder share' | 'variance'
  readonly value: number
  readonly baseline: number
  readonly transposed: number
  readonly greedy: number
  readonly lowerBound: number
}

/** `tropipe.paper/1`. Times in seconds. */
export type PaperDocument = {
  readonly format: 'tropipe.paper/1'
  readonly source: string
  readonly assumed: readonly string[]
  readonly rows: readonly PaperRow[]
  readonly sweep: readonly SweepPoint[]
}

const POLICIES = ['inline', 'dedicated', 'transpose-full', 'transpose-min', 'transpose-greedy'] as const
const US = 1e6

/** The published table reproduced by every reading, and the sweep around Experiment A's first reading. */
export function paperTable(sampling = SAMPLING): PaperDocument {
  return {
    format: 'tropipe.paper/1',
    source: 'arXiv 2607.03229v1, Experiments A and B',
    assumed: ASSUMED,
    rows: READINGS.map(rowOf),
    sweep: sweepAround(READINGS[0], sampling)
  }
}

function seconds(measured: Measured, id: string): number {
  return makespanOf(measured, id) / measured.ticksPerUnit / US
}

/** `transpose-full` with every encoder backward recomputed on the first rank, as the stock runtime does by default. */
function firstRank(measured: Measured): number {
  return seconds({ ...measured, encoderBackward: 'first-rank' }, 'transpose-full')
}

function boundOf(measured: Measured): number {
  const problem = buildProblem(measured)
  const [best] = placementBounds(problem, bodySequences(problem, bodyOrder(measured)))
  return best.ticks / measured.ticksPerUnit / US
}

function rowOf(reading: Reading): PaperRow {
  const measured = instanceOf({ ...reading, name: reading.id })
  const attribution = attribute(measured, reading.baseline)
  return {
    reading,
    published: PUBLISHED[reading.experiment],
    computed: { baseline: attribution.baseline / US, transposed: attribution.transposed / US },
    policies: {
      ...Object.fromEntries(POLICIES.map(id => [id, seconds(measured, id)])),
      ...(reading.trainable ? { 'first-rank backward': firstRank(measured) } : {})
    },
    lowerBound: boundOf(measured),
    attribution,
    cause: causeOf(reading, attribution)
  }
}

function causeOf(reading: Reading, { freedStage, hiddenEncoder }: Attribution): PaperRow['cause'] {
  if (reading.baseline === 'inline') return 'encoder fused into stage 0'
  return freedStage > hiddenEncoder ? 'freed stage' : 'slow encoder stage'
}

/** How a point with variance is measured: averaged over seeds, the slowest data-parallel group of each. */
export type Sampling = { readonly seeds: number; readonly groups: number }
const SAMPLING: Sampling = { seeds: 4, groups: 8 }

/**
 * Scale, microbatches, encoder share and variance around a reading. The work of a microbatch stays (backbone total T and
 * encoder E); more ranks cut it finer, the encoder share scales E against T. With variance the slowest of several
 * data-parallel groups counts.
 */
export function sweepAround(reading: Reading, sampling = SAMPLING): SweepPoint[] {
  const total = reading.stage * reading.ranks
  const exact = (total / Math.ceil(61 / reading.ranks) / reading.ranks) * 61
  const encoder = reading.encode * (reading.trainable ? 3 : 1)
  const share = encoder / exact
  const base = { ranks: reading.ranks, microbatches: reading.microbatches, share, variation: 0 }
  const at = (vary: SweepPoint['vary'], value: number, change: Partial<typeof base>) =>
    pointOf(reading, exact, vary, value, { ...base, ...change }, sampling)
  return [
    ...[4, 8, 16, 32].map(ranks => at('ranks', ranks, { ranks })),
    ...[16, 32, 64, 128].map(microbatches => at('microbatches', microbatches, { microbatches })),
    ...[0.05, 0.1, 0.2, 0.4, 0.8].map(value => at('encoder share', value, { share: value })),
    ...[0, 0.15, 0.3, 0.6].map(variation => at('variance', variation, { variation }))
  ]
}

type Point = {
  readonly ranks: number
  readonly microbatches: number
  readonly share: number
  readonly variation: number
}

function pointOf(
  reading: Reading,
  total: number,
  vary: SweepPoint['vary'],
  value: number,
  point: Point,
  sampling: Sampling
): SweepPoint {
  const { ranks, microbatches, share, variation } = point
  const encode = (share * total) / (reading.trainable ? 3 : 1)
  const { seeds, groups } = variation > 0 ? sampling : { seeds: 1, groups: 1 }
  const steps = range(seeds).map(seed =>
    range(groups).map(group =>
      instanceOf({
        ...{ ranks, microbatches, encode, variation, seed: 1 + seed * groups + group, trainable: reading.trainable },
        ...stageOf(total, ranks),
        name: 'sweep'
      })
    )
  )
  const mean = (of: (measured: Measured) => number) => sum(steps.map(step => maximum(step.map(of)))) / steps.length
  return {
    vary,
    value,
    baseline: mean(measured => seconds(measured, reading.baseline)),
    transposed: mean(measured => seconds(measured, 'transpose-full')),
    greedy: mean(measured => seconds(measured, 'transpose-greedy')),
    lowerBound: mean(boundOf)
  }
}
