import { range } from '../../base/arrays.ts'
import { type ExecOrder, type RuntimeItem, step } from './steps.ts'

/** Size of a pipeline with one stage per rank. */
type PlainSize = { readonly ranks: number; readonly microbatches: number }

const receiveForward = (s: number, m: number): RuntimeItem[] =>
  s > 0 ? [step('DATA_RECV', m, s), step('FWD_RECV', m, s)] : []
const sendForward = (s: number, m: number, ranks: number): RuntimeItem[] =>
  s < ranks - 1 ? [step('DATA_SEND', m, s), step('FWD_SEND', m, s)] : []
const receiveBackward = (s: number, m: number, ranks: number): RuntimeItem[] =>
  s < ranks - 1 ? [step('BWD_RECV', m, s)] : []
const sendBackward = (s: number, m: number): RuntimeItem[] => (s > 0 ? [step('BWD_SEND', m, s)] : [])

/** GPipe as the runtime lists it: every transfer beside its compute. */
export function gpipeExecOrder({ ranks, microbatches }: PlainSize): ExecOrder {
  const all = range(microbatches)
  return range(ranks).map(s => [
    ...all.flatMap(m => [
      step('DATA_LOAD', m, s),
      ...receiveForward(s, m),
      step('FWD', m, s),
      ...sendForward(s, m, ranks)
    ]),
    ...all.flatMap(m => [...receiveBackward(s, m, ranks), step('BWD', m, s), ...sendBackward(s, m)])
  ])
}

/**
 * 1F1B as the runtime lists it. Even stages send after their forward, odd ones before the next: so one end of a pair
 * receives while the other sends, and blocking transfers cannot hang.
 */
export function oneForwardOneBackwardExecOrder(size: PlainSize): ExecOrder {
  return range(size.ranks).map(stage => [...warmup(stage, size), ...steady(stage, size), ...cooldown(stage, size)])
}

function warmForwards(stage: number, { ranks, microbatches }: PlainSize): number {
  return Math.min(ranks - stage, microbatches)
}

/** Forwards before the first backward. The last one's send waits for the steady phase, unless M ends before it. */
function warmup(stage: number, size: PlainSize): RuntimeItem[] {
  const forwards = warmForwards(stage, size)
  const items = range(forwards).flatMap(m => {
    const before = stage % 2 === 1 && m > 0 ? sendForward(stage, m - 1, size.ranks) : []
    const after = stage % 2 === 0 && m < forwards - 1 ? sendForward(stage, m, size.ranks) : []
    return [step('DATA_LOAD', m, stage), ...receiveForward(stage, m), ...before, step('FWD', m, stage), ...after]
  })
  const early = size.ranks - stage > size.microbatches
  return early ? [...items, ...sendForward(stage, forwards - 1, size.ranks)] : items
}

function steady(stage: number, size: PlainSize): RuntimeItem[] {
  const lead = warmForwards(stage, size)
  return range(size.microbatches - lead).flatMap(b => {
    const f = b + lead
    return [
      ...receiveBackward(stage, b, size.ranks),
      ...sendForward(stage, f - 1, size.ranks),
      step('BWD', b, stage),
      step('DATA_LOAD', f, stage),
      ...sendBackward(stage, b),
      ...receiveForward(stage, f),
      step('FWD', f, stage)
    ]
  })
}

function cooldown(stage: number, size: PlainSize): RuntimeItem[] {
  const { ranks, microbatches } = size
  const lead = warmForwards(stage, size)
  const pending = ranks - stage <= microbatches
  return range(lead).flatMap(index => {
    const b = microbatches - lead + index
    return [
      ...receiveBackward(stage, b, ranks),
      ...(index === 0 && pending ? sendForward(stage, microbatches - 1, ranks) : []),
      step('BWD', b, stage),
      ...sendBackward(stage, b)
    ]
  })
}
