import type { BodyOrder } from '../algebra/orders/body.ts'
import type { Tick } from '../schedule/measured.ts'
import type { Ledger, Row } from './ledger.ts'
import type { SourceRules } from './source-rules.ts'
import { eventName, eventWithTimes } from './violation.ts'

/** ORDER: every list is in start order, and has the order of the body where the problem fixes it. */
export function checkOrder(ledger: Ledger, body: BodyOrder | undefined): void {
  for (const slots of ledger.listed) {
    let last = -1
    for (const slot of slots) {
      if (!ledger.isFine(slot)) continue
      if (last >= 0 && ledger.start[slot] < ledger.start[last]) {
        const { event } = ledger.place(slot)
        const other = ledger.place(last)
        const message = `${eventWithTimes(event)} is listed after ${eventWithTimes(other.event)}, which starts later`
        ledger.blame(slot, 'ORDER', message, 'List the events of a rank by their start.', other)
      } else last = slot
    }
  }
  if (!body) return
  const position = new Int32Array(ledger.state.length).fill(-1)
  for (const [rank, steps] of body.entries()) checkBody(ledger, rank, steps, position)
}

/** The stage events of a rank, in list order, must climb through the body order; `position` (by slot) is filled for it. */
function checkBody(ledger: Ledger, rank: number, steps: BodyOrder[number], position: Int32Array): void {
  for (const [index, { kind, stage, microbatch }] of steps.entries())
    position[ledger.slot(kind === 'F' ? 'forward' : 'backward', stage, microbatch)] = index
  let [reached, last] = [-1, -1]
  for (const slot of ledger.listed[rank]) {
    const index = position[slot]
    if (index < 0 || !ledger.isFine(slot)) continue
    if (index < reached) {
      const other = ledger.place(last)
      const message = `${eventName(ledger.place(slot).event)} comes before ${eventName(other.event)} in the fixed body order`
      ledger.blame(slot, 'ORDER', message, 'Keep the body order; only E and EB may move.', other)
    } else [reached, last] = [index, slot]
  }
}

/** OVERLAP: of two events of a rank, other than an overlapped pair, one ends at or before the other's start. */
export function checkOverlap(ledger: Ledger): void {
  for (const slots of ledger.listed) {
    // In start order, only the event that reaches furthest can still be running.
    let longest = -1
    for (const slot of slots) {
      if (!ledger.isFine(slot)) continue
      const paired = longest >= 0 && ledger.partner[slot] === longest
      if (
        longest >= 0 &&
        !paired &&
        ledger.end[longest] > ledger.start[slot] &&
        ledger.end[slot] > ledger.start[longest]
      ) {
        const { event } = ledger.place(slot)
        const other = ledger.place(longest)
        const message = `${eventWithTimes(event)} starts while ${eventWithTimes(other.event)} runs`
        ledger.blame(slot, 'OVERLAP', message, `Start it at ${ledger.end[longest]} or later.`, other)
      } else if (longest < 0 || ledger.end[slot] >= ledger.end[longest]) longest = slot
    }
  }
}

/** PRECEDENCE: no event starts before 0, before the broadcast, or before what it needs has ended and arrived. */
export function checkPrecedence(ledger: Ledger): void {
  const { stages, source, measured, firstStageRank } = ledger.rules
  const { send, gather, scatter } = measured.communication
  const needs = new Needs(ledger)
  for (let m = 0; m < measured.microbatches; m++) {
    for (let stage = 0; stage < stages.length; stage++) {
      if (!stages[stage].works[m]) continue
      needs.of('forward', stage, m)
      if (stage > 0) needs.after('forward', stage - 1, send)
      else if (source) needs.afterItems(m, source, gather)
      needs.met()
      if (!stages[stage].backward) continue
      needs.of('backward', stage, m)
      needs.after('forward', stage, 0)
      if (stage < stages.length - 1) needs.after('backward', stage + 1, send)
      needs.met()
      needs.of('weight', stage, m)
      needs.after('backward', stage, 0)
      needs.met()
    }
    if (!source) continue
    for (const [part, { chunk }] of source.encodes(m).entries()) {
      needs.of('encode', part, m)
      needs.notBefore(source.broadcast, firstStageRank)
      if (chunk > 0) needs.after('encode', part - 1, 0)
      needs.met()
      needs.of('encodeBackward', part, m)
      needs.after('encode', part, 0)
      if (chunk < source.chunks - 1) needs.after('encodeBackward', part + 1, 0)
      else if (stages.length > 0) needs.afterScatter(scatter)
      needs.met()
    }
  }
}

/** Collects what one event waits for, and blames it once if it starts too early. */
class Needs {
  #slot = 0
  #microbatch = 0
  #ready: Tick = 0
  #cause = -1
  #lag: Tick = 0

  constructor(readonly ledger: Ledger) {}

  of(row: Row, stage: number, microbatch: number): void {
    this.#slot = this.ledger.slot(row, stage, microbatch)
    this.#microbatch = microbatch
    this.#ready = 0
    this.#cause = -1
  }

  /** The last chunk of every item, at the end of its transfer. */
  afterItems(microbatch: number, { encodes, chunks }: SourceRules, lag: Tick): void {
    for (const [part, { chunk }] of encodes(microbatch).entries())
      if (chunk === chunks - 1) this.after('encode', part, lag)
  }

  /** The first stage's backward, whose gradient arrives at each encoder backward by a transfer of its own. */
  afterScatter(lag: Tick): void {
    this.after('backward', 0, lag, this.#slot)
  }

  /** The end of another event of the same microbatch, plus `lag` where the ranks differ; `noted`: where its arrival is noted. */
  after(row: Row, place: number, lag: Tick, noted?: number): void {
    const { ledger } = this
    const cause = ledger.slot(row, place, this.#microbatch)
    if (!ledger.isFine(cause)) return
    const travel = ledger.rank[cause] === ledger.rank[this.#slot] ? 0 : lag
    const ready = ledger.arrivalOf(cause, travel, noted)
    if (ready <= this.#ready) return
    this.#ready = ready
    this.#cause = cause
    this.#lag = ready - ledger.end[cause]
  }

  /** A moment that holds on every rank but one. */
  notBefore(tick: Tick, exempt: number): void {
    if (this.ledger.rank[this.#slot] !== exempt && tick > this.#ready) this.#ready = tick
  }

  met(): void {
    const { ledger } = this
    if (!ledger.isFine(this.#slot) || ledger.start[this.#slot] >= this.#ready) return
    const { event } = ledger.place(this.#slot)
    const advice = `Start it at ${this.#ready} or later.`
    if (this.#cause < 0) {
      const what = this.#ready === 0 ? 'time 0' : `the broadcast ends at ${this.#ready}`
      ledger.blame(this.#slot, 'PRECEDENCE', `${eventWithTimes(event)} starts before ${what}`, advice)
      return
    }
    const other = ledger.place(this.#cause)
    const travel = this.#lag > 0 ? ` plus ${this.#lag} ticks of transfer` : ''
    const message = `${eventWithTimes(event)} starts before the end of ${eventWithTimes(other.event)}${travel}`
    ledger.blame(this.#slot, 'PRECEDENCE', message, advice, other)
  }
}
