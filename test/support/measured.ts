import type { Measured, Slab } from '../../src/schedule/measured.ts'

type Durations = number | readonly number[]

/** What a hand-written test instance states; everything else is off. */
export type Sketch = {
  readonly ranks: number
  readonly microbatches: number
  readonly encoder?: Durations
  readonly encoderBackward?: Durations
  readonly trainable?: boolean
  readonly forward?: Durations
  readonly backward?: Durations
  readonly lag?: number
  readonly change?: Partial<Measured>
  readonly slab?: Partial<Slab>
  readonly source?: Partial<Slab>
}

/** `<transpose, 1f1b>` (or `<1f1b>` without encoder) with uniform slabs; per-microbatch lists or one number. */
export function sketch({ ranks, microbatches, trainable = false, lag = 0, ...rest }: Sketch): Measured {
  const list = (value: Durations) =>
    typeof value === 'number' ? Array.from({ length: microbatches }, () => value) : value
  const slab = (
    origin: string,
    trained: boolean,
    forward: Durations,
    backward: Durations,
    more: Partial<Slab> = {}
  ): Slab => ({
    origin,
    trainable: trained,
    forward: list(forward),
    backward: { kind: 'full', full: list(backward) },
    activation: 0,
    parameters: 0,
    output: 0,
    ...more
  })
  const backbone = Array.from({ length: ranks }, () => [
    slab('llm', true, rest.forward ?? 10, rest.backward ?? 20, rest.slab)
  ])
  const source = slab('vision', trainable, rest.encoder ?? 0, rest.encoderBackward ?? 0, rest.source)
  return {
    name: 'sketch',
    hash: 'sketch',
    unit: 'ticks',
    ticksPerUnit: 1,
    ranks,
    microbatches,
    regions: [
      ...(rest.encoder === undefined ? [] : [{ name: 'vision', skeleton: 'transpose' as const, stages: [[source]] }]),
      { name: 'llm', skeleton: '1f1b', stages: backbone }
    ],
    communication: { model: 'latency', send: lag, gather: lag, scatter: lag, broadcast: 0, reduce: new Map() },
    capacity: Array.from({ length: ranks }, () => undefined),
    reserved: Array.from({ length: ranks }, () => 0),
    encoderBackward: 'owner',
    ...rest.change
  }
}

/** Optimum 76, above every combinatorial bound (75), so only an exact solver can close it. */
export function openInstance(): Measured {
  return sketch({
    ranks: 2,
    microbatches: 3,
    encoder: [5, 5, 5],
    encoderBackward: [10, 10, 10],
    trainable: true,
    forward: 5,
    backward: 9,
    lag: 1
  })
}
