import type { Tick } from '../../schedule/measured.ts'
import { eventName } from '../violation.ts'
import { arrivalSlot, nameOf } from './demand.ts'
import type { Listed, Transfers } from './transfers.ts'

/** Something that has a rank to itself: a transfer, or the event of a slot. */
type Item = { readonly start: Tick; readonly end: Tick; readonly transfer?: Listed; readonly slot: number }

/**
 * Model `blocking`: a transfer occupies its sender and its receiver like an event. Sets when each listed transfer arrives;
 * OVERLAP where one runs beside another item of either rank.
 */
export function checkBlocking(transfers: Transfers): void {
  const { ledger } = transfers
  for (const { transfer, demand } of transfers.standing()) ledger.arrival[arrivalSlot(demand)] = transfer.end
  for (const rank of ledger.listed.keys()) {
    let longest: Item | undefined
    for (const item of itemsOf(transfers, rank)) {
      const overlaps = longest && longest.end > item.start && item.end > longest.start
      const guilty = overlaps ? (item.transfer ?? longest?.transfer) : undefined
      if (guilty?.fine && longest) {
        const other = guilty === item.transfer ? longest : item
        const what = other.transfer ? nameOf(other.transfer.transfer) : eventName(ledger.place(other.slot).event)
        const message = `${nameOf(guilty.transfer)} blocks rank ${rank} while ${what} runs there`
        transfers.blame(
          guilty,
          'OVERLAP',
          message,
          `Start it at ${Math.max(other.end, guilty.transfer.start)} or later.`
        )
      }
      if (!longest || item.end >= longest.end) longest = item
    }
  }
}

/** Transfers and events of one rank by start, then end. */
function itemsOf(transfers: Transfers, rank: number): Item[] {
  const { ledger } = transfers
  const events = ledger.listed[rank]
    .filter(slot => ledger.isFine(slot))
    .map(slot => ({ start: ledger.start[slot], end: ledger.end[slot], slot }))
  const moved = transfers
    .standing()
    .filter(({ transfer }) => transfer.from === rank || transfer.to === rank)
    .map(one => ({ start: one.transfer.start, end: one.transfer.end, transfer: one, slot: -1 }))
  return [...events, ...moved].sort((a, b) => a.start - b.start || a.end - b.end)
}
