import { type Derivation, derive, type GraphEvent } from '../algebra/derive.ts'
import { partBackwards } from '../algebra/gates.ts'
import { ranksOfStage } from '../algebra/placement.ts'
import { range } from '../base/arrays.ts'
import { channelOf, folds, innerChannel, lagOf } from './channels.ts'
import { backwardTicks, chunkShare, encodeParts, forwardTicks, reduceTicks, shapeOf } from './costs.ts'
import { encodeBackwardModes, encodeModes, type Parts, partsInOrder, tiesOf } from './encode-events.ts'
import { holdsOf } from './holds.ts'
import type { Measured, Stage, Tick } from './measured.ts'
import type { Channel, Edge, Event, EventId, EventKey, Mode, Problem } from './problem.ts'
import { fixedBytes, regionInfos, symmetricGroups, uniformLags } from './problem-parts.ts'
import { checkTimedScope } from './scope.ts'

/**
 * The event graph of a measured instance: derive's events with durations, collectives folded into lagged edges, memory
 * as holds. With `split`, stages whose backward is given in parts run I and W in place of B, everywhere or for the stages
 * and microbatches that it names. Built once per instance, where it names none.
 * @throws FaultError NOT_YET outside the timed scope (spec section 2)
 */
export function buildProblem(measured: Measured, options: { readonly split?: boolean | Splits } = {}): Problem {
  if (typeof options.split === 'function') return build(measured, options.split)
  const problems = options.split ? splitProblems : plainProblems
  const known = problems.get(measured) ?? build(measured, options.split ? () => true : () => false)
  problems.set(measured, known)
  return known
}

/** Whether the backward of a stage and microbatch runs in its two parts. */
export type Splits = (stage: number, microbatch: number) => boolean

const plainProblems = new WeakMap<Measured, Problem>()
const splitProblems = new WeakMap<Measured, Problem>()

function build(measured: Measured, split: Splits): Problem {
  checkTimedScope(measured)
  const shape = shapeOf(measured)
  const derivation = derive(
    shape,
    range(measured.microbatches).map(() => 0)
  )
  const builder = new ProblemBuilder(measured, derivation, partBackwards(shape.regions), split)
  builder.addEvents()
  builder.addEdges()
  return builder.finish()
}

/** A forward or backward of the derived graph. */
type Run = GraphEvent & { readonly kind: 'Fwd' | 'Bwd' }

/** A stage, which of its parts have a backward, and whether that is given in two parts. */
type StageWork = { readonly stage: Stage; readonly runs: readonly boolean[]; readonly splits: boolean }

class ProblemBuilder {
  readonly #stages: readonly (readonly StageWork[])[]
  readonly #events: Event[] = []
  readonly #edges: Edge[] = []
  /** Per graph event: the problem event that other events see as it (I stands for B where split), or -1. */
  readonly #idOf: Int32Array
  /** The same where a source event stands for several: what its incoming and outgoing edges hang on. */
  readonly #partsOf = new Map<number, Parts>()
  /** Chunks of each encoder task in the order in which they run: its forwards, and its backwards. */
  readonly #chains: EventId[][] = []
  /** Weight part by the id of its input part. */
  readonly #weightOf = new Map<EventId, EventId>()

  constructor(
    readonly measured: Measured,
    readonly graph: Derivation,
    readonly runs: readonly (readonly (readonly boolean[])[])[],
    readonly split: Splits
  ) {
    this.#idOf = new Int32Array(graph.events.length).fill(-1)
    this.#stages = measured.regions.map(({ stages }, region) =>
      stages.map((stage, local) => ({ stage, runs: runs[region][local], splits: isSplit(stage, runs[region][local]) }))
    )
  }

  addEvents(): void {
    for (const [index, event] of this.graph.events.entries()) {
      switch (event.kind) {
        case 'Fwd':
        case 'Bwd':
          if (event.stage === undefined) this.#addReplicated(index, event)
          else this.#idOf[index] = this.#addCompute(event, event.stage)
          break
        case 'Broadcast':
          this.#addLoose('Broadcast', event.region, 0, this.measured.communication.broadcast)
          break
        case 'DpReduce':
          this.#idOf[index] = this.#addReduce(event)
          break
        default:
          break
      }
    }
  }

  #push(key: EventKey, modes: readonly Mode[], occupies = true): EventId {
    const id = this.#events.length
    this.#events.push({ id, key, modes, occupies })
    return id
  }

  /** An event of a stage, which runs on one rank. */
  #run(kind: EventKey['kind'], { region, rank, microbatch }: Run, stage: number, duration: Tick): EventId {
    const key = { kind, region, stage, microbatch, item: 0, chunk: 0, replica: 0 }
    return this.#push(key, [{ rank, duration, release: 0 }])
  }

  /** An event beside the compute; nothing is added when it takes no time. */
  #addLoose(kind: 'Broadcast' | 'Reduce', region: number, rank: number, duration: number): EventId {
    const key = { kind, region, stage: -1, microbatch: -1, item: 0, chunk: 0, replica: 0 }
    return duration > 0 ? this.#push(key, [{ rank, duration, release: 0 }], false) : -1
  }

  #stage({ region, stage = 0 }: { readonly region: number; readonly stage?: number }): StageWork {
    const { owner } = this.graph.placement[region]
    return this.#stages[region][owner.kind === 'ByLayer' ? stage - owner.firstStage : 0]
  }

  #addCompute(event: Run, place: number): EventId {
    const { stage, runs, splits } = this.#stage(event)
    const { microbatch } = event
    if (event.kind === 'Fwd') return this.#run('F', event, place, forwardTicks(stage, microbatch))
    if (!splits || !this.split(place, microbatch))
      return this.#run('B', event, place, backwardTicks(stage, runs, microbatch))
    const input = this.#run('I', event, place, backwardTicks(stage, runs, microbatch, 'input'))
    if (stage.some((slab, part) => runs[part] && slab.trainable))
      this.#weightOf.set(input, this.#run('W', event, place, backwardTicks(stage, runs, microbatch, 'weight')))
    return input
  }

  /** The encodes, or encoder backwards, of a microbatch: per item its chunks, chained in the order in which they run. */
  #addReplicated(index: number, event: Run): void {
    const { stage, runs } = this.#stage(event)
    const { region, microbatch } = event
    const [kind, modes] =
      event.kind === 'Fwd'
        ? (['E', encodeModes(this.measured, stage, microbatch)] as const)
        : (['EB', encodeBackwardModes(this.measured, { stage, runs }, microbatch, event.rank)] as const)
    const parts = partsInOrder(kind, encodeParts(this.measured, microbatch))
    const chains: EventId[][] = []
    for (const part of parts) {
      // However many ranks may run it, an event takes the same time on each.
      const duration = chunkShare(this.measured, microbatch, part, modes[0].duration)
      const id = this.#push(
        { kind, region, stage: -1, microbatch, item: part.item, chunk: part.chunk, replica: 0 },
        parts.length === 1 ? modes : modes.map(mode => ({ ...mode, duration }))
      )
      if (part.item === chains.length) chains.push([])
      chains[part.item].push(id)
    }
    if (parts.length === 1) this.#idOf[index] = chains[0][0]
    else
      this.#partsOf.set(index, {
        enter: chains.map(chain => chain[0]),
        leave: chains.map(chain => chain[chain.length - 1])
      })
    this.#chains.push(...chains)
  }

  #addReduce(event: GraphEvent & { kind: 'DpReduce' }): EventId {
    const { owner } = this.graph.placement[event.region]
    const stages = this.measured.regions[event.region].stages
    const here =
      owner.kind === 'ByLayer'
        ? stages.filter((_, local) => ranksOfStage(this.measured, owner.firstStage + local).includes(event.rank ?? 0))
        : stages
    return this.#addLoose(
      'Reduce',
      event.region,
      event.rank ?? 0,
      reduceTicks(here.flat(), this.measured.communication.reduce)
    )
  }

  addEdges(): void {
    const { events, edges } = this.graph
    const into = new Map<number, number>()
    for (const edge of edges) if (folds(events[edge.to])) into.set(edge.to, edge.from)
    for (const edge of edges) {
      const via = events[edge.from]
      const from = folds(via) ? into.get(edge.from) : edge.from
      if (from === undefined) continue
      const channel = via.kind === 'Coll' ? channelOf(via.comm) : innerChannel(edge.type, events[from], events[edge.to])
      this.#linkAll(from, edge.to, edge.type, channel)
    }
    for (const chain of this.#chains)
      for (let index = 1; index < chain.length; index++)
        this.#link(chain[index - 1], chain[index], 'sequence', 'handoff')
    for (const [input, weight] of this.#weightOf) this.#link(input, weight, 'sequence')
  }

  /** Links two events of the graph; where both stand for several, item by item. */
  #linkAll(from: number, to: number, type: Edge['type'], channel?: Channel): void {
    if (this.#partsOf.size === 0) {
      this.#link(this.#idOf[from], this.#idOf[to], type, channel)
      return
    }
    const leave = this.#partsOf.get(from)?.leave ?? [this.#idOf[from]]
    const enter = this.#partsOf.get(to)?.enter ?? [this.#idOf[to]]
    const byItem = this.#partsOf.has(from) && this.#partsOf.has(to)
    for (const [item, source] of leave.entries())
      for (const target of byItem ? [enter[item]] : enter) this.#link(source, target, type, channel)
  }

  #link(from: EventId, to: EventId, type: Edge['type'], channel?: Channel): void {
    if (from < 0 || to < 0) return
    const id = this.#edges.length
    this.#edges.push(
      channel === undefined
        ? { id, from, to, type, bytes: 0, lag: -1 }
        : { id, from, to, type, channel, bytes: 0, lag: lagOf(channel) }
    )
    const weight = type === 'accumulate' ? this.#weightOf.get(from) : undefined
    if (weight !== undefined) this.#link(weight, to, type)
  }

  /** Whether anything takes memory while it is live. */
  #holdsBytes(): boolean {
    return this.#stages.flat().some(({ stage }) => stage.some(slab => slab.activation > 0 || slab.output > 0))
  }

  finish(): Problem {
    const { measured } = this
    const { send, gather, scatter } = measured.communication
    return {
      ranks: measured.ranks,
      microbatches: measured.microbatches,
      unit: measured.unit,
      ticksPerUnit: measured.ticksPerUnit,
      hash: measured.hash,
      regions: regionInfos(measured),
      events: this.#events,
      edges: this.#edges,
      lags: [send, gather, scatter].map(ticks => uniformLags(measured.ranks, ticks)),
      holds: this.#holdsBytes()
        ? holdsOf({
            measured,
            events: this.#events,
            edges: this.#edges,
            weightOf: this.#weightOf,
            stageOf: event => this.#stage(event.key)
          })
        : [],
      ties: tiesOf(measured, this.#events, this.#chains),
      fusable: [],
      capacity: measured.capacity,
      fixed: fixedBytes(measured, this.graph),
      communication: measured.communication.model,
      symmetric: symmetricGroups(measured)
    }
  }
}

function isSplit(stage: Stage, runs: readonly boolean[]): boolean {
  return stage.every((slab, part) => !runs[part] || slab.backward.kind === 'split')
}
