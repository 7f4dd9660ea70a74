import { maximum, range } from '../base/arrays.ts'
import { evaluatePart } from './evaluate-part.ts'
import type { Tick } from './measured.ts'
import type { Event, Problem, Sequences } from './problem.ts'

/** Why the paper's sum and the exact makespan differ, or what the paper's spill term is bound by. */
export type Binding =
  | { readonly kind: 'arrival' | 'drain' | 'absorbed' }
  | { readonly kind: 'spill'; readonly rank: number }
  | { readonly kind: 'none' }

/** Closed form of a transpose order (spec algebra section 2); exact = paper - absorbed + arrival + drain. */
export type ClosedForm = {
  readonly paper: Tick
  readonly exact: Tick
  /** Spill that the formula charges although the rank is not the bottleneck. */
  readonly absorbed: Tick
  /** Waiting of stage 0 for encodes and gathers. */
  readonly arrival: Tick
  /** What encoder backwards, scatters and the replica reduction add to the cooldown. */
  readonly drain: Tick
  readonly binding: Binding
}

/** Backbone alone in an order: its makespan T_body and the idle ticks before each rank's first forward, w_r (P entries). */
export type Backbone = { readonly makespan: Tick; readonly warmupSlack: readonly Tick[] }

/** Evaluates the backbone of a transpose order without its source. Undefined where there is no backbone. */
export function evaluateBackbone(problem: Problem, sequences: Sequences): Backbone | undefined {
  if (problem.regions.every(region => region.layout === 'Replicated')) return undefined
  const {
    start,
    makespan,
    sequences: body
  } = evaluatePart(problem, sequences, { keep: event => !isReplicated(problem, event) })
  return { makespan, warmupSlack: body.map(sequence => (sequence.length > 0 ? start[sequence[0]] : 0)) }
}

/** Encoder forward ticks that an order gives each rank, E_r (P entries). */
export function encoderLoad(problem: Problem, sequences: Sequences): Tick[] {
  return sequences.map((sequence, rank) => {
    const encodes = sequence.map(id => problem.events[id]).filter(event => event.key.kind === 'E')
    return encodes.reduce((total, event) => total + (event.modes.find(mode => mode.rank === rank)?.duration ?? 0), 0)
  })
}

/** spill_r = max(0, E_r - w_r) (paper section 4.3), P entries. */
export function spills(load: readonly Tick[], warmupSlack: readonly Tick[]): Tick[] {
  return load.map((ticks, rank) => Math.max(0, ticks - warmupSlack[rank]))
}

/** The closed form of a transpose order and its parts. Undefined without a backbone (`<transpose>` alone). */
export function closedForm(problem: Problem, sequences: Sequences): ClosedForm | undefined {
  const body = evaluateBackbone(problem, sequences)
  if (!body) return undefined
  const spill = spills(encoderLoad(problem, sequences), body.warmupSlack)
  const paper = body.makespan + maximum(spill)
  const exact = evaluatePart(problem, sequences).makespan
  const forwardOnly = (event: Event) =>
    event.key.kind !== 'EB' && !(event.key.kind === 'Reduce' && isReplicated(problem, event))
  const a = problem.events.every(forwardOnly) ? exact : evaluatePart(problem, sequences, { keep: forwardOnly }).makespan
  const a0 = evaluatePart(problem, sequences, {
    keep: event => forwardOnly(event) && event.key.kind !== 'Broadcast',
    mute: event => event.key.kind === 'E',
    releases: false
  }).makespan
  const parts = { absorbed: paper - a0, arrival: a - a0, drain: exact - a }
  return { paper, exact, ...parts, binding: bindingOf(parts, spill) }
}

function isReplicated(problem: Problem, event: Event): boolean {
  return problem.regions[event.key.region].layout === 'Replicated'
}

function bindingOf(parts: Pick<ClosedForm, 'absorbed' | 'arrival' | 'drain'>, spill: readonly Tick[]): Binding {
  const kinds = ['arrival', 'drain', 'absorbed'] as const
  const largest = kinds.reduce((best, kind) => (parts[kind] > parts[best] ? kind : best), kinds[0])
  if (parts[largest] > 0) return { kind: largest }
  const worst = range(spill.length).reduce((best, rank) => (spill[rank] > spill[best] ? rank : best), 0)
  return spill[worst] > 0 ? { kind: 'spill', rank: worst } : { kind: 'none' }
}
