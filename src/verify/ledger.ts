import type { ScheduleDocument, TimedEvent, TimedKind } from '../schedule/document.ts'
import type { Tick } from '../schedule/measured.ts'
import type { Rules } from './rules.ts'
import type { Code, NamedEvent, Place, Violation } from './violation.ts'

/** Rows of the ledger: B and I share one, since I takes B's place in every rule. */
export type Row = 'forward' | 'backward' | 'weight' | 'encode' | 'encodeBackward'

const ROW_OF: Readonly<Record<TimedKind, Row>> = {
  F: 'forward',
  B: 'backward',
  I: 'backward',
  W: 'weight',
  E: 'encode',
  EB: 'encodeBackward'
}

/** State of a slot: not listed, listed and without fault so far, or faulty and left out of later checks. */
export const ABSENT = 0
export const FINE = 1
export const FAULTY = 2

/**
 * The document's events by what they are: one slot per (row, stage, microbatch). Typed arrays, because a schedule may
 * have millions of events. `end` is start + cost, whatever the document states.
 */
export class Ledger {
  readonly state: Uint8Array
  readonly start: Float64Array
  readonly end: Float64Array
  /**
   * When what an event sends to another rank arrives there, where that is not the lag after its end; else NaN. One event may
   * scatter to several: the arrival of a scatter is noted at the encoder backward that waits for it.
   */
  readonly arrival: Float64Array
  readonly rank: Int32Array
  readonly step: Int32Array
  /** 1 where the stated length is not the cost. */
  readonly misstated: Uint8Array
  /** Slot of the event that it runs overlapped with; -1: none. */
  readonly partner: Int32Array
  /** 1 where the backward slot holds an I. */
  readonly isInput: Uint8Array
  /** Per rank, the slots of the events that are listed there, in list order. */
  readonly listed: readonly number[][]
  readonly violations: Violation[] = []
  readonly #rows: Readonly<Record<Row, number>>

  constructor(
    readonly rules: Rules,
    readonly document: ScheduleDocument
  ) {
    const stages = rules.stages.length
    const width = rules.source?.width ?? 1
    this.#rows = {
      forward: 0,
      backward: stages,
      weight: 2 * stages,
      encode: 3 * stages,
      encodeBackward: 3 * stages + width
    }
    const slots = (3 * stages + 2 * width) * rules.measured.microbatches
    this.state = new Uint8Array(slots)
    this.start = new Float64Array(slots)
    this.end = new Float64Array(slots)
    this.arrival = new Float64Array(slots).fill(Number.NaN)
    this.rank = new Int32Array(slots).fill(-1)
    this.step = new Int32Array(slots).fill(-1)
    this.misstated = new Uint8Array(slots)
    this.partner = new Int32Array(slots).fill(-1)
    this.isInput = new Uint8Array(slots)
    this.listed = document.ranks.map(() => [])
  }

  /** Slot of a row's stage (for E and EB: item * chunks + chunk) and microbatch. */
  slot(row: Row, place: number, microbatch: number): number {
    return (this.#rows[row] + place) * this.rules.measured.microbatches + microbatch
  }

  slotOf(event: TimedEvent): number {
    return this.slot(ROW_OF[event.kind], event.stage ?? this.partOf(event), event.microbatch)
  }

  /** Place of an encode, or encoder backward, among those of its microbatch. */
  partOf({ item = 0, chunk = 0 }: Pick<NamedEvent, 'item' | 'chunk'>): number {
    return item * (this.rules.source?.chunks ?? 1) + chunk
  }

  isFine(slot: number): boolean {
    return this.state[slot] === FINE
  }

  /** When the result of an event is on another rank that is `lag` ticks away; `noted` is the slot of its arrival. */
  arrivalOf(slot: number, lag: Tick, noted = slot): Tick {
    return lag > 0 && !Number.isNaN(this.arrival[noted]) ? this.arrival[noted] : this.end[slot] + lag
  }

  /** Where the event of a slot stands in the document. */
  place(slot: number): Place {
    const [rank, step] = [this.rank[slot], this.step[slot]]
    return { rank, step, event: this.document.ranks[rank][step] }
  }

  /** Reports the event of a slot and leaves it out of later checks. */
  blame(slot: number, code: Code, message: string, advice: string, other?: Place): void {
    this.state[slot] = FAULTY
    this.violations.push({ code, ...this.place(slot), ...(other ? { other } : {}), message, advice })
  }

  /** Reports something that has no slot. */
  report(code: Code, at: { rank?: number; step?: number; event?: NamedEvent }, message: string, advice: string): void {
    this.violations.push({ code, ...at, message, advice })
  }
}
