import { type Action, describeAction, type ForeignOrder, listsTransfers } from '../../schedule/foreign.ts'
import { insertTransfers } from '../../schedule/transfers.ts'

/** Transfers between two runs of a rank that a repair lists otherwise. `before` is the run that they stand before. */
export type GapChange = {
  readonly rank: number
  /** Index in the given list of the first action of the gap. */
  readonly step: number
  readonly before: string
  readonly removed: readonly string[]
  readonly added: readonly string[]
}

/** A transfer order that cannot hang for the same compute order, and what differs from the given one. */
export type Repair =
  | { readonly ok: true; readonly order: ForeignOrder; readonly changes: readonly GapChange[] }
  | { readonly ok: false; readonly reason: string }

/**
 * Lists the transfers of an order anew so that no transport hangs. Local entries and bubbles keep their places relative
 * to the runs that follow. Impossible where the compute order itself cannot finish.
 */
export function repairTransfers(order: ForeignOrder): Repair {
  const withData = order.ranks.some(actions => actions.some(a => a.op === 'send' && a.payload === 'data'))
  const kept = order.ranks.map(actions => actions.filter(a => a.op !== 'send' && a.op !== 'recv' && a.op !== 'batch'))
  const { positions: _, ...rest } = order
  const lowered = insertTransfers({ ...rest, ranks: kept, featureReceive: 'each' }, { withData })
  if (!lowered.ok) {
    const heads = lowered.stuck.map(({ rank, action }) => `rank ${rank} at ${describeAction(action)}`)
    return { ok: false, reason: `the order of the runs itself cannot finish: ${heads.slice(0, 8).join('; ')}` }
  }
  return { ok: true, order: lowered.order, changes: listsTransfers(order) ? changesOf(order, lowered.order) : [] }
}

/** Per rank and gap between runs, the transfers that only one of the two orders lists there, or lists in another order. */
function changesOf(given: ForeignOrder, repaired: ForeignOrder): GapChange[] {
  return given.ranks.flatMap((actions, rank) => {
    const before = gapsOf(actions)
    const after = gapsOf(repaired.ranks[rank])
    return before.flatMap((gap, i): GapChange[] => {
      const [removed, added] = [gap.transfers, after[i]?.transfers ?? []]
      if (removed.join() === added.join()) return []
      return [{ rank, step: gap.step, before: gap.before, removed, added }]
    })
  })
}

type Gap = { readonly step: number; readonly before: string; readonly transfers: readonly string[] }

function gapsOf(actions: readonly Action[]): Gap[] {
  const gaps: Gap[] = []
  let transfers: string[] = []
  let first = 0
  for (const [step, action] of [...actions, undefined].entries()) {
    if (action?.op === 'send' || action?.op === 'recv') transfers.push(describeAction(action))
    else if (action?.op === 'batch') transfers.push(...action.parts.map(describeAction))
    else if (action === undefined || action.op === 'run' || action.op === 'overlap') {
      gaps.push({ step: first, before: action ? describeAction(action) : 'the end', transfers })
      transfers = []
      first = step + 1
    }
  }
  return gaps
}
