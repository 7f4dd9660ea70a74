import { derive } from '../algebra/derive.ts'
import type { ComputeEvent } from '../algebra/events.ts'
import { coveringTerms, type SymbolicMakespan, symbolicMakespan } from '../algebra/maxplus/closed-form.ts'
import { type GeneralForm, generalForm } from '../algebra/maxplus/general.ts'
import { printTerm, type Term, termValue } from '../algebra/maxplus/polynomial.ts'
import { causeOf, type Regime, reduced, regimesOf } from '../algebra/maxplus/regimes.ts'
import { printSchedule } from '../algebra/notation.ts'
import { isTrainable } from '../algebra/types.ts'
import { transposeFull } from '../heuristics/transpose-full.ts'
import type { DerivationView } from '../report/text/derivation.ts'
import type { RegimesView } from '../report/text/symbolic.ts'
import { encoderLoad, evaluateBackbone } from '../schedule/closed-form.ts'
import { shapeOf } from '../schedule/costs.ts'
import type { Measured, Tick } from '../schedule/measured.ts'
import { namedDurations } from '../schedule/named.ts'
import { type BodyPeriod, bodyPeriod } from '../schedule/period.ts'
import { type Scale, timeText } from '../schedule/quantities.ts'
import { lateUnder, ownersOf } from './derivation.ts'

/** A closed form with the schedule that it belongs to. */
export type ClosedFormView = {
  readonly head: string
  readonly view: DerivationView
  readonly form: SymbolicMakespan
  readonly general: GeneralForm | undefined
}

/** The closed form of a derived schedule under uniform names. @throws FaultError TOO_MANY_TERMS */
export function closedFormOf(view: DerivationView): ClosedFormView {
  const { shape, owners } = view
  const form = symbolicMakespan(shape, owners.ranks, { late: lateUnder(owners.rule, shape) })
  const skeletons = shape.regions.map(region => region.skeleton)
  const head = `${printSchedule(skeletons)}  ${shape.ranks} ranks x ${shape.microbatches} microbatches`
  const general = owners.rule === 'full' ? generalForm(skeletons, isTrainable(shape.regions[0])) : undefined
  return { head, view, form, general }
}

/** `tropipe.closed-form/1`. Counts and durations by name, names with count or duration 0 left out. */
export function closedFormDocument({ view, form, general }: ClosedFormView): unknown {
  return {
    format: 'tropipe.closed-form/1',
    schedule: printSchedule(view.shape.regions.map(region => region.skeleton)),
    P: view.shape.ranks,
    M: view.shape.microbatches,
    names: form.meaning,
    terms: form.terms.map(({ term, witness }) => ({
      text: printTerm(term, form.names),
      counts: byName(form.names, term),
      witness: byName(
        form.names,
        witness.map(value => (value > BigInt(Number.MAX_SAFE_INTEGER) ? `${value}` : Number(value)))
      )
    })),
    ...(general ? { general: { formula: general.formula, given: general.given } } : {})
  }
}

function byName(names: readonly string[], values: readonly (number | string)[]): Record<string, number | string> {
  return Object.fromEntries(
    names.map((name, index) => [name, values[index]] as const).filter(([, value]) => value !== 0)
  )
}

/** The steady period in words: ticks per round, and what they are per microbatch. */
function periodOf(measured: Measured): Pick<Regimes, 'period' | 'steady'> {
  const steady = bodyPeriod(measured)
  if (!steady) return {}
  const { ticks, microbatches } = steady
  const each = timeText(ticks.over / ticks.under / microbatches, measured)
  return { steady, period: `${each} per microbatch, the eigenvalue of one round of ${microbatches}` }
}

/** Per rank its encodes, its warmup slack, and from which scale of the encoder on they spill beyond it. */
function slackOf(measured: Measured): RegimesView['slack'] {
  const order = transposeFull.apply(measured)
  if (order.kind !== 'order') return []
  const slack = evaluateBackbone(order.problem, order.sequences)?.warmupSlack ?? []
  const load = encoderLoad(order.problem, order.sequences)
  return slack.map((ticks, rank) => ({
    encodes: timeText(load[rank], measured),
    slack: timeText(ticks, measured),
    spill: timeText(Math.max(0, load[rank] - ticks), measured),
    ...(load[rank] > 0 ? { spillsFrom: reduced(ticks, load[rank]) } : {})
  }))
}

/** The regimes of an instance with what its document needs beside the text. */
export type Regimes = RegimesView & {
  readonly measured: Measured
  readonly steady?: BodyPeriod
  readonly ticks: number
  readonly durations: readonly number[]
}

/**
 * Which term of the closed form of `transpose-full` (or of the body) rules for an instance, and for which scale of the
 * encoder, and of each other duration, another one does.
 * @throws FaultError NOT_UNIFORM, TOO_MANY_TERMS
 */
export function regimesFor(measured: Measured): Regimes {
  const shape = shapeOf(measured)
  const owners = ownersOf(shape, 'full')
  const { events } = derive(shape, owners)
  const compute = events.filter(event => 'microbatch' in event && 'rank' in event) as ComputeEvent[]
  const { naming, durations: known } = namedDurations(measured, compute)
  const sync = ['p', ...shape.regions.map((_, index) => `q${index}`)].some(name => (known.get(name) ?? 0) > 0)
  const form = coveringTerms(shape, owners, { naming, sync })
  const durations = form.names.map(name => known.get(name) ?? 0)
  const ranked = form.terms
    .map(({ term }) => ({ term, ticks: termValue(term, durations) }))
    .sort((a, b) => b.ticks - a.ticks)
  const scale = (what: string, scaled: (name: string) => boolean) => ({
    what,
    regimes: regimesOf(form, durations, scaled)
  })
  const single = form.names.filter((name, index) => durations[index] > 0 && !/^[ed]\d/.test(name))
  const encoder = form.names.some(name => /^e\d/.test(name))
  return {
    measured,
    durations,
    head: `${measured.name}  ${printSchedule(shape.regions.map(r => r.skeleton))}  ${shape.ranks} ranks x ${shape.microbatches} microbatches, order transpose-full`,
    form,
    owners,
    slack: slackOf(measured),
    ...periodOf(measured),
    ticks: ranked[0].ticks,
    ruling: {
      term: ranked[0].term,
      makespan: timeText(ranked[0].ticks, measured),
      ...(ranked.length > 1 ? { next: nextText(ranked[0].ticks - ranked[1].ticks, measured) } : {})
    },
    scales: [
      ...(encoder ? [scale('the whole encoder', name => /^[ed]\d/.test(name))] : []),
      ...single.map(name => scale(`${name} (${form.meaning[name]})`, other => other === name))
    ]
  }
}

/** How far the next term is from ruling too. */
function nextText(margin: Tick, scale: Scale): string {
  return margin === 0 ? 'another term is as long' : `the next term is ${timeText(margin, scale)} shorter`
}

/** `tropipe.regimes/1`. Scales k are exact fractions `[over, under]`; makespan and durations are ticks. */
export function regimesDocument({
  measured,
  form,
  owners,
  ruling,
  ticks,
  durations,
  scales,
  slack,
  steady
}: Regimes): unknown {
  const termOf = (term: Term) => ({ text: printTerm(term, form.names), cause: causeOf(term, form.names, owners) })
  const regimeOf = ({ term, from, until }: Regime) => ({
    from: [from.over, from.under],
    ...(until ? { until: [until.over, until.under] } : {}),
    ...termOf(term)
  })
  return {
    format: 'tropipe.regimes/1',
    instance: measured.hash,
    P: measured.ranks,
    M: measured.microbatches,
    unit: measured.unit,
    ticksPerUnit: measured.ticksPerUnit,
    names: form.meaning,
    durations: byName(form.names, durations),
    terms: form.terms.map(({ term }) => ({ ...termOf(term), ticks: termValue(term, durations) })),
    makespan: ticks,
    ...(steady
      ? { steadyPeriod: { ticks: [steady.ticks.over, steady.ticks.under], microbatches: steady.microbatches } }
      : {}),
    ruling: termOf(ruling.term),
    slack: slack.map(({ spillsFrom }, rank) => ({
      rank,
      ...(spillsFrom ? { spillsFrom: [spillsFrom.over, spillsFrom.under] } : {})
    })),
    scales: scales.map(({ what, regimes }) => ({ what, regimes: regimes.map(regimeOf) }))
  }
}
