import type { OverlapRule, Tick } from './measured.ts'
import type { Edge, EventId, Fused, Problem, Sequences } from './problem.ts'

const MILLION = 1_000_000

/**
 * Ticks of an overlapped pair of a forward and a backward: F + B where no rule is given; else what the rule says, a half
 * rounded up, and never less than the longer of the two.
 */
export function pairTicks(rule: OverlapRule | undefined, forward: Tick, backward: Tick): Tick {
  const sum = forward + backward
  if (!rule) return sum
  return Math.max(forward, backward, rule.kind === 'fixed' ? rule.ticks : shareOfSum(sum, rule.perMillion))
}

/** sum * perMillion / 10^6, a half rounded up, in integers. */
function shareOfSum(sum: Tick, perMillion: number): Tick {
  const whole = Math.floor(sum / MILLION) * perMillion
  return whole + Math.floor(((sum % MILLION) * perMillion + MILLION / 2) / MILLION)
}

/**
 * A problem in which pairs of events run as one: both take the pair's time, start together, wait for what either needs,
 * and are done together. Orders must list the two of a pair next to each other, the first one first.
 */
export function withPairs(
  problem: Problem,
  pairs: readonly (readonly [first: EventId, second: EventId])[],
  rule: OverlapRule | undefined
): Problem {
  if (pairs.length === 0) return problem
  const ticks = (id: EventId) => problem.events[id].modes[0].duration
  const fusable = pairs.map(([first, second]): Fused => {
    const alone = [ticks(first), ticks(second)] as const
    return { first, second, duration: pairTicks(rule, ...alone), alone }
  })
  return lasting({ ...problem, fusable })
}

/** The problem with both events of every pair as long as the pair. */
function lasting(problem: Problem): Problem {
  const events = problem.events.slice()
  for (const { first, second, duration } of problem.fusable)
    for (const id of [first, second])
      events[id] = { ...events[id], modes: events[id].modes.map(mode => ({ ...mode, duration })) }
  return { ...problem, events }
}

/** A problem whose events all last as `ticks` says of their own time alone; pairs follow by the rule. */
export function withOwnTicks(
  problem: Problem,
  ticks: (id: EventId, alone: Tick) => Tick,
  rule: OverlapRule | undefined
): Problem {
  const events = problem.events.map(event => ({
    ...event,
    modes: event.modes.map(mode => ({ ...mode, duration: ticks(event.id, mode.duration) }))
  }))
  const fusable = problem.fusable.map(({ first, second, alone }): Fused => {
    const own = [ticks(first, alone[0]), ticks(second, alone[1])] as const
    return { first, second, duration: pairTicks(rule, ...own), alone: own }
  })
  return lasting({ ...problem, events, fusable })
}

const contracted = new WeakMap<Problem, Problem>()

/**
 * The problem as evaluators time it: of each pair the first event takes no time and waits for all that either needs; the
 * second takes the pair's time and passes on what either gives. Edges keep their ids.
 */
export function contractPairs(problem: Problem): Problem {
  const known = contracted.get(problem)
  if (known) return known
  const firstOf = new Map(problem.fusable.map(({ first, second }) => [second, first]))
  const secondOf = new Map(problem.fusable.map(({ first, second }) => [first, second]))
  const events = problem.events.map(event =>
    secondOf.has(event.id) ? { ...event, modes: event.modes.map(mode => ({ ...mode, duration: 0 })) } : event
  )
  const edges = problem.edges.map((edge): Edge => {
    const [from, to] = [secondOf.get(edge.from) ?? edge.from, firstOf.get(edge.to) ?? edge.to]
    return from === edge.from && to === edge.to ? edge : { ...edge, from, to, sender: edge.from }
  })
  const made = { ...problem, events, edges, fusable: [] }
  contracted.set(problem, made)
  return made
}

/** A pair whose two events an order does not list next to each other, first one first; undefined where all are. */
export function looseFused({ fusable }: Problem, sequences: Sequences): Fused | undefined {
  const secondOf = new Map(fusable.map(({ first, second }) => [first, second]))
  const missing = new Set(fusable.map(({ first }) => first))
  for (const sequence of sequences)
    for (let i = 1; i < sequence.length; i++)
      if (secondOf.get(sequence[i - 1]) === sequence[i]) missing.delete(sequence[i - 1])
  return fusable.find(({ first }) => missing.has(first))
}
