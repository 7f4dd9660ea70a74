import { greatestCommonDivisor, range } from '../../../base/arrays.ts'
import type { Byte } from '../../../schedule/measured.ts'
import type { EventId, EventKey, Hold, Problem } from '../../../schedule/problem.ts'
import type { Analysis } from '../../analysis.ts'
import { holderOf, roomOf } from '../../holds.ts'
import type { Term } from '../../model/types.ts'
import { type Gap, isMixed, type Slot, type SlotContext } from './context.ts'

/** Larger byte ratios than this are rounded in the solution's favour: floating-point rows cannot tell single bytes apart. */
const LARGEST_COEFFICIENT = 10_000

/** Bytes of the free events of a region: while an encode runs, from it to its backward, while a backward runs, and its output. */
export type FreeBytes = {
  readonly running: Byte
  readonly kept: Byte
  readonly backward: Byte
  readonly output: Byte
}

/** The bytes that one free event brings, read from the holds. */
export function freeBytes(problem: Problem, encode: EventId, backward: EventId | undefined): FreeBytes {
  const bytes = { running: 0, kept: 0, backward: 0, output: 0 }
  for (const hold of problem.holds) {
    const { from, until } = hold
    if (from.event === backward && from.event === until.event) bytes.backward += hold.bytes
    if (from.event !== encode) continue
    if (from.arrival !== undefined) bytes.output += hold.bytes
    else if (from.at === 'start' && until.event === encode) bytes.running += hold.bytes
    else if (from.at === 'start') bytes.kept += hold.bytes
  }
  return bytes
}

/**
 * Memory group. Consumes holds, gaps and slots of ranks with a capacity. Memory counts along a line: with what the body
 * holds at each place it creates, per task and per gap, one row "encodes whose backward is still to come, plus outputs that
 * wait here, fit beside the body". A relaxation: outputs on their way or sent from other ranks are not counted, nor what a
 * chunk hands to the next; mixed gaps count as if their backwards ran first, and tasks of length 0 set no row. Where encodes
 * differ in bytes, another order within a gap may hold less than the line's, so only what no order can avoid is counted.
 */
export function addMemory(context: SlotContext): void {
  for (const rank of range(context.analysis.problem.ranks)) {
    const room = roomOf(context.analysis.problem, rank)
    if (room !== undefined) new RankMemory(context, rank, room).addRows()
  }
}

class RankMemory {
  readonly #bytes = new Map<EventId, FreeBytes>()
  readonly #alike: boolean
  readonly #level: { readonly gap: Byte[]; readonly task: Byte[] }

  constructor(
    readonly context: SlotContext,
    readonly rank: number,
    readonly room: Byte
  ) {
    const { analysis } = context
    this.#level = bodyLevels(analysis, rank)
    for (const event of analysis.free) {
      if (analysis.problem.events[event].key.kind !== 'E') continue
      this.#bytes.set(event, freeBytes(analysis.problem, event, backwardOf(analysis.problem, event)))
    }
    this.#alike = allAlike([...this.#bytes.values()])
  }

  addRows(): void {
    if (this.room < 0) this.context.milp.contradict()
    const gaps = this.context.gaps[this.rank]
    for (const [index, gap] of gaps.entries()) {
      this.#addGapRows(gaps, index, gap)
      const last = index + 1 === gaps.length || gaps[index + 1].place > gap.place
      const event = this.context.analysis.body[this.rank]?.[gap.place]
      if (last && event !== undefined && this.context.analysis.minDuration(event) > 0)
        this.#addTaskRow(gaps, index, gap)
    }
  }

  /** When the body task behind the gap starts. */
  #addTaskRow(gaps: readonly Gap[], index: number, gap: Gap): void {
    const before = gaps.slice(0, index + 1)
    const kept = [
      ...this.#keptTerms(
        before.flatMap(g => g.encodes),
        1
      ),
      ...this.#endedTerms(before, -1)
    ]
    const outputs = this.#waitingTerms(
      before.flatMap(g => g.encodes),
      gap.place + 1
    )
    this.#atMost([...kept, ...outputs], this.room - this.#level.task[gap.place])
  }

  /** While the encodes, or the backwards, of the gap run. */
  #addGapRows(gaps: readonly Gap[], index: number, gap: Gap): void {
    const [earlier, left] = [gaps.slice(0, index), this.room - this.#level.gap[gap.place]]
    const ended = this.#endedTerms(isMixed(gap) ? [...earlier, gap] : earlier, -1)
    const before = earlier.flatMap(g => g.encodes)
    const kept = [...this.#keptTerms([...before, ...gap.encodes], 1), ...ended]
    if (gap.encodes.length > 0 && !isMixed(gap)) this.#atMost(kept, left)
    const ordered = this.#alike && !isMixed(gap)
    for (const [i, slot] of gap.encodes.entries()) {
      const own = this.#bytes.get(slot.event)
      const here = ordered ? kept : [...this.#keptTerms([...before, slot], 1), ...ended]
      const waiting = this.#waitingTerms(ordered ? [...before, ...gap.encodes.slice(0, i)] : before, gap.place)
      this.#whenRunning(slot, own?.running ?? 0, here, waiting, left)
    }
    for (const slot of gap.backwards) {
      const encode = encodeOf(this.context.analysis.problem, slot.event)
      const own = encode === undefined ? 0 : (this.#bytes.get(encode)?.backward ?? 0)
      if (own > 0) this.#whenRunning(slot, own, [], this.#waitingTerms(before, gap.place), left)
    }
  }

  /** `sure` holds anyway; `waiting` is only certain while the slot's event runs, so it is given back where it does not. */
  #whenRunning(slot: Slot, own: Byte, sure: readonly Term[], waiting: readonly Term[], left: Byte): void {
    let most = 0
    for (const [, bytes] of waiting) most += bytes
    if (own === 0 && waiting.length === 0 && sure.length === 0) return
    const limit = left + most
    this.#atMost([...sure, ...waiting, [slot.variable, own + most]], limit)
  }

  #keptTerms(slots: readonly Slot[], sign: 1 | -1): Term[] {
    return slots.flatMap(({ event, variable }) => {
      const kept = this.#bytes.get(event)?.kept ?? 0
      return kept > 0 ? [[variable, sign * kept] as Term] : []
    })
  }

  #endedTerms(gaps: readonly Gap[], sign: 1 | -1): Term[] {
    const { problem } = this.context.analysis
    return gaps
      .flatMap(gap => gap.backwards)
      .flatMap(({ event, variable }) => {
        const encode = encodeOf(problem, event)
        const kept = encode === undefined ? 0 : (this.#bytes.get(encode)?.kept ?? 0)
        return kept > 0 ? [[variable, sign * kept] as Term] : []
      })
  }

  /** Outputs made on this rank that wait for a stage event at body place `from` or later. */
  #waitingTerms(slots: readonly Slot[], from: number): Term[] {
    const { analysis } = this.context
    return slots.flatMap(({ event, variable }) => {
      const user = analysis.outgoing[event].find(edge => edge.channel === 'gather')?.to
      const output = this.#bytes.get(event)?.output ?? 0
      const here = user !== undefined && analysis.rankOf[user] === this.rank && analysis.position[user] >= from
      return here && output > 0 ? [[variable, output] as Term] : []
    })
  }

  /** Adds sum <= limit in whole numbers small enough for a floating-point solver, never cutting off what fits. */
  #atMost(terms: readonly Term[], limit: Byte): void {
    let most = 0
    for (const [, bytes] of terms) most += Math.max(0, bytes)
    if (most <= limit) return
    const divisor = terms.reduce((gcd, [, bytes]) => greatestCommonDivisor(gcd, Math.abs(bytes)), 0) || 1
    const largest = Math.max(...terms.map(([, bytes]) => Math.abs(bytes))) / divisor
    const scale = divisor * Math.max(1, largest / LARGEST_COEFFICIENT)
    const side = Math.floor(limit / scale + (scale === divisor ? 0 : 1))
    this.context.milp.row(
      terms.map(([variable, bytes]): Term => [variable, Math.floor(bytes / scale)]),
      undefined,
      side
    )
  }
}

/** Whether all encodes of a problem bring the same bytes, so that any order of those in one gap holds the same. */
export function encodesAlike(problem: Problem): boolean {
  const encodes = problem.events.filter(event => event.key.kind === 'E').map(event => event.id)
  return allAlike(encodes.map(encode => freeBytes(problem, encode, backwardOf(problem, encode))))
}

function allAlike(list: readonly FreeBytes[]): boolean {
  return new Set(list.map(({ running, kept, backward, output }) => [running, kept, backward, output].join())).size <= 1
}

/** Bytes that the body's own holds surely take: in the gap before each place (length + 1), and when each task starts. */
export function bodyLevels(analysis: Analysis, rank: number): { gap: Byte[]; task: Byte[] } {
  const length = analysis.body[rank]?.length ?? 0
  const levels = { gap: new Array<Byte>(length + 1).fill(0), task: new Array<Byte>(length).fill(0) }
  for (const hold of analysis.problem.holds) {
    const span = bodySpan(analysis, hold, rank)
    if (!span) continue
    for (let place = span.from; place <= span.until; place++) {
      levels.task[place] += hold.bytes
      if (place > span.from) levels.gap[place] += hold.bytes
    }
  }
  return levels
}

/** Body places from the task that begins a hold to the one that ends it, for holds of the rank's own body. */
function bodySpan(
  { position, rankOf }: Analysis,
  hold: Hold,
  rank: number
): { from: number; until: number } | undefined {
  const holder = holderOf(hold)
  const on = holder === undefined ? ('rank' in hold.where ? hold.where.rank : -1) : rankOf[holder]
  const [from, until] = [position[hold.from.event], position[hold.until.event]]
  if (on !== rank || from < 0 || until < 0) return undefined
  return { from, until: hold.until.at === 'end' ? until : until - 1 }
}

function backwardOf(problem: Problem, encode: EventId): EventId | undefined {
  return pairs(problem).backwardOf.get(encode)
}

function encodeOf(problem: Problem, backward: EventId): EventId | undefined {
  return pairs(problem).encodeOf.get(backward)
}

type Pairs = { readonly backwardOf: Map<EventId, EventId>; readonly encodeOf: Map<EventId, EventId> }

const known = new WeakMap<Problem, Pairs>()

/** Which E belongs to which EB. */
function pairs(problem: Problem): Pairs {
  const found = known.get(problem)
  if (found) return found
  const nameOf = ({ microbatch, item, chunk }: EventKey) => `${microbatch}/${item}/${chunk}`
  const encodes = new Map(problem.events.filter(e => e.key.kind === 'E').map(e => [nameOf(e.key), e.id]))
  const made: Pairs = { backwardOf: new Map(), encodeOf: new Map() }
  for (const { id, key } of problem.events) {
    const encode = key.kind === 'EB' ? encodes.get(nameOf(key)) : undefined
    if (encode === undefined) continue
    made.backwardOf.set(encode, id)
    made.encodeOf.set(id, encode)
  }
  known.set(problem, made)
  return made
}
