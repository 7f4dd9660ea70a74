import { type Action, type ForeignOrder, runsOf } from '../schedule/foreign.ts'
import { insertTransfers, type Lowered, type TransferOptions } from '../schedule/transfers.ts'

/** How many upcoming stages PyTorch keeps unsharded at once. */
const MAX_ACTIVE = 3

/**
 * What PyTorch makes of a compute-only order when it loads it: parameter sharding around the stages in use, one gradient
 * reduction per stage after its last weight gradient, then the transfers.
 */
export function lowerForTorch(order: ForeignOrder, options: TransferOptions = {}): Lowered {
  const { positions: _, ...rest } = order
  const dense = order.ranks.map(actions => actions.filter(action => action.op === 'run' || action.op === 'overlap'))
  const { startOf } = options
  const ranks = dense.map(actions => addReduceGrad(addUnshardReshard(actions), order.microbatches))
  const starts = ranks.map((actions, rank) => startsOf(actions, index => startOf?.(rank, index) ?? 0))
  return insertTransfers(
    { ...rest, ranks },
    { ...options, ...(startOf ? { startOf: (rank: number, index: number) => starts[rank][index] } : {}) }
  )
}

/** Start of every action of a list in which only runs and overlaps have one; what stands between starts with the next. */
function startsOf(actions: readonly Action[], startOf: (index: number) => number): number[] {
  const starts = new Array<number>(actions.length)
  let runs = actions.filter(action => action.op !== 'local').length
  let next = Number.POSITIVE_INFINITY
  for (let i = actions.length - 1; i >= 0; i--) {
    if (actions[i].op !== 'local') next = startOf(--runs)
    starts[i] = next
  }
  return starts
}

/**
 * Before each action: reshard the stages that none of the next three distinct stages needs, unshard the missing ones in
 * order of first use; reshard the rest at the end.
 */
export function addUnshardReshard(actions: readonly Action[]): Action[] {
  const out: Action[] = []
  const active: number[] = []
  const upcoming = upcomingStages(actions)
  for (const [index, action] of actions.entries()) {
    const wanted = upcoming[index]
    for (const stage of active.filter(stage => !wanted.includes(stage))) {
      active.splice(active.indexOf(stage), 1)
      out.push({ op: 'local', name: 'RESHARD', stage })
    }
    for (const stage of wanted.filter(stage => !active.includes(stage))) {
      active.push(stage)
      out.push({ op: 'local', name: 'UNSHARD', stage })
    }
    out.push(action)
  }
  return [...out, ...active.map(stage => ({ op: 'local', name: 'RESHARD', stage }) as const)]
}

/** Per action, the first three distinct stages from it on, in order of first use. */
function upcomingStages(actions: readonly Action[]): number[][] {
  const upcoming = new Array<number[]>(actions.length)
  let later: number[] = []
  for (let i = actions.length - 1; i >= 0; i--) {
    const here = [...new Set(runsOf(actions[i]).map(run => run.stage))]
    later = [...here, ...later.filter(stage => !here.includes(stage))]
    upcoming[i] = later.slice(0, MAX_ACTIVE)
  }
  return upcoming
}

/** One REDUCE_GRAD per stage, right after the action that completes its M weight gradients. */
export function addReduceGrad(actions: readonly Action[], microbatches: number): Action[] {
  const done = new Map<number, number>()
  return actions.flatMap(action => {
    const complete: Action[] = []
    for (const { kind, stage } of runsOf(action)) {
      if (kind !== 'B' && kind !== 'W') continue
      const count = (done.get(stage) ?? 0) + 1
      done.set(stage, count)
      if (count === microbatches) complete.push({ op: 'local', name: 'REDUCE_GRAD', stage })
    }
    return [action, ...complete]
  })
}
