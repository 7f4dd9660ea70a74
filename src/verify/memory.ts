import { range } from '../base/arrays.ts'
import { showBytes } from '../base/bytes.ts'
import type { Byte, Tick } from '../schedule/measured.ts'
import type { Ledger } from './ledger.ts'
import type { EncodeRules } from './source-rules.ts'
import { eventWithTimes } from './violation.ts'

/** Bytes held over half-open intervals on one rank: two moments per interval, a gain and a loss. */
class Holds {
  readonly ticks: Tick[] = []
  readonly bytes: Byte[] = []
  /** Slot of the event that the hold belongs to. */
  readonly cause: number[] = []

  add(bytes: Byte, from: Tick, until: Tick, cause: number): void {
    if (bytes <= 0 || until <= from) return
    this.ticks.push(from, until)
    this.bytes.push(bytes, -bytes)
    this.cause.push(cause, cause)
  }

  /** First moment at which `fixed` and the holds exceed the limit; releases come first within a tick. */
  firstExcess(fixed: Byte, limit: Byte): { tick: Tick; bytes: Byte; cause: number } | undefined {
    if (fixed > limit) return { tick: 0, bytes: fixed, cause: -1 }
    const moments = range(this.ticks.length).sort(
      (a, b) => this.ticks[a] - this.ticks[b] || this.bytes[a] - this.bytes[b]
    )
    let live = fixed
    for (const moment of moments) {
      live += this.bytes[moment]
      if (live > limit) return { tick: this.ticks[moment], bytes: live, cause: this.cause[moment] }
    }
    return undefined
  }
}

/** MEMORY: on no rank does the sum of everything held exceed the capacity (spec section 3). */
export function checkMemory(ledger: Ledger): void {
  const { measured, fixedBytes } = ledger.rules
  if (measured.capacity.every(limit => limit === undefined)) return
  const holds = range(measured.ranks).map(() => new Holds())
  holdStages(ledger, holds)
  holdSource(ledger, holds)
  for (const [rank, limit] of measured.capacity.entries()) {
    const excess = limit === undefined ? undefined : holds[rank].firstExcess(fixedBytes[rank], limit)
    if (!excess || limit === undefined) continue
    const over = excess.bytes - limit
    const message = `rank ${rank} holds ${showBytes(excess.bytes)} at ${excess.tick}, ${showBytes(over)} above its capacity of ${showBytes(limit)}`
    const advice = 'Delay or move the event, or release an activation earlier.'
    if (excess.cause < 0) ledger.report('MEMORY', { rank }, message, 'Parameters alone do not fit: raise the capacity.')
    else {
      const { event, ...place } = ledger.place(excess.cause)
      const here = place.rank === rank ? place : { rank }
      ledger.report('MEMORY', { ...here, event }, `${message}, with ${eventWithTimes(event)}`, advice)
    }
  }
}

/** A stage's activation lives from its F to its B; split, a share of it to its W; where no backward comes, to the end of F. */
function holdStages(ledger: Ledger, holds: readonly Holds[]): void {
  const { stages, measured } = ledger.rules
  const { start, end } = ledger
  for (let stage = 0; stage < stages.length; stage++) {
    const { rankOf, bytesOf, weight } = stages[stage]
    for (let m = 0; m < measured.microbatches; m++) {
      const forward = ledger.slot('forward', stage, m)
      if (!ledger.isFine(forward)) continue
      const rank = rankOf(m)
      const { releasedBytes, heldBytes, weightBytes } = bytesOf(m)
      holds[rank].add(releasedBytes, start[forward], end[forward], forward)
      const back = ledger.slot('backward', stage, m)
      if (!ledger.isFine(back)) continue
      const late = ledger.isInput[back] === 1 && weight ? weightBytes : 0
      holds[rank].add(heldBytes - late, start[forward], end[back], forward)
      const last = ledger.slot('weight', stage, m)
      if (late > 0 && ledger.isFine(last)) holds[rank].add(late, start[forward], end[last], forward)
    }
  }
}

/** An encode's activation and its output (spec section 3). */
function holdSource(ledger: Ledger, holds: readonly Holds[]): void {
  const { source, measured } = ledger.rules
  if (!source) return
  for (let m = 0; m < measured.microbatches; m++) {
    for (const [part, rules] of source.encodes(m).entries()) {
      const encode = ledger.slot('encode', part, m)
      if (!ledger.isFine(encode)) continue
      holdActivation(ledger, holds, encode, ledger.slot('encodeBackward', part, m), rules)
      const next = ledger.slot('encode', part + 1, m)
      if (rules.chunk === source.chunks - 1) {
        if (measured.regions.length > 1) holdOutput(ledger, holds, encode, ledger.slot('forward', 0, m), rules)
      } else if (ledger.isFine(next))
        holds[ledger.rank[encode]].add(rules.outputBytes, ledger.end[encode], ledger.start[next], encode)
    }
  }
}

/** Frozen: while E runs. Trained: until EB ends on the owner; or, recomputed, while E runs and again while EB runs. */
function holdActivation(
  ledger: Ledger,
  holds: readonly Holds[],
  encode: number,
  back: number,
  { heldBytes, releasedBytes }: EncodeRules
): void {
  const { source, measured } = ledger.rules
  if (!source) return
  const { start, end, rank } = ledger
  const recomputes = measured.encoderBackward === 'first-rank'
  holds[rank[encode]].add(releasedBytes, start[encode], end[encode], encode)
  if (recomputes || !source.backward) holds[rank[encode]].add(heldBytes, start[encode], end[encode], encode)
  if (!source.backward || !ledger.isFine(back)) return
  if (recomputes) holds[rank[back]].add(heldBytes + releasedBytes, start[back], end[back], back)
  else holds[rank[encode]].add(heldBytes, start[encode], end[back], encode)
}

/** On the owner until the Gather has arrived, then on the first stage's rank until its F starts. */
function holdOutput(
  ledger: Ledger,
  holds: readonly Holds[],
  encode: number,
  forward: number,
  { outputBytes: bytes }: EncodeRules
): void {
  const { measured, firstStageRank } = ledger.rules
  const owner = ledger.rank[encode]
  const left = ledger.end[encode]
  const arrived = ledger.arrivalOf(encode, owner === firstStageRank ? 0 : measured.communication.gather)
  holds[owner].add(bytes, left, arrived, encode)
  if (ledger.isFine(forward)) holds[firstStageRank].add(bytes, arrived, ledger.start[forward], encode)
}
