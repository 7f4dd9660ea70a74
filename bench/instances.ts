import { type InstanceDocument, type Measured, parseInstance } from '../src/index.ts'

/** One row of the suite that draws encoder times. */
export type Drawn = {
  readonly name: string
  readonly ranks: number
  readonly microbatches: number
  readonly forward: number
  readonly backward: number
  readonly lag: number
  readonly encoder: readonly [number, number]
  readonly trainable: boolean
  readonly seeds: readonly number[]
}

/** One zero-bubble row: costs are forward, input backward, weight backward, transfer; memory in forwards. */
export type ZeroBubble = {
  readonly ranks: number
  readonly microbatches: number
  readonly costs: readonly [number, number, number, number]
  readonly inFlight: number
  readonly optimum: number
  readonly published: number
}

/** Linear congruential draws, the same on every machine. */
function draws(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 4294967296
  }
}

/** The instance document of a drawn row under one seed. */
export function drawnDocument(row: Drawn, seed: number): object {
  const random = draws(seed * 7919)
  const [low, high] = row.encoder
  const encoder = Array.from({ length: row.microbatches }, () => Math.round(low + (high - low) * random()))
  const stages = Array.from({ length: row.ranks }, () => ({ forward: row.forward, backward: row.backward }))
  return {
    format: 'tropipe.instance/1',
    name: `${row.name}-seed${seed}`,
    source: `synthetic: seed ${seed}`,
    unit: 'us',
    ranks: row.ranks,
    microbatches: row.microbatches,
    schedule: '<transpose, 1f1b>',
    regions: [
      {
        name: 'vision',
        trainable: row.trainable,
        stages: [{ forward: encoder, backward: row.trainable ? encoder.map(e => 2 * e) : 0 }]
      },
      { name: 'llm', trainable: true, stages }
    ],
    communication: { model: 'latency', send: row.lag, gather: row.lag, scatter: row.lag, broadcast: 0 }
  }
}

/**
 * One published zero-bubble instance: hidden size and heads give its memory per stage and microbatch (sequences of 1,024
 * tokens), `publishedBubbles` the bubble ratios of makespans of the heuristic under p and 2p forwards' worth of memory.
 */
export type Published = {
  readonly model: string
  readonly ranks: number
  readonly microbatches: number
  readonly costs: readonly [number, number, number, number]
  readonly hidden: number
  readonly heads: number
  readonly publishedBubbles: Readonly<Record<'1p' | '2p', number>>
}

/** The instance document of a published row. The weight part keeps 32 bytes per hidden unit until it ends. */
export function publishedDocument(row: Published, memory: '1p' | '2p'): object {
  const { ranks, microbatches, costs, hidden, heads, model } = row
  const [forward, input, weight, send] = costs
  const activation = 34 * hidden + 5 * heads * 1024
  const stages = Array.from({ length: ranks }, () => ({
    forward,
    backward: { input, weight },
    weightShare: (32 * hidden) / activation,
    activation,
    parameters: 0
  }))
  return {
    format: 'tropipe.instance/1',
    name: `iclr-${model}-${ranks}x${microbatches}-${memory}`,
    source: 'zero-bubble pipeline parallelism, published profiles',
    unit: 'us',
    ranks,
    microbatches,
    schedule: '<1f1b>',
    regions: [{ name: 'llm', trainable: true, stages }],
    communication: { model: 'latency', send, gather: 0, scatter: 0, broadcast: 0 },
    memory: { capacity: (memory === '1p' ? 1 : 2) * ranks * activation, reserved: 0 }
  }
}

/** The instance document of a zero-bubble row: half of a forward's memory stays until the weight part ends. */
export function zeroBubbleDocument({
  ranks,
  microbatches,
  costs: [forward, input, weight, send],
  inFlight
}: ZeroBubble): object {
  const stages = Array.from({ length: ranks }, () => ({
    forward,
    backward: { input, weight },
    weightShare: 0.5,
    activation: 2,
    parameters: 0
  }))
  return {
    format: 'tropipe.instance/1',
    name: `zero-bubble-${ranks}x${microbatches}-${inFlight}`,
    source: 'zero-bubble golden set',
    unit: 'us',
    ranks,
    microbatches,
    schedule: '<1f1b>',
    regions: [{ name: 'llm', trainable: true, stages }],
    communication: { model: 'latency', send, gather: 0, scatter: 0, broadcast: 0 },
    memory: { capacity: 2 * inFlight, reserved: 0 }
  }
}

/** A document as a measured instance. */
export function load(document: object | InstanceDocument): Measured {
  const parsed = parseInstance(JSON.stringify(document), 'json')
  if (!parsed.ok) throw new Error(parsed.faults.map(fault => `${fault.path}: ${fault.message}`).join('\n'))
  return parsed.measured
}
