import type { TimedTransfer, TransferKind } from '../../schedule/document.ts'
import type { Tick } from '../../schedule/measured.ts'
import type { Ledger } from '../ledger.ts'

/** A transfer that the dependencies demand where its two events sit on different ranks: what a document may list. */
export type Demand = {
  readonly kind: TransferKind
  readonly stage: number | undefined
  readonly microbatch: number
  /** Encoder task of a gather or scatter; 0 between stages. */
  readonly item: number
  /** Slots of the event that it follows and of the one that waits for it. */
  readonly producer: number
  readonly consumer: number
  readonly ticks: Tick
}

/** Every dependency of the instance that can cross ranks, by name (`nameOf`). */
export function demandsOf(ledger: Ledger): Map<string, Demand> {
  const { measured, stages, source } = ledger.rules
  const { send, gather, scatter } = measured.communication
  const demands = new Map<string, Demand>()
  const add = (demand: Demand) => demands.set(nameOf(demand), demand)
  for (let microbatch = 0; microbatch < measured.microbatches; microbatch++) {
    const slot = (row: 'forward' | 'backward' | 'encode' | 'encodeBackward', stage: number) =>
      ledger.slot(row, stage, microbatch)
    for (const [stage, rule] of stages.entries()) {
      const following = stages[stage + 1]
      if (!rule.works[microbatch] || !following) continue
      const forward = { producer: slot('forward', stage), consumer: slot('forward', stage + 1) }
      add({ kind: 'send', stage, microbatch, item: 0, ticks: send, ...forward })
      const back = { producer: slot('backward', stage + 1), consumer: slot('backward', stage) }
      if (rule.backward) add({ kind: 'recvGrad', stage: stage + 1, microbatch, item: 0, ticks: send, ...back })
    }
    if (!source?.works[microbatch] || stages.length === 0) continue
    for (const [part, { item, chunk }] of source.encodes(microbatch).entries()) {
      if (chunk < source.chunks - 1) continue
      const feature = { producer: slot('encode', part), consumer: slot('forward', 0) }
      add({ kind: 'gather', stage: undefined, microbatch, item, ticks: gather, ...feature })
      const gradient = { producer: slot('backward', 0), consumer: slot('encodeBackward', part) }
      if (source.backward) add({ kind: 'scatter', stage: 0, microbatch, item, ticks: scatter, ...gradient })
    }
  }
  return demands
}

/** Slot at which a transfer's arrival is noted: its producer's, but of several scatters of one backward each consumer's. */
export function arrivalSlot({ kind, producer, consumer }: Demand): number {
  return kind === 'scatter' ? consumer : producer
}

/** What a transfer is, in words that are also its key: `send(stage 2, microbatch 5)`, `gather(microbatch 5, item 1)`. */
export function nameOf({
  kind,
  stage,
  microbatch,
  item = 0
}: Pick<TimedTransfer, 'kind' | 'microbatch' | 'item'> & { stage?: number | undefined }): string {
  const place = stage === undefined ? '' : `stage ${stage}, `
  return `${kind}(${place}microbatch ${microbatch}${item > 0 ? `, item ${item}` : ''})`
}

/** Whether a demanded transfer takes place: both events stand, on different ranks, and the channel takes time. */
export function takesPlace(ledger: Ledger, { producer, consumer, ticks }: Demand): boolean {
  const both = ledger.isFine(producer) && ledger.isFine(consumer)
  return both && ticks > 0 && ledger.rank[producer] !== ledger.rank[consumer]
}

/** Whether it carries a gradient: of two that are ready at one tick, those of one microbatch go forward first. */
export function isGradient({ kind }: Demand): boolean {
  return kind === 'recvGrad' || kind === 'scatter'
}
