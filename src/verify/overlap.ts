import type { OverlapRule, Tick } from '../schedule/measured.ts'
import type { Ledger } from './ledger.ts'
import { eventName } from './violation.ts'

/**
 * Joins overlapped pairs: an F and a B side by side in a rank's list, both marked. Each then costs what the pair costs, so
 * that whatever waits for one waits for both. Markers that join nothing are OVERLAP faults (`checkPairs`).
 */
export function joinPairs(ledger: Ledger): void {
  if (!marksAny(ledger)) return
  for (const slots of ledger.listed) {
    for (let i = 1; i < slots.length; i++) {
      const [a, b] = [slots[i - 1], slots[i]]
      if (ledger.partner[a] < 0 && mayPair(ledger, a, b)) join(ledger, a, b)
    }
  }
}

function marksAny({ document }: Ledger): boolean {
  return document.ranks.some(events => events.some(event => event.overlapped === true))
}

function mayPair(ledger: Ledger, a: number, b: number): boolean {
  if (!ledger.isFine(a) || !ledger.isFine(b)) return false
  const [first, second] = [ledger.place(a), ledger.place(b)]
  const kinds = first.event.kind + second.event.kind
  return (
    second.step === first.step + 1 &&
    first.event.overlapped === true &&
    second.event.overlapped === true &&
    (kinds === 'FB' || kinds === 'BF')
  )
}

function join(ledger: Ledger, a: number, b: number): void {
  const { start, end, partner, rules } = ledger
  const ticks = pairCost(rules.measured.overlap, end[a] - start[a], end[b] - start[b])
  partner[a] = b
  partner[b] = a
  for (const slot of [a, b]) end[slot] = start[slot] + ticks
}

/** F + B; or a share of it in millionths, a half up; or a fixed time; never less than the longer of the two. */
function pairCost(rule: OverlapRule | undefined, one: Tick, other: Tick): Tick {
  const longer = Math.max(one, other)
  if (rule === undefined) return one + other
  if (rule.kind === 'fixed') return Math.max(rule.ticks, longer)
  const share = (BigInt(one + other) * BigInt(rule.perMillion) * 2n + 1_000_000n) / 2_000_000n
  return Math.max(Number(share), longer)
}

/** OVERLAP: a marker joins an F and a B that start together, and only where the problem leaves the body free. */
export function checkPairs(ledger: Ledger, allowed: boolean): void {
  if (!marksAny(ledger)) return
  for (const slot of ledger.listed.flat()) {
    if (!ledger.isFine(slot)) continue
    const { event } = ledger.place(slot)
    const partner = ledger.partner[slot]
    if (event.overlapped !== true || partner > slot) continue
    if (partner < 0)
      ledger.blame(
        slot,
        'OVERLAP',
        `${eventName(event)} is marked overlapped, but no event beside it is its partner`,
        'Mark one F and one B that stand side by side, or neither.'
      )
    else checkPair(ledger, slot, partner, allowed)
  }
}

function checkPair(ledger: Ledger, slot: number, partner: number, allowed: boolean): void {
  const [{ event }, other] = [ledger.place(slot), ledger.place(partner)]
  const together = `${eventName(event)} and ${eventName(other.event)}`
  if (!allowed)
    ledger.blame(slot, 'OVERLAP', `${together} run overlapped; this problem overlaps nothing`, 'Run them apart.', other)
  else if (ledger.start[slot] !== ledger.start[partner])
    ledger.blame(
      slot,
      'OVERLAP',
      `${together} are one pair but start at ${ledger.start[slot]} and ${ledger.start[partner]}`,
      'Start both together.',
      other
    )
}
