import { type Derivation, derive, type GraphEvent } from '../algebra/derive.ts'
import { partBackwards } from '../algebra/gates.ts'
import { ranksOfStage } from '../algebra/placement.ts'
import { isPlain, isTrainable, layoutOf } from '../algebra/types.ts'
import { range, sum } from '../base/arrays.ts'
import { notYet } from '../base/fault.ts'
import { backwardTicks, forwardTicks, reduceTicks, shapeOf } from './costs.ts'
import { holdsOf } from './holds.ts'
import type { BackwardCost, Measured, Stage } from './measured.ts'
import type { Channel, Edge, Event, EventId, EventKey, LagTable, Mode, Problem, RegionInfo, Tie } from './problem.ts'

/** Index of each lag table in `Problem.lags`. */
export const LAG = { send: 0, gather: 1, scatter: 2 } as const

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

function checkTimedScope(measured: Measured): void {
  const sharded = measured.regions.filter(region => layoutOf(region.skeleton) === 'Sharded')
  const misplaced = measured.regions.findIndex(
    (region, index) => index > 0 && layoutOf(region.skeleton) === 'Replicated'
  )
  if (misplaced > 0) {
    notYet(
      `regions[${misplaced}]`,
      measured.regions[misplaced].skeleton,
      'timing a Replicated region that is not the source',
      'Make it 1f1b, or use `tropipe derive`, which accepts it untimed.'
    )
  }
  const extended = sharded.find(region => !isPlain(region.skeleton))
  if (extended) {
    notYet(
      'schedule',
      extended.skeleton,
      `timing the skeleton ${extended.skeleton} as an instance`,
      'Use `tropipe derive`, or compare its family on a 1f1b instance.'
    )
  }
  const skeletons = [...new Set(sharded.map(region => region.skeleton))]
  if (skeletons.length > 1) {
    notYet(
      'schedule',
      skeletons,
      'timing Sharded regions of different skeletons',
      'Give all Sharded regions one skeleton.'
    )
  }
}

class ProblemBuilder {
  readonly #events: Event[] = []
  readonly #edges: Edge[] = []
  readonly #ties: Tie[] = []
  /** Per graph event: the problem event that other events see as it (I stands for B where split), or -1. */
  readonly #idOf: Int32Array
  /** Weight part by the id of its input part. */
  readonly #weightOf = new Map<EventId, EventId>()

  constructor(
    readonly measured: Measured,
    readonly graph: Derivation,
    readonly runs: readonly (readonly (readonly boolean[])[])[],
    readonly split: Splits
  ) {
    this.#idOf = new Int32Array(graph.events.length).fill(-1)
  }

  addEvents(): void {
    for (const [index, event] of this.graph.events.entries()) {
      switch (event.kind) {
        case 'Fwd':
        case 'Bwd':
          this.#idOf[index] = this.#addCompute(event)
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

  #push(key: Partial<EventKey> & Pick<EventKey, 'kind'>, modes: readonly Mode[], occupies = true): EventId {
    const id = this.#events.length
    const { kind, region = -1, stage = -1, microbatch = -1, item = 0, chunk = 0, replica = 0 } = key
    this.#events.push({ id, key: { kind, region, stage, microbatch, item, chunk, replica }, modes, occupies })
    return id
  }

  /** An event beside the compute; nothing is added when it takes no time. */
  #addLoose(kind: 'Broadcast' | 'Reduce', region: number, rank: number, duration: number): EventId {
    return duration > 0 ? this.#push({ kind, region }, [{ rank, duration, release: 0 }], false) : -1
  }

  #stage(event: { readonly region: number; readonly stage?: number }): { stage: Stage; runs: readonly boolean[] } {
    const region = this.measured.regions[event.region]
    const owner = this.graph.placement[event.region].owner
    const local = owner.kind === 'ByLayer' ? (event.stage ?? 0) - owner.firstStage : 0
    return { stage: region.stages[local], runs: this.runs[event.region][local] }
  }

  #addCompute(event: GraphEvent & { kind: 'Fwd' | 'Bwd' }): EventId {
    const { stage, runs } = this.#stage(event)
    const { region, microbatch } = event
    if (event.stage === undefined) return this.#addReplicated(event, stage, runs)
    const key = { region, stage: event.stage, microbatch }
    const on = (duration: number): Mode[] => [{ rank: event.rank, duration, release: 0 }]
    if (event.kind === 'Fwd') return this.#push({ kind: 'F', ...key }, on(forwardTicks(stage, microbatch)))
    if (!this.split(event.stage, microbatch) || !isSplit(stage, runs))
      return this.#push({ kind: 'B', ...key }, on(backwardTicks(stage, runs, microbatch)))
    const input = this.#push({ kind: 'I', ...key }, on(backwardTicks(stage, runs, microbatch, 'input')))
    if (stage.some((slab, part) => runs[part] && slab.trainable)) {
      this.#weightOf.set(input, this.#push({ kind: 'W', ...key }, on(backwardTicks(stage, runs, microbatch, 'weight'))))
    }
    return input
  }

  #addReplicated(event: GraphEvent & { kind: 'Fwd' | 'Bwd' }, stage: Stage, runs: readonly boolean[]): EventId {
    const { region, microbatch } = event
    const { ranks, encoderBackward, communication } = this.measured
    const forward = forwardTicks(stage, microbatch)
    if (event.kind === 'Fwd') {
      const trained = stage.some(slab => slab.trainable)
      const modes = range(ranks).map(rank => ({
        rank,
        duration: forward,
        release: trained && rank !== 0 ? communication.broadcast : 0
      }))
      return this.#push({ kind: 'E', region, microbatch }, modes)
    }
    const backward = backwardTicks(stage, runs, microbatch)
    const modes =
      encoderBackward === 'first-rank'
        ? [{ rank: event.rank, duration: forward + backward, release: 0 }]
        : range(ranks).map(rank => ({ rank, duration: backward, release: 0 }))
    return this.#push({ kind: 'EB', region, microbatch }, modes)
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
      this.#link(this.#idOf[from], this.#idOf[edge.to], edge.type, channel)
    }
    for (const [input, weight] of this.#weightOf) this.#link(input, weight, 'sequence')
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

  finish(): Problem {
    const { measured } = this
    const encodes = new Map(this.#events.filter(e => e.key.kind === 'E').map(e => [e.key.microbatch, e.id]))
    for (const { id, key, modes } of this.#events) {
      const encode = encodes.get(key.microbatch)
      if (key.kind === 'EB' && modes.length > 1 && encode !== undefined)
        this.#ties.push({ same: 'rank', events: [encode, id] })
    }
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
      holds: holdsOf({
        measured,
        events: this.#events,
        edges: this.#edges,
        weightOf: this.#weightOf,
        stageOf: event => this.#stage(event.key)
      }),
      ties: this.#ties,
      fusable: [],
      capacity: measured.capacity,
      fixed: fixedBytes(measured, this.graph),
      communication: measured.communication.model,
      symmetric: symmetricGroups(measured)
    }
  }
}

/** Collectives and losses take no event of their own: their edges join their neighbours. */
function folds(event: GraphEvent): boolean {
  return event.kind === 'Coll' || event.kind === 'Loss'
}

function isSplit(stage: Stage, runs: readonly boolean[]): boolean {
  return stage.every((slab, part) => !runs[part] || slab.backward.kind === 'split')
}

function channelOf(comm: 'Gather' | 'Scatter' | 'Send' | 'RecvGrad'): Channel {
  return ({ Gather: 'gather', Scatter: 'scatter', Send: 'send', RecvGrad: 'recvGrad' } as const)[comm]
}

/** Channel of an edge inside a region: between stages a send; between an event and its own backward none. */
function innerChannel(type: Edge['type'], from: GraphEvent, to: GraphEvent): Channel | undefined {
  if (
    (from.kind !== 'Fwd' && from.kind !== 'Bwd') ||
    (to.kind !== 'Fwd' && to.kind !== 'Bwd') ||
    from.stage === to.stage
  )
    return undefined
  return type === 'gradient' ? 'recvGrad' : 'send'
}

function lagOf(channel: Channel): number {
  switch (channel) {
    case 'send':
    case 'recvGrad':
      return LAG.send
    case 'gather':
      return LAG.gather
    case 'scatter':
      return LAG.scatter
    case 'handoff':
      return -1
  }
}

function uniformLags(ranks: number, ticks: number): LagTable {
  return Float64Array.from({ length: ranks * ranks }, (_, cell) =>
    Math.floor(cell / ranks) === cell % ranks ? 0 : ticks
  )
}

function regionInfos(measured: Measured): RegionInfo[] {
  return measured.regions.map((region, index) => ({
    name: region.name,
    layout: layoutOf(region.skeleton),
    skeleton: region.skeleton,
    trainable: isTrainable({ ...region, stages: region.stages }),
    inputs: index === 0 ? [] : [index - 1]
  }))
}

/** Reserved bytes and the parameters of every slab (and copy) placed on each rank; a Replicated region counts on all. */
function fixedBytes(measured: Measured, graph: Derivation): number[] {
  return range(measured.ranks).map(rank => {
    const placed = measured.regions.flatMap((region, index) => {
      const owner = graph.placement[index].owner
      const copies = (local: number) =>
        owner.kind === 'ByMicrobatch'
          ? 1
          : ranksOfStage(measured, owner.firstStage + local).filter(other => other === rank).length
      return region.stages.flatMap((stage, local) => range(copies(local)).flatMap(() => stage))
    })
    return measured.reserved[rank] + sum(placed.map(slab => slab.parameters))
  })
}

/** Microbatches whose events all have the same durations, grouped; groups of one are left out. */
function symmetricGroups({ microbatches, regions }: Measured): number[][] {
  const lists = regions.flatMap(region =>
    region.stages.flat().flatMap(slab => [slab.forward, ...backwardLists(slab.backward)])
  )
  const uneven = [...new Set(lists)].filter(list => list.some(ticks => ticks !== list[0]))
  const groups = new Map<string, number[]>()
  for (let microbatch = 0; microbatch < microbatches; microbatch++) {
    const profile = uneven.map(list => list[microbatch]).join()
    const group = groups.get(profile)
    if (group) group.push(microbatch)
    else groups.set(profile, [microbatch])
  }
  return [...groups.values()].filter(group => group.length > 1)
}

function backwardLists(cost: BackwardCost): readonly (readonly number[])[] {
  return cost.kind === 'full' ? [cost.full] : [cost.input, cost.weight]
}
