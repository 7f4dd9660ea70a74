import type { BackwardCost, Communication, Measured, MeasuredRegion, Slab, Stage } from '../../src/schedule/measured.ts'
import type { EventId, Problem, Sequences } from '../../src/schedule/problem.ts'

/** Seeded pseudo-random numbers (mulberry32): the same seed gives the same instance everywhere. */
export type Random = {
  /** Integer in [low, high]. */
  int(low: number, high: number): number
  /** True with the given probability. */
  chance(probability: number): boolean
  pick<T>(values: readonly T[]): T
}

export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const int = (low: number, high: number) => low + Math.floor(next() * (high - low + 1))
  return { int, chance: probability => next() < probability, pick: values => values[int(0, values.length - 1)] }
}

/** What to generate; anything left out is drawn. */
export type GenerateOptions = {
  readonly maxRanks?: number
  readonly maxMicrobatches?: number
  readonly ranks?: number
  readonly microbatches?: number
  /** `transposed`: Replicated source; `pipelined`: Sharded source region; `alone`: no source; `only`: `<transpose>` alone. */
  readonly source?: 'transposed' | 'pipelined' | 'alone' | 'only'
  readonly trainableSource?: boolean
  readonly encoderBackward?: 'owner' | 'first-rank'
  readonly skeleton?: '1f1b' | 'gpipe'
  readonly chunks?: number
  /** Every microbatch alike. */
  readonly uniform?: boolean
  /** Allow source microbatches without work, and backbone slabs of length 0. Default true. */
  readonly zeros?: boolean
  /** Give backwards in two parts (on all slabs). */
  readonly split?: boolean
  /** Give activations, parameters and outputs. Capacity stays unlimited. Default true. */
  readonly bytes?: boolean
  /** Cut encoder tasks into chunks, give microbatches several, or both. Default false. */
  readonly encoderParts?: boolean
}

/** A measured instance from a seed: the same seed and options always give the same one. */
export function generateMeasured(seed: number, options: GenerateOptions = {}): Measured {
  const random = seededRandom(seed)
  const ranks = options.ranks ?? random.int(1, options.maxRanks ?? 4)
  const microbatches = options.microbatches ?? random.int(1, options.maxMicrobatches ?? 6)
  const source = options.source ?? random.pick(['transposed', 'transposed', 'transposed', 'pipelined', 'alone', 'only'])
  const draw: Draw = {
    random,
    microbatches,
    uniform: options.uniform ?? random.chance(0.3),
    zeros: options.zeros ?? true,
    split: options.split ?? random.chance(0.2),
    bytes: options.bytes ?? true
  }
  const skeleton = options.skeleton ?? random.pick(['1f1b', '1f1b', 'gpipe'])
  const trainableSource = options.trainableSource ?? random.chance(0.5)
  const chunks = options.chunks ?? random.pick([1, 1, 2])
  return {
    name: `generated-${seed}`,
    hash: `generated-${seed}`,
    unit: 'ticks',
    ticksPerUnit: 1,
    ranks,
    microbatches,
    regions: regionsOf(draw, source, skeleton, trainableSource, ranks * chunks),
    communication: communicationOf(random),
    capacity: Array.from({ length: ranks }, () => undefined),
    reserved: Array.from({ length: ranks }, () => (draw.bytes ? random.int(0, 5) : 0)),
    encoderBackward: options.encoderBackward ?? random.pick(['owner', 'first-rank']),
    ...(options.encoderParts ? encoderParts(seededRandom(seed ^ 0x5bd1e995), microbatches) : {})
  }
}

/** Up to 3 chunks, and up to 3 items of unequal size per microbatch; at least one of the two. */
export function encoderParts(random: Random, microbatches: number): Pick<Measured, 'chunks' | 'items'> {
  const [chunks, several] = random.pick([
    [2, false],
    [3, false],
    [1, true],
    [2, true]
  ] as const)
  const items = Array.from({ length: microbatches }, (_, m) =>
    Array.from({ length: m === 0 ? 2 : random.int(1, 3) }, () => random.int(1, 3))
  )
  return { ...(chunks > 1 ? { chunks } : {}), ...(several ? { items } : {}) }
}

type Draw = {
  readonly random: Random
  readonly microbatches: number
  readonly uniform: boolean
  readonly zeros: boolean
  readonly split: boolean
  readonly bytes: boolean
}

function regionsOf(
  draw: Draw,
  source: NonNullable<GenerateOptions['source']>,
  skeleton: '1f1b' | 'gpipe',
  trainableSource: boolean,
  stages: number
): MeasuredRegion[] {
  const { random } = draw
  const name = 'vision'
  const encoder = (): Stage =>
    random.chance(0.3)
      ? [slab(draw, 'vit', false, 'encoder'), slab(draw, 'projector', trainableSource, 'encoder')]
      : [slab(draw, name, trainableSource, 'encoder')]
  const backbone = (count: number, trainable: boolean): Stage[] =>
    Array.from({ length: count }, (_, s) => [
      ...(s === 0 && source === 'alone' && random.chance(0.2) ? [slab(draw, name, trainableSource, 'backbone')] : []),
      slab(draw, 'llm', trainable, 'backbone')
    ])
  const llm = { name: 'llm', skeleton, stages: backbone(stages, random.chance(0.85)) }
  switch (source) {
    case 'only':
      return [{ name, skeleton: 'transpose', stages: [encoder()] }]
    case 'alone':
      return [llm]
    case 'transposed':
      return [{ name, skeleton: 'transpose', stages: [encoder()] }, llm]
    case 'pipelined': {
      const split = random.int(1, Math.max(1, stages - 1))
      if (split >= stages) return [llm]
      const first = Array.from({ length: split }, () => [slab(draw, name, trainableSource, 'encoder')])
      return [
        { name, skeleton, stages: first },
        { ...llm, stages: llm.stages.slice(split) }
      ]
    }
  }
}

function slab(draw: Draw, origin: string, trainable: boolean, role: 'encoder' | 'backbone'): Slab {
  const { random } = draw
  const [low, high] = role === 'encoder' ? [1, 12] : [1, 9]
  const zero = draw.zeros ? (role === 'encoder' ? 0.15 : 0.05) : 0
  const scale = role === 'encoder' && random.chance(0.3) ? 3 : 1
  const forward = perMicrobatch(draw, () => (random.chance(zero) ? 0 : scale * random.int(low, high)))
  const full = perMicrobatch(draw, () => (random.chance(zero) ? 0 : random.int(low, 2 * high)))
  const bytes = (high: number) => (draw.bytes ? random.int(0, high) : 0)
  return {
    origin,
    trainable,
    forward,
    backward: draw.split ? splitCost(random, full) : { kind: 'full', full },
    activation: bytes(9),
    parameters: bytes(20),
    output: bytes(4)
  }
}

function splitCost(random: Random, full: readonly number[]): BackwardCost {
  const input = full.map(ticks => random.int(0, ticks))
  const weight = full.map((ticks, m) => ticks - input[m])
  return { kind: 'split', input, weight, weightShare: random.pick([0.5, 0.3, 0, 1]) }
}

function perMicrobatch(draw: Draw, one: () => number): number[] {
  if (!draw.uniform) return Array.from({ length: draw.microbatches }, one)
  const value = one()
  return Array.from({ length: draw.microbatches }, () => value)
}

function communicationOf(random: Random): Communication {
  const lag = () => random.pick([0, 1, 1, 2, 5])
  return {
    model: 'latency',
    send: lag(),
    gather: lag(),
    scatter: lag(),
    broadcast: random.pick([0, 0, 3, 15]),
    reduce: new Map(['vision', 'vit', 'projector', 'llm'].map(origin => [origin, random.pick([0, 0, 4, 9])]))
  }
}

/**
 * A random order that can finish: events are appended one by one, each after everything that it needs. E goes to any
 * rank that it has a mode for, EB to its E's. `stageOrder` keeps the given order of stage events per rank.
 */
export function randomOrder(problem: Problem, seed: number, stageOrder?: Sequences): Sequences {
  const random = seededRandom(seed)
  const waits = problem.events.map(() => new Set<EventId>())
  for (const edge of problem.edges) waits[edge.to].add(edge.from)
  for (const sequence of stageOrder ?? []) {
    for (let i = 1; i < sequence.length; i++) waits[sequence[i]].add(sequence[i - 1])
  }
  const rankOf = chooseRanks(problem, random)
  const sequences: EventId[][] = Array.from({ length: problem.ranks }, () => [])
  const open = new Set(problem.events.map(event => event.id))
  while (open.size > 0) {
    const ready = [...open].filter(id => [...waits[id]].every(from => !open.has(from)))
    if (ready.length === 0) throw new Error('the stage order cannot finish')
    const id = random.pick(ready)
    open.delete(id)
    if (problem.events[id].occupies) sequences[rankOf[id]].push(id)
  }
  return sequences
}

function chooseRanks(problem: Problem, random: Random): number[] {
  const rankOf = problem.events.map(event => random.pick(event.modes).rank)
  for (const tie of problem.ties) for (const id of tie.events) rankOf[id] = rankOf[tie.events[0]]
  return rankOf
}
