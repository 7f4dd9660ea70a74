import { sum } from '../../base/arrays.ts'
import type { Span, SpanKind } from './types.ts'

/** Median; 0 for none. */
export function median(values: readonly number[]): number {
  if (values.length === 0) return 0
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** Measurements of one thing. `spread` is (max - min) / median. */
export type Summary = {
  readonly kind: SpanKind
  readonly stage: number
  /** Absent: over all microbatches of the stage. */
  readonly microbatch?: number
  readonly median: number
  readonly spread: number
  readonly count: number
}

/** A measurement far from the others of its stage and microbatch. */
export type Outlier = { readonly span: Span; readonly median: number }

/** What a profile says once warm-up steps and outliers are out. */
export type Statistics = {
  readonly stages: readonly Summary[]
  readonly microbatches: readonly Summary[]
  readonly outliers: readonly Outlier[]
  /** Steps that were left out, with the ratio of their time to the median step. */
  readonly warmup: readonly { readonly step: number; readonly ratio: number }[]
  readonly steps: number
}

/** A step this much longer than the median is warm-up, if no ordinary step came before it. */
const WARMUP_RATIO = 1.2
/** An outlier is this many robust deviations away, and at least by `OUTLIER_SHARE` of the median. */
const OUTLIER_DEVIATIONS = 6
const OUTLIER_SHARE = 0.3

/** Medians and spreads per stage and per microbatch; the first step is warm-up where there are several. */
export function statisticsOf(spans: readonly Span[]): Statistics {
  const warmup = warmupSteps(spans)
  const left = new Set(warmup.map(one => one.step))
  const kept = spans.filter(span => !left.has(span.step))
  const cells = grouped(kept, span => `${span.kind}/${span.stage}/${span.microbatch}`)
  const outliers = [...cells.values()].flatMap(outliersOf)
  const out = new Set(outliers.map(one => one.span))
  const good = kept.filter(span => !out.has(span))
  const byCell = [...grouped(good, span => `${span.kind}/${span.stage}/${span.microbatch}`).values()]
  const byStage = [...grouped(good, span => `${span.kind}/${span.stage}`).values()]
  return {
    stages: byStage.map(list => summaryOf(list)),
    microbatches: byCell.map(list => summaryOf(list, list[0].microbatch)),
    outliers,
    warmup,
    steps: new Set(spans.map(span => span.step)).size
  }
}

function grouped(spans: readonly Span[], keyOf: (span: Span) => string): Map<string, Span[]> {
  const groups = new Map<string, Span[]>()
  for (const span of spans) {
    const list = groups.get(keyOf(span))
    if (list) list.push(span)
    else groups.set(keyOf(span), [span])
  }
  return groups
}

function warmupSteps(spans: readonly Span[]): { step: number; ratio: number }[] {
  const steps = [...grouped(spans, span => String(span.step)).values()]
    .map(list => ({ step: list[0].step, us: sum(list.map(span => span.us)) / list.length }))
    .sort((a, b) => a.step - b.step)
  if (steps.length < 2) return []
  const usual = median(steps.slice(1).map(one => one.us))
  const found: { step: number; ratio: number }[] = []
  for (const [index, { step, us }] of steps.slice(0, -1).entries()) {
    const ratio = usual > 0 ? us / usual : 1
    if (index > 0 && ratio < WARMUP_RATIO) break
    found.push({ step, ratio })
  }
  return found
}

function outliersOf(list: readonly Span[]): Outlier[] {
  if (list.length < 3) return []
  const middle = median(list.map(span => span.us))
  const deviation = 1.4826 * median(list.map(span => Math.abs(span.us - middle)))
  const far = Math.max(OUTLIER_DEVIATIONS * deviation, OUTLIER_SHARE * middle)
  return list.filter(span => Math.abs(span.us - middle) > far).map(span => ({ span, median: middle }))
}

function summaryOf(list: readonly Span[], microbatch?: number): Summary {
  const values = list.map(span => span.us)
  const middle = median(values)
  const width = values.reduce((a, b) => Math.max(a, b), 0) - values.reduce((a, b) => Math.min(a, b), Infinity)
  return {
    kind: list[0].kind,
    stage: list[0].stage,
    ...(microbatch === undefined ? {} : { microbatch }),
    median: middle,
    spread: middle > 0 ? width / middle : 0,
    count: list.length
  }
}
