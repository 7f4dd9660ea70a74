import { range } from '../../../base/arrays.ts'
import type { Byte } from '../../../schedule/measured.ts'
import type { Hold, Point } from '../../../schedule/problem.ts'
import { type Activity, activityAt, holderOf, type Known, roomOf } from '../../holds.ts'
import { atLeast, no, yes } from '../../model/builder.ts'
import type { Literal, Term, Variable } from '../../model/types.ts'
import { endOf, type LogicContext, onRank } from './context.ts'

/**
 * Memory group, exact. Consumes the holds of ranks with a capacity. Memory can only pass its limit where some hold begins,
 * so it creates, per rank and such a moment, one sum over the holds that may be active then: bytes of those in room at most.
 * "Active" is one Boolean per pair of holds that the precedences leave open; moments that cannot overflow are left out.
 */
export function addMemory(context: LogicContext, skip: (rank: number) => boolean = () => false): void {
  const memory = new Memory(context)
  for (const rank of range(context.analysis.problem.ranks)) if (!skip(rank)) memory.limit(rank)
}

type Placed = { readonly hold: Hold; readonly on: readonly Literal[] }
type Entry = { readonly bytes: Byte; readonly when: Literal[] }

class Memory {
  /** Boolean "hold is active when moment's hold begins", by pair of hold indices. */
  readonly #active = new Map<number, Variable>()
  readonly #times = new Map<string, Variable>()
  readonly #index: Map<Hold, number>
  readonly #known: Known

  constructor(readonly context: LogicContext) {
    this.#known = { ...context.analysis, waits: edge => context.transfers.has(edge) }
    this.#index = new Map(context.analysis.problem.holds.map((hold, index) => [hold, index]))
  }

  limit(rank: number): void {
    const { problem } = this.context.analysis
    const room = roomOf(problem, rank)
    if (room === undefined) return
    if (room < 0) this.context.smt.clause()
    const placed = problem.holds.flatMap(hold => this.#place(hold, rank) ?? [])
    for (const moment of placed) this.#limitAt(moment, placed, room)
  }

  #place(hold: Hold, rank: number): Placed | undefined {
    const holder = holderOf(hold)
    if (holder === undefined) return 'rank' in hold.where && hold.where.rank === rank ? { hold, on: [] } : undefined
    const here = onRank(this.context, holder, rank)
    return here === 'never' ? undefined : { hold, on: here === 'always' ? [] : [here] }
  }

  /** At most `room` bytes when `moment` begins. Nothing is said where all that could be there fits. */
  #limitAt(moment: Placed, placed: readonly Placed[], room: Byte): void {
    const at = moment.hold.from
    const there: { placed: Placed; activity: Activity }[] = []
    let most = 0
    for (const one of placed) {
      const activity = one === moment ? this.#ownActivity(moment.hold) : activityAt(this.#known, one.hold, at)
      if (activity === 'never') continue
      there.push({ placed: one, activity })
      most += one.hold.bytes
    }
    if (most <= room) return
    const entries = there.map(({ placed: one, activity }) => this.#entry(moment, one, activity))
    this.#addSum(entries, room)
  }

  #ownActivity(hold: Hold): Activity {
    return activityAt(this.#known, hold, hold.from)
  }

  /** When the bytes of a hold count at the moment: both are on the rank, and the hold is active. */
  #entry(moment: Placed, one: Placed, activity: Activity): Entry {
    const when = new Map<string, Literal>()
    for (const literal of [...moment.on, ...one.on]) when.set(JSON.stringify(literal), literal)
    if (activity === 'open') {
      const active = yes(this.#activeVariable(one.hold, moment.hold))
      when.set(JSON.stringify(active), active)
    }
    return { bytes: one.hold.bytes, when: [...when.values()] }
  }

  /** A Boolean that is true at least when the hold is active at the start of the moment's hold. */
  #activeVariable(hold: Hold, moment: Hold): Variable {
    const { smt, analysis } = this.context
    const key = (this.#index.get(hold) ?? 0) * analysis.problem.holds.length + (this.#index.get(moment) ?? 0)
    const known = this.#active.get(key)
    if (known !== undefined) return known
    const active = smt.bool()
    this.#active.set(key, active)
    const [at, from, until] = [moment.from, hold.from, hold.until].map(point => this.#time(point))
    smt.clause(later(from, at, 1), later(at, until, 0), yes(active))
    return active
  }

  #addSum(entries: readonly Entry[], room: Byte): void {
    const { smt } = this.context
    let sure = 0
    const terms = new Map<Variable, Byte>()
    for (const { bytes, when } of entries) {
      if (when.length === 0) sure += bytes
      else {
        const bool = when.length === 1 && 'bool' in when[0] && when[0].value ? when[0].bool : this.#all(when)
        terms.set(bool, (terms.get(bool) ?? 0) + bytes)
      }
    }
    if (sure > room) smt.clause()
    else if (terms.size > 0)
      smt.sum(
        [...terms].map(([bool, bytes]): Term => [bool, bytes]),
        room - sure
      )
  }

  /** A Boolean that is true at least when all literals hold. */
  #all(when: readonly Literal[]): Variable {
    const { smt } = this.context
    const all = smt.bool()
    smt.clause(...when.map(literal => ('bool' in literal ? { ...literal, value: !literal.value } : literal)), yes(all))
    return all
  }

  /** A moment as an integer variable plus an offset. Where that depends on the owner it gets a variable of its own. */
  #time(point: Point): Time {
    const ranks = this.context.candidates[point.event]
    const times = ranks.map(rank => this.#timeOn(point, rank))
    const [first] = times
    if (!first) return { variable: this.context.start[point.event], offset: 0 }
    if (times.every(time => time.variable === first.variable && time.offset === first.offset)) return first
    return { variable: this.#chosenTime(point, ranks, times), offset: 0 }
  }

  /** A moment where its event runs on a rank; an arrival whose transfer is placed, by the start of that. */
  #timeOn({ event, at, arrival }: Point, rank: number): Time {
    const { analysis, candidates, start, transfers } = this.context
    const time = at === 'end' ? endOf(this.context, event, rank) : { variable: start[event], offset: 0 }
    if (arrival === undefined) return time
    const edge = analysis.problem.edges[arrival]
    const lag = analysis.lag(edge, rank, candidates[edge.to][0])
    const transfer = lag > 0 ? transfers.get(arrival) : undefined
    return transfer === undefined ? { ...time, offset: time.offset + lag } : { variable: transfer, offset: lag }
  }

  #chosenTime(point: Point, ranks: readonly number[], times: readonly Time[]): Variable {
    const { smt } = this.context
    const key = JSON.stringify(point)
    const known = this.#times.get(key)
    if (known !== undefined) return known
    const ranges = times.map(({ variable, offset }) => ({ offset, ...smt.range(variable) }))
    const low = Math.min(...ranges.map(({ lower, offset }) => lower + offset))
    const high = Math.max(...ranges.map(({ upper, offset }) => upper + offset))
    const time = smt.int(low, high)
    this.#times.set(key, time)
    for (const [i, rank] of ranks.entries()) {
      const here = onRank(this.context, point.event, rank)
      const unless = typeof here === 'object' && 'bool' in here ? [no(here.bool)] : []
      smt.clause(...unless, atLeast(time, times[i].variable, times[i].offset))
      smt.clause(...unless, atLeast(times[i].variable, time, -times[i].offset))
    }
    return time
  }
}

/** A moment: a variable of the model plus units. */
type Time = { readonly variable: Variable; readonly offset: number }

/** a - b >= gap over moments. */
function later(a: Time, b: Time, gap: number): Literal {
  return atLeast(a.variable, b.variable, gap - a.offset + b.offset)
}
