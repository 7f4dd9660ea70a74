import { maximum, range } from '../base/arrays.ts'
import { taskName } from '../schedule/encoder-task.ts'
import type { Tick } from '../schedule/measured.ts'
import type { EventId, Problem, Sequences } from '../schedule/problem.ts'
import { type Analysis, analyse } from './analysis.ts'
import { boundTicksOf, type Encoded } from './encoded.ts'
import { MilpBuilder } from './model/builder.ts'
import type { Milp } from './model/types.ts'
import { encodeSlots, ownerShape } from './placement-milp.ts'

/**
 * `owner`: which rank encodes which microbatch, in the shape of `transpose-full` (encodes ascending before the body, their
 * backwards ascending after it). Minimises the makespan, at most `horizon` ticks.
 */
export function encodeOwnerMilp(problem: Problem, body: Sequences, horizon: Tick): Encoded<Milp> {
  const analysis = analyse(problem, body, horizon)
  return encodeSlots(analysis, ownerShape(analysis), { alternate: 1 })
}

/**
 * `owner` with the paper's objective: minimises max over ranks of max(0, E_r - w_r), where E_r is the encode work given to
 * rank r and w_r (`slack`, in ticks) its idle time before its first backbone forward; at most `most` ticks.
 */
export function encodeOwnerSpill(problem: Problem, body: Sequences, slack: readonly Tick[], most: Tick): Encoded<Milp> {
  const analysis = analyse(problem, body, Number.MAX_SAFE_INTEGER)
  const encodes = analysis.free.filter(event => problem.events[event].key.kind === 'E')
  const milp = new MilpBuilder()
  const work = encodes.reduce((total, event) => total + analysis.minDuration(event), 0)
  const spill = milp.continuous(0, Math.min(work, Math.floor(most / analysis.unit)))
  // The chunks of a task choose together: they share the variables of the first.
  const ofTask = new Map<string, { readonly rank: number; readonly variable: number }[]>()
  const owners = encodes.map(event => {
    const { key, modes } = problem.events[event]
    const task = taskName(key)
    const known = ofTask.get(task) ?? modes.map(({ rank }) => ({ rank, variable: milp.binary() }))
    ofTask.set(task, known)
    return known
  })
  for (const modes of ofTask.values())
    milp.row(
      modes.map(({ variable }) => [variable, 1]),
      1,
      1
    )
  for (const rank of range(problem.ranks)) {
    const terms = owners.flatMap((modes, i) =>
      modes
        .filter(mode => mode.rank === rank)
        .map(({ variable }) => [variable, -analysis.duration(encodes[i], rank)] as const)
    )
    milp.row([[spill, 1], ...terms], -slack[rank] / analysis.unit)
  }
  milp.minimise([[spill, 1]])
  const rankOf = (values: ArrayLike<number>, index: number) =>
    owners[index].find(({ variable }) => values[variable] > 0.5)?.rank ?? owners[index][0].rank
  return {
    model: milp.finish(),
    exact: true,
    unit: analysis.unit,
    boundTicks: boundTicksOf({ unit: analysis.unit, horizon: work }),
    valuesOf: schedule => {
      const values = new Float64Array(milp.numVariables)
      const load = range(problem.ranks).map(rank => -slack[rank] / analysis.unit)
      for (const [i, event] of encodes.entries()) {
        const owner = schedule.rankOf[event]
        load[owner] += analysis.duration(event, owner)
        for (const { rank, variable } of owners[i]) values[variable] = rank === owner ? 1 : 0
      }
      values[spill] = maximum(load)
      return values
    },
    decode: values => ownerSequences(analysis, new Map(encodes.map((event, i) => [event, rankOf(values, i)])))
  }
}

/** The order of `transpose-full`'s shape under an owner of each encode. */
export function ownerSequences(analysis: Analysis, owner: ReadonlyMap<EventId, number>): Sequences {
  const { problem, body } = analysis
  const allowed = ownerShape(analysis)
  const ownerOfTask = new Map([...owner].map(([event, rank]) => [taskName(problem.events[event].key), rank]))
  const ascending = [...analysis.free].sort((a, b) => {
    const [first, second] = [problem.events[a].key, problem.events[b].key]
    return first.microbatch - second.microbatch || first.item - second.item || a - b
  })
  const rankOf = (event: EventId) => {
    const { modes, key } = problem.events[event]
    return modes.length === 1 ? modes[0].rank : (owner.get(event) ?? ownerOfTask.get(taskName(key)) ?? modes[0].rank)
  }
  return range(problem.ranks).map(rank => {
    const mine = ascending.filter(event => rankOf(event) === rank)
    const length = body[rank]?.length ?? 0
    return range(length + 1).flatMap(place => {
      const here = mine.filter(event => allowed(event, rank, place))
      const encodes = here.filter(event => problem.events[event].key.kind === 'E')
      const rest = here.filter(event => problem.events[event].key.kind !== 'E')
      return [...encodes, ...rest, ...(place < length ? [body[rank][place]] : [])]
    })
  })
}
