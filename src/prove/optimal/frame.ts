import type { BodyOrder } from '../../algebra/orders/body.ts'
import { maximum } from '../../base/arrays.ts'
import type { Measured, Tick } from '../../schedule/measured.ts'
import { type Rules, rulesOf } from '../../verify/rules.ts'
import { leastRules, skippedStages } from './any-injection.ts'

/** One event with the window that any schedule leaves it: not before `head`, and `tail` ticks from its start to the end. */
export type FramedEvent = {
  readonly kind: 'F' | 'B' | 'I' | 'W' | 'E' | 'EB'
  readonly stage: number
  readonly microbatch: number
  /** Where it must run; undefined where the schedule chooses. */
  readonly rank: number | undefined
  readonly ticks: Tick
  head: Tick
  tail: Tick
}

/**
 * Windows of all events, from the rules of the checker: what the search uses to bound makespans, worked out a second
 * time. Encoder work floats free of ranks; the body keeps its order where one is given.
 */
export type RecheckFrame = {
  readonly rules: Rules
  readonly events: readonly FramedEvent[]
  /** Longest chain of all. */
  readonly longest: Tick
}

type Arc = { readonly from: number; readonly to: number; readonly lag: Tick }

/** How the events of a frame are understood. */
export type FrameOptions = {
  /** Backwards that the instance splits are taken as their two parts. */
  readonly split?: boolean
  /** The body order is one of positions: any microbatch may stand at any of them, so each takes the least that one needs. */
  readonly anyInjection?: boolean
}

/** @throws FaultError NOT_YET outside the timed scope */
export function frameOf(
  measured: Measured,
  body: BodyOrder | undefined,
  { split = false, anyInjection = false }: FrameOptions = {}
): RecheckFrame {
  const rules = rulesOf(measured)
  const builder = anyInjection
    ? new FrameBuilder(leastRules(rules), split, skippedStages(rules))
    : new FrameBuilder(rules, split)
  builder.addStages()
  builder.addSource()
  if (body) builder.addBody(body)
  return builder.finish()
}

/** Name of an event among the arcs; `part` tells the encodes of one microbatch apart. */
function nameOf(kind: string, stage: number, microbatch: number, part: number): string {
  return stage < 0 ? `${kind}/${stage}/${microbatch}/${part}` : `${kind}/${stage}/${microbatch}`
}

class FrameBuilder {
  readonly #events: FramedEvent[] = []
  readonly #ids = new Map<string, number>()
  readonly #arcs: Arc[] = []

  constructor(
    readonly rules: Rules,
    readonly split: boolean,
    /** Stages whose events nothing may rest on. */
    readonly floating: ReadonlySet<number> = new Set()
  ) {}

  #add(
    kind: FramedEvent['kind'],
    stage: number,
    microbatch: number,
    rank: number | undefined,
    ticks: Tick,
    after: Tick,
    part = 0
  ): void {
    const id = this.#events.push({ kind, stage, microbatch, rank, ticks, head: 0, tail: ticks + after }) - 1
    this.#ids.set(nameOf(kind === 'I' ? 'B' : kind, stage, microbatch, part), id)
  }

  #wait(from: string, to: string, lag: Tick): void {
    const [before, after] = [this.#ids.get(from), this.#ids.get(to)]
    if (before !== undefined && after !== undefined) this.#arcs.push({ from: before, to: after, lag })
  }

  addStages(): void {
    const { stages, measured } = this.rules
    for (const [s, stage] of stages.entries()) {
      const parts = this.split && stage.splits
      for (let m = 0; m < measured.microbatches; m++) {
        if (!stage.works[m]) continue
        const rank = stage.rankOf(m)
        this.#add('F', s, m, rank, stage.forwardTicks[m], 0)
        if (!stage.backward) continue
        const reduction = this.floating.has(s) ? 0 : this.#reduction(stage.region, rank)
        const ticks = parts ? stage.inputTicks[m] : stage.backwardTicks[m]
        this.#add(parts ? 'I' : 'B', s, m, rank, ticks, reduction)
        if (parts && stage.weight) this.#add('W', s, m, rank, stage.weightTicks[m], reduction)
      }
    }
    for (const [s, stage] of stages.entries()) {
      if (this.floating.has(s)) continue
      for (let m = 0; m < measured.microbatches; m++) {
        const lag = stage.rankOf(m) === stages[s - 1]?.rankOf(m) ? 0 : measured.communication.send
        if (!this.floating.has(s - 1)) {
          this.#wait(`F/${s - 1}/${m}`, `F/${s}/${m}`, lag)
          this.#wait(`B/${s}/${m}`, `B/${s - 1}/${m}`, lag)
        }
        this.#wait(`F/${s}/${m}`, `B/${s}/${m}`, 0)
        this.#wait(`B/${s}/${m}`, `W/${s}/${m}`, 0)
      }
    }
  }

  #reduction(region: number, rank: number): Tick {
    return maximum(
      this.rules.reductions.filter(one => one.region === region && one.rank === rank).map(one => one.ticks)
    )
  }

  /** The first stage's rank may own any encode: no transfer is certain. */
  addSource(): void {
    const { source, measured, firstStageRank } = this.rules
    if (!source) return
    const anywhere = measured.ranks === 1 ? firstStageRank : undefined
    const back = measured.encoderBackward === 'first-rank' ? firstStageRank : anywhere
    for (let m = 0; m < measured.microbatches; m++) {
      if (!source.works[m]) continue
      for (const [part, rules] of source.encodes(m).entries()) {
        this.#add('E', -1, m, anywhere, rules.forwardTicks, 0, part)
        if (source.backward) this.#add('EB', -1, m, back, rules.backwardTicks, source.reduction, part)
      }
      for (const [part, { chunk }] of source.encodes(m).entries()) {
        const [encode, backward] = [nameOf('E', -1, m, part), nameOf('EB', -1, m, part)]
        const last = chunk === source.chunks - 1
        this.#wait(encode, last ? `F/0/${m}` : nameOf('E', -1, m, part + 1), 0)
        this.#wait(last ? `B/0/${m}` : nameOf('EB', -1, m, part + 1), backward, 0)
        this.#wait(encode, backward, 0)
      }
    }
  }

  addBody(body: BodyOrder): void {
    for (const steps of body) {
      const names = steps
        .map(step => `${step.kind}/${step.stage}/${step.microbatch}`)
        .filter(name => this.#ids.has(name))
      for (let i = 1; i < names.length; i++) this.#wait(names[i - 1], names[i], 0)
    }
  }

  finish(): RecheckFrame {
    const events = this.#events
    const arcs = sortedArcs(events.length, this.#arcs)
    for (const { from, to, lag } of arcs)
      events[to].head = Math.max(events[to].head, events[from].head + events[from].ticks + lag)
    for (const { from, to, lag } of arcs.reverse())
      events[from].tail = Math.max(events[from].tail, events[from].ticks + lag + events[to].tail)
    const broadcast = this.rules.source?.broadcast ?? 0
    return {
      rules: this.rules,
      events,
      longest: maximum(
        events.map(event => event.head + event.tail),
        broadcast
      )
    }
  }
}

/** Arcs in an order in which every arc into an event comes before those out of it. */
function sortedArcs(size: number, arcs: readonly Arc[]): Arc[] {
  const out: Arc[][] = Array.from({ length: size }, () => [])
  const waiting = new Int32Array(size)
  for (const arc of arcs) {
    out[arc.from].push(arc)
    waiting[arc.to]++
  }
  const queue: number[] = []
  for (let id = 0; id < size; id++) if (waiting[id] === 0) queue.push(id)
  const sorted: Arc[] = []
  for (const id of queue) {
    for (const arc of out[id]) {
      sorted.push(arc)
      if (--waiting[arc.to] === 0) queue.push(arc.to)
    }
  }
  return sorted
}
