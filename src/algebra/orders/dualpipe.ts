import { range } from '../../base/arrays.ts'
import { fail } from '../../base/fault.ts'
import { foldMap, type OrderItem, type PipelineOrder, type StageStep, type StepKind } from './order.ts'

/** One of the two flows of a rank: its stage, its copy of the model, and the first microbatch that it carries. */
type Flow = { readonly stage: number; readonly replica: number; readonly first: number }

/** A rank's place: `near` counts from the end where its first flow enters, of `half` places. */
type Place = { readonly near: number; readonly half: number; readonly perFlow: number }

/** Deals the steps of both flows of one rank, weight parts first in, first out. */
class FlowDealer {
  readonly items: OrderItem[] = []
  readonly #counts = [
    { F: 0, B: 0 },
    { F: 0, B: 0 }
  ]
  readonly #waiting: StageStep[] = []

  constructor(readonly flows: readonly [Flow, Flow]) {}

  #take(kind: StepKind, flow: 0 | 1): StageStep {
    const { stage, replica, first } = this.flows[flow]
    const counter = this.#counts[flow]
    const index = kind === 'F' ? counter.F++ : counter.B++
    return { kind, stage, replica, microbatch: first + index }
  }

  forward(flow: 0 | 1): void {
    this.items.push({ kind: 'run', step: this.#take('F', flow) })
  }

  /** A backward: whole, or its input part alone with the weight part put off. */
  backward(flow: 0 | 1, split: boolean): void {
    const step = this.#take(split ? 'I' : 'B', flow)
    this.items.push({ kind: 'run', step })
    if (split) this.#waiting.push({ ...step, kind: 'W' })
  }

  weight(): void {
    const step = this.#waiting.shift()
    if (step) this.items.push({ kind: 'run', step })
  }

  overlap(forward: 0 | 1, backward: 0 | 1): void {
    this.items.push({ kind: 'fused', forward: this.#take('F', forward), backward: this.#take('B', backward) })
  }
}

/**
 * DualPipe (DeepSeek-V3 report, 2024): microbatches enter at both ends, each half through its own copy of the model, and
 * forwards of one flow overlap backwards of the other. Even P, even M >= 2P.
 * @throws FaultError DUALPIPE_SIZE
 */
export function dualPipeOrder(ranks: number, microbatches: number): PipelineOrder {
  if (ranks % 2 !== 0 || microbatches % 2 !== 0 || microbatches < 2 * ranks) refuse('dualpipe', ranks, microbatches)
  const perFlow = microbatches / 2
  const items = range(ranks).map(rank => {
    const down: Flow = { stage: rank, replica: 0, first: 0 }
    const up: Flow = { stage: ranks - 1 - rank, replica: 1, first: perFlow }
    const near = Math.min(rank, ranks - 1 - rank)
    const dealer = new FlowDealer(rank < ranks / 2 ? [down, up] : [up, down])
    eightSteps(dealer, { near, half: ranks / 2, perFlow })
    return dealer.items
  })
  const down = range(ranks)
  return { name: 'dualpipe', ranks, microbatches, rankOf: [down, down.map(stage => ranks - 1 - stage)], items }
}

/**
 * DualPipeV (DualPipe cut in half, DeepSeek 2025): one copy of the model folded into a V; its two chunks play the two
 * flows. M >= 2P.
 * @throws FaultError DUALPIPE_SIZE
 */
export function dualPipeVOrder(ranks: number, microbatches: number): PipelineOrder {
  if (microbatches < 2 * ranks) refuse('dualpipev', ranks, microbatches)
  const items = range(ranks).map(rank => {
    const dealer = new FlowDealer([
      { stage: rank, replica: 0, first: 0 },
      { stage: 2 * ranks - 1 - rank, replica: 0, first: 0 }
    ])
    eightSteps(dealer, { near: rank, half: ranks, perFlow: microbatches })
    return dealer.items
  })
  return { name: 'dualpipev', ranks, microbatches, rankOf: [foldMap(2 * ranks, ranks)], items }
}

function refuse(name: string, ranks: number, microbatches: number): never {
  const rule = name === 'dualpipe' ? 'an even P and an even M of at least 2P' : 'an M of at least 2P'
  fail('DUALPIPE_SIZE', 'microbatches', { ranks, microbatches }, `${name} needs ${rule}`, 'Change P or M.')
}

const times = (count: number, action: (index: number) => void) => {
  for (let i = 0; i < count; i++) action(i)
}

/** The eight phases that both orders share, seen from one rank. */
function eightSteps(dealer: FlowDealer, place: Place): void {
  const inner = place.half - place.near - 1
  const meet = place.near + 1
  times(2 * inner, () => dealer.forward(0))
  times(meet, () => {
    dealer.forward(0)
    dealer.forward(1)
  })
  times(inner, () => {
    dealer.backward(1, true)
    dealer.weight()
    dealer.forward(1)
  })
  overlapped(dealer, place)
  times(inner, () => {
    dealer.backward(1, false)
    dealer.overlap(1, 0)
  })
  turnToSplit(dealer, place)
  times(inner, () => {
    dealer.weight()
    dealer.backward(0, true)
  })
  times(meet, () => dealer.weight())
}

/** Main phase: each flow's forward with the other's backward; on the middle rank the very first pair cannot overlap. */
function overlapped(dealer: FlowDealer, { near, half, perFlow }: Place): void {
  times(perFlow - 2 * half + near + 1, index => {
    if (index === 0 && near === half - 1) {
      dealer.forward(0)
      dealer.backward(1, false)
    } else dealer.overlap(0, 1)
    dealer.overlap(1, 0)
  })
}

/** Backwards of both flows in turn; from half way on their weight parts are put off. Odd places turn one step earlier. */
function turnToSplit(dealer: FlowDealer, { near }: Place): void {
  const turn = Math.floor((near + 1) / 2)
  times(near + 1, index => {
    dealer.backward(1, index > turn || (index === turn && near % 2 === 1))
    dealer.backward(0, index >= turn)
  })
}
