import { maximum, range, sum } from '../../base/arrays.ts'
import type { Tick } from '../../schedule/measured.ts'
import type { FramedEvent, RecheckFrame } from './frame.ts'

/** Most encodes that are shared out in all ways. */
const MOST_ENCODES = 10

/** What a rank does besides encodes: from its first stage event to its last, with what must follow each of the two. */
type Load = { readonly opens: Tick; readonly work: Tick; readonly after: Tick; readonly firstUntil: Tick }

/**
 * Whether no way to share whole encodes out fits `horizon`: on each rank some run before its first stage event, which
 * others wait for, the rest between there and its last. Undefined where this says nothing of the instance.
 */
export function cannotPack(frame: RecheckFrame, horizon: Tick): boolean | undefined {
  const encodes = frame.events.filter(event => event.kind === 'E')
  const loads = loadsOf(frame, horizon, new Set(encodes.map(event => event.microbatch)))
  if (!loads || encodes.length === 0 || encodes.length > MOST_ENCODES) return undefined
  if (loads.some(({ opens, work, after }) => opens + work + after > horizon)) return true
  const longestFirst = encodes.map(event => event.ticks).sort((a, b) => b - a)
  return !fits(
    longestFirst,
    loads.map(load => ({ ...load, early: 0, late: 0 })),
    horizon,
    new Set()
  )
}

type Filled = Load & { early: Tick; late: Tick }

/** Puts the next encode everywhere it may go; a state that failed once is not tried again. */
function fits([next, ...rest]: readonly Tick[], ranks: readonly Filled[], horizon: Tick, failed: Set<string>): boolean {
  if (next === undefined) return true
  const state = `${rest.length}:${ranks.map(({ early, late }) => `${early}+${late}`).join()}`
  if (failed.has(state)) return false
  for (const rank of ranks) {
    for (const side of ['early', 'late'] as const) {
      rank[side] += next
      if (hasRoom(rank, horizon) && fits(rest, ranks, horizon, failed)) return true
      rank[side] -= next
    }
  }
  failed.add(state)
  return false
}

function hasRoom({ opens, work, after, firstUntil, early, late }: Filled, horizon: Tick): boolean {
  const first = Math.max(opens, early)
  return first <= firstUntil && first + work + late + after <= horizon
}

function loadsOf({ events, rules }: RecheckFrame, horizon: Tick, encoded: ReadonlySet<number>): Load[] | undefined {
  const ranks = range(rules.measured.ranks).map(rank => events.filter(event => event.rank === rank && event.stage >= 0))
  const lowest = ranks.map(own => Math.min(...own.filter(event => event.kind === 'F').map(event => event.stage)))
  const forwards = ranks.map((own, rank) => own.filter(event => event.kind === 'F' && event.stage === lowest[rank]))
  if (forwards.some(own => [...encoded].some(m => !own.some(event => event.microbatch === m)))) return undefined
  const plain = ranks.map(own => ({
    opens: Math.min(...own.map(event => event.head)),
    work: sum(own.map(event => event.ticks)),
    after: Math.min(...own.map(event => event.tail - event.ticks))
  }))
  return plain.map((load, rank) => {
    const others = range(ranks.length).filter(other => other === rank || lowest[other] > lowest[rank])
    const needed = others.map(
      other => plain[other].work + plain[other].after + journey(events, rules, lowest[rank], lowest[other])
    )
    return { ...load, firstUntil: horizon - maximum(needed) }
  })
}

/** Ticks from the start of a forward to that of the same microbatch some stages on, for the quickest of them. */
function journey(events: readonly FramedEvent[], rules: RecheckFrame['rules'], from: number, to: number): Tick {
  const times = range(rules.measured.microbatches).map(m => {
    const steps = range(to - from).map(step => {
      const at = (stage: number) => events.find(e => e.kind === 'F' && e.stage === stage && e.microbatch === m)
      const [here, next] = [at(from + step), at(from + step + 1)]
      if (!here || !next) return 0
      return here.ticks + (here.rank === next.rank ? 0 : rules.measured.communication.send)
    })
    return sum(steps)
  })
  return Math.min(...times)
}
