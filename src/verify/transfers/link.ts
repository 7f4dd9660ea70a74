import type { Ledger } from '../ledger.ts'
import { arrivalSlot, type Demand, isGradient, nameOf, takesPlace } from './demand.ts'
import type { Transfers } from './transfers.ts'

/**
 * Model `link`: every ordered pair of ranks carries one transfer at a time, first ready first served; of those ready at one
 * tick the lower microbatch, then the forward one, then the lower stage, then the lower item. Sets when each transfer arrives, and compares
 * those that are listed: ORDER where one is served out of turn or late, OVERLAP where it shares its link.
 */
export function checkLinks(transfers: Transfers): void {
  const { ledger } = transfers
  const served = serve(
    ledger,
    [...transfers.demands.values()].filter(demand => takesPlace(ledger, demand))
  )
  for (const one of transfers.standing()) {
    const { transfer, demand } = one
    const right = served.get(arrivalSlot(demand))
    if (right === undefined || transfer.start === right || transfer.start < ledger.end[demand.producer]) continue
    const shares = transfers
      .standing()
      .find(
        other =>
          other !== one &&
          linkOf(ledger, other.demand) === linkOf(ledger, demand) &&
          other.transfer.start < transfer.end &&
          transfer.start < other.transfer.end
      )
    const advice = `Start it at ${right}.`
    if (shares && transfer.start < right)
      transfers.blame(one, 'OVERLAP', `${nameOf(transfer)} shares its link with ${nameOf(shares.transfer)}`, advice)
    else
      transfers.blame(
        one,
        'ORDER',
        `${nameOf(transfer)} starts at ${transfer.start}; first ready first served, its link takes it at ${right}`,
        advice
      )
  }
}

/** Start of every transfer by the slot of its arrival; notes the arrivals in the ledger. */
function serve(ledger: Ledger, demands: readonly Demand[]): Map<number, number> {
  const queue = [...demands].sort(
    (a, b) =>
      ledger.end[a.producer] - ledger.end[b.producer] ||
      a.microbatch - b.microbatch ||
      Number(isGradient(a)) - Number(isGradient(b)) ||
      (a.stage ?? -1) - (b.stage ?? -1) ||
      a.item - b.item
  )
  const starts = new Map<number, number>()
  const free = new Map<number, number>()
  for (const demand of queue) {
    const link = linkOf(ledger, demand)
    const start = Math.max(ledger.end[demand.producer], free.get(link) ?? 0)
    starts.set(arrivalSlot(demand), start)
    free.set(link, start + demand.ticks)
    ledger.arrival[arrivalSlot(demand)] = start + demand.ticks
  }
  return starts
}

function linkOf(ledger: Ledger, { producer, consumer }: Demand): number {
  return ledger.rank[producer] * ledger.rules.measured.ranks + ledger.rank[consumer]
}
