import { activationBytes, chunkShare, type EncoderCut, itemShare, weightHeldBytes } from './costs.ts'
import type { Measured, Stage } from './measured.ts'
import type { Edge, Event, EventId, EventKey, Hold } from './problem.ts'

/** What holds are worked out from: a problem's events and edges, and the stage behind an event with its backward bits. */
export type HoldInput = {
  readonly measured: Pick<Measured, 'encoderBackward'> & EncoderCut
  readonly events: readonly Event[]
  readonly edges: readonly Edge[]
  /** Weight part by the id of its input part. */
  readonly weightOf: ReadonlyMap<EventId, EventId>
  readonly stageOf: (event: Event) => { readonly stage: Stage; readonly runs: readonly boolean[] }
}

/** When activations and encoder outputs are live (spec section 3). Holds of no bytes are left out. */
export function holdsOf(input: HoldInput): Hold[] {
  const backwardOf = new Map<EventId, EventId>()
  const outputOf = new Map<EventId, Edge>()
  for (const edge of input.edges) {
    const [from, to] = [input.events[edge.from].key, input.events[edge.to].key]
    if (from.kind === 'F' && from.stage === to.stage && from.microbatch === to.microbatch)
      backwardOf.set(edge.from, edge.to)
    if (from.kind === 'E' && (edge.channel === 'gather' || to.kind === 'E')) outputOf.set(edge.from, edge)
  }
  const encodeBackward = new Map(input.events.filter(e => e.key.kind === 'EB').map(e => [partName(e.key), e.id]))
  const holds: Hold[] = []
  const add: AddHold = (where, bytes, from, until) => {
    if (bytes > 0) holds.push({ where, bytes, from, until })
  }
  for (const event of input.events) {
    const { kind } = event.key
    if (kind === 'F') holdStage(input, add, event, backwardOf.get(event.id))
    if (kind === 'E') {
      holdEncode(input, add, event, encodeBackward.get(partName(event.key)))
      holdOutput(input, add, event, outputOf.get(event.id))
    }
  }
  return holds
}

function partName({ microbatch, item, chunk }: EventKey): string {
  return `${microbatch}/${item}/${chunk}`
}

type AddHold = (where: Hold['where'], bytes: number, from: Hold['from'], until: Hold['until']) => void

/** A stage's activation: until its backward ends; of a split one, the weight part keeps its share until it ends itself. */
function holdStage(input: HoldInput, add: AddHold, event: Event, backward: EventId | undefined): void {
  const { stage, runs } = input.stageOf(event)
  const { held, released } = activationBytes(stage, runs, event.key.microbatch)
  const [where, from] = [{ rankOf: event.id }, { event: event.id, at: 'start' }] as const
  add(where, released, from, { event: event.id, at: 'end' })
  if (backward === undefined) return
  const weight = input.weightOf.get(backward)
  const late = weight === undefined ? 0 : weightHeldBytes(stage, runs, event.key.microbatch)
  add(where, held - late, from, { event: backward, at: 'end' })
  if (weight !== undefined) add(where, late, from, { event: weight, at: 'end' })
}

/**
 * An encode's activation: on its owner until its backward ends; under `first-rank` only while each of the two runs. A
 * chunk keeps its share for its backward; what is needed only while it runs is the whole of its item's.
 */
function holdEncode({ measured, stageOf }: HoldInput, add: AddHold, event: Event, backward: EventId | undefined): void {
  const { stage, runs } = stageOf(event)
  const { microbatch, item } = event.key
  const bytes = activationBytes(stage, runs, microbatch)
  const held = chunkShare(measured, microbatch, event.key, bytes.held)
  const released = itemShare(measured, microbatch, item, bytes.released)
  const [where, from, end] = [
    { rankOf: event.id },
    { event: event.id, at: 'start' },
    { event: event.id, at: 'end' }
  ] as const
  if (backward !== undefined && measured.encoderBackward === 'owner') {
    add(where, released, from, end)
    add(where, held, from, { event: backward, at: 'end' })
    return
  }
  add(where, held + released, from, end)
  if (backward === undefined) return
  add({ rankOf: backward }, held + released, { event: backward, at: 'start' }, { event: backward, at: 'end' })
}

/**
 * An encode's output: on its owner until it has arrived, then where it is needed until it is consumed. What a chunk hands
 * to the next one counts like the output of its item.
 */
function holdOutput({ measured, stageOf }: HoldInput, add: AddHold, event: Event, edge: Edge | undefined): void {
  if (!edge) return
  const { stage } = stageOf(event)
  const { microbatch, item } = event.key
  const output = itemShare(measured, microbatch, item, stage[stage.length - 1].output)
  const end = { event: event.id, at: 'end' } as const
  if (edge.channel === 'handoff') {
    add({ rankOf: event.id }, output, end, { event: edge.to, at: 'start' })
    return
  }
  const arrival = { ...end, arrival: edge.id }
  add({ rankOf: event.id }, output, end, arrival)
  add({ rankOf: edge.to }, output, arrival, { event: edge.to, at: 'start' })
}
