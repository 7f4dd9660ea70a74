import { maximum, range } from '../base/arrays.ts'
import { partWords } from './label.ts'

/** What a listed run computes; `E` and `EB` are the forward and backward of a transposed source. */
export type RunKind = 'F' | 'B' | 'I' | 'W' | 'E' | 'EB'

/** What a transfer carries: stage outputs, their gradients, raw input data, or a source's graph for a recompute elsewhere. */
export type Payload = 'activation' | 'gradient' | 'data' | 'graph'

/** Stage of the transposed source, which stands before stage 0. */
export const SOURCE = -1

export type Run = {
  readonly op: 'run'
  readonly kind: RunKind
  readonly stage: number
  readonly microbatch: number
  /** Which encode of its microbatch, where there are several; no runtime's format says so. */
  readonly item?: number
  readonly chunk?: number
}

/**
 * One end of a transfer; `stage` is the stage at this end. Activations, data and graphs go from stage s to s + 1,
 * gradients from s to s - 1; `SOURCE` is the owner of the microbatch.
 */
export type Transfer = {
  readonly op: 'send' | 'recv'
  readonly payload: Payload
  readonly stage: number
  readonly microbatch: number
}

/** One entry of a rank's list in a runtime's schedule. A `local` entry has no effect on other ranks (sharding, loading). */
export type Action =
  | Run
  | Transfer
  | { readonly op: 'overlap'; readonly parts: readonly Run[] }
  | { readonly op: 'batch'; readonly parts: readonly Transfer[] }
  | { readonly op: 'collective'; readonly name: 'broadcast' | 'reduce' }
  | { readonly op: 'local'; readonly name: string; readonly stage: number; readonly microbatch?: number }
  | { readonly op: 'bubble' }

/** Where an action stood in its file: line and cell (or character) counted from 1. */
export type Position = { readonly row: number; readonly column: number }

/** What a file says beside its actions. */
export type OrderFacts = {
  /** Name of the format that it was read from, with its variant. */
  readonly dialect: string
  /** Who runs EB: its owner, the first stage's rank (which recomputes), or nobody. */
  readonly encoderBackward: 'none' | 'owner' | 'first-rank'
  /** `first-takes-all`: the first receive of a source's feature waits for every feature (a setting of some runtimes). */
  readonly featureReceive: 'each' | 'first-takes-all'
  /** Whether every stage must have a backward of every microbatch (runtimes without frozen stages). */
  readonly backwardEverywhere: boolean
  /** Whether the leading stages of a source region may leave out microbatches that it has no work for. */
  readonly sparseSource: boolean
  /** What a reader should know, one sentence each (dialect conversions and the like). */
  readonly notes: readonly string[]
}

/**
 * An untimed order as runtimes list it, whatever their format: per rank the actions in list order. The rest is inferred
 * from the actions: M, the number of stages, `stageToRank` and `owners` (-1 where nothing says).
 */
export type ForeignOrder = OrderFacts & {
  readonly ranks: readonly (readonly Action[])[]
  readonly microbatches: number
  readonly stages: number
  readonly stageToRank: readonly number[]
  readonly owners: readonly number[]
  /** Same shape as `ranks`. */
  readonly positions?: readonly (readonly Position[])[]
}

const PLAIN: OrderFacts = {
  dialect: 'tropipe',
  encoderBackward: 'none',
  featureReceive: 'each',
  backwardEverywhere: false,
  sparseSource: false,
  notes: []
}

/** An order from its actions; M, stages, placement and owners are read off them (first rank seen wins). */
export function foreignOrder(
  ranks: readonly (readonly Action[])[],
  facts: Partial<OrderFacts> = {},
  positions?: readonly (readonly Position[])[]
): ForeignOrder {
  const parts = ranks.map(actions => actions.flatMap(partsOf))
  const microbatches = 1 + maximum(microbatchesOf(parts), -1)
  const stages = 1 + maximum(stagesOf(parts), -1)
  const stageToRank = new Array<number>(stages).fill(-1)
  const owners = new Array<number>(microbatches).fill(-1)
  for (const [rank, list] of parts.entries()) {
    for (const part of list) {
      const atOwner = part.stage === SOURCE && !(part.op === 'run' && part.kind === 'EB')
      if (atOwner && owners[part.microbatch] < 0) owners[part.microbatch] = rank
      if (part.stage >= 0 && stageToRank[part.stage] < 0) stageToRank[part.stage] = rank
    }
  }
  return { ...PLAIN, ...facts, ranks, microbatches, stages, stageToRank, owners, ...(positions ? { positions } : {}) }
}

function* microbatchesOf(parts: readonly (readonly (Run | Transfer)[])[]): Iterable<number> {
  for (const list of parts) for (const part of list) yield part.microbatch
}

function* stagesOf(parts: readonly (readonly (Run | Transfer)[])[]): Iterable<number> {
  for (const list of parts) for (const part of list) yield part.stage
}

/** The runs and transfers that an action is made of; none for bubbles, collectives and local entries. */
export function partsOf(action: Action): readonly (Run | Transfer)[] {
  switch (action.op) {
    case 'run':
    case 'send':
    case 'recv':
      return [action]
    case 'overlap':
    case 'batch':
      return action.parts
    default:
      return []
  }
}

/** The runs of an action: itself, or the parts of an overlap. */
export function runsOf(action: Action): readonly Run[] {
  return action.op === 'run' ? [action] : action.op === 'overlap' ? action.parts : []
}

/** Whether the order lists any transfer; if not, receives are taken as posted in send order. */
export function listsTransfers(order: ForeignOrder): boolean {
  return order.ranks.some(actions => actions.some(a => a.op === 'send' || a.op === 'recv' || a.op === 'batch'))
}

/** The stage at the other end of a transfer. */
export function farStage({ op, payload, stage }: Transfer): number {
  const downstream = (payload === 'gradient') === (op === 'recv')
  return downstream ? stage + 1 : stage - 1
}

/** The rank at the other end of a transfer; -1 where the order does not say. */
export function peerOf(order: Pick<ForeignOrder, 'stageToRank' | 'owners'>, transfer: Transfer): number {
  const far = farStage(transfer)
  return (far === SOURCE ? order.owners[transfer.microbatch] : order.stageToRank[far]) ?? -1
}

/** The other end of a transfer. */
export function mirrorOf(transfer: Transfer): Transfer {
  const { op, payload, microbatch } = transfer
  return { op: op === 'send' ? 'recv' : 'send', payload, stage: farStage(transfer), microbatch }
}

/** The order reduced to what is computed: no transfers, collectives, local entries or bubbles; positions dropped. */
export function computeOnly(order: ForeignOrder): ForeignOrder {
  const ranks = order.ranks.map(actions => actions.filter(a => a.op === 'run' || a.op === 'overlap'))
  const { positions: _, ...rest } = order
  return { ...rest, ranks }
}

/** Whether an order has several encodes per microbatch, which runtimes have no word for. */
export function hasEncoderParts(order: Pick<ForeignOrder, 'ranks'>): boolean {
  return order.ranks.some(actions =>
    actions.some(action => runsOf(action).some(({ item = 0, chunk = 0 }) => item > 0 || chunk > 0))
  )
}

/** Text of a run or transfer for messages, e.g. `F(stage 2, microbatch 3)`. */
export function describeAction(action: Action): string {
  switch (action.op) {
    case 'run':
      return action.stage === SOURCE
        ? `${action.kind}(microbatch ${action.microbatch}${partWords(action)})`
        : `${action.kind}(stage ${action.stage}, microbatch ${action.microbatch})`
    case 'send':
    case 'recv':
      return `${action.op} of ${action.payload}(${stageName(action.stage)}, microbatch ${action.microbatch})`
    case 'overlap':
      return `overlap[${action.parts.map(describeAction).join(' with ')}]`
    case 'batch':
      return `batch[${action.parts.map(describeAction).join(', ')}]`
    case 'collective':
      return `${action.name} of all ranks`
    case 'local':
      return `${action.name}(stage ${action.stage})`
    case 'bubble':
      return 'bubble'
  }
}

function stageName(stage: number): string {
  return stage === SOURCE ? 'source' : `stage ${stage}`
}

/** Stage map of an order: `loop` (s mod P), `v` (rank r owns r and 2P-1-r), or `other`. One stage per rank is `loop`. */
export function stageMapOf(order: ForeignOrder): 'loop' | 'v' | 'other' {
  const P = order.ranks.length
  const all = range(order.stages)
  if (order.stages > 0 && all.every(s => order.stageToRank[s] === s % P) && order.stages % P === 0) return 'loop'
  const zigzag = (s: number) => (Math.floor(s / P) % 2 === 0 ? s % P : P - 1 - (s % P))
  return order.stages === 2 * P && all.every(s => order.stageToRank[s] === zigzag(s)) ? 'v' : 'other'
}
