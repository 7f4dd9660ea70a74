import type { Tick } from '../schedule/measured.ts'
import type { Ledger } from './ledger.ts'

/**
 * BARRIER: the stated makespan is the latest end of anything. After other faults the events left over give a lower
 * limit only, so then just a makespan below it is a fault of its own.
 */
export function checkBarrier(ledger: Ledger): void {
  const stated = ledger.document.makespan
  const latest = stepBarrier(ledger)
  const wrong = ledger.violations.length === 0 ? stated !== latest : !(stated >= latest)
  if (!wrong) return
  const message = `the stated makespan is ${stated}, everything has ended at ${latest}`
  ledger.report('BARRIER', {}, message, `State the makespan ${latest}.`)
}

/** Latest end of compute, broadcast and reductions, over all events that are without fault. */
export function stepBarrier(ledger: Ledger): Tick {
  const { source, reductions } = ledger.rules
  let latest = source?.broadcast ?? 0
  for (let slot = 0; slot < ledger.state.length; slot++) {
    if (isSure(ledger, slot) && ledger.end[slot] > latest) latest = ledger.end[slot]
  }
  for (const { region, rank, ticks } of reductions) {
    const last = lastBackward(ledger, region, rank)
    if (last !== undefined) latest = Math.max(latest, last + ticks)
  }
  const last = source && source.reduction > 0 ? lastEncodeBackward(ledger) : undefined
  return last === undefined ? latest : Math.max(latest, last + (source?.reduction ?? 0))
}

/** Fine, and its length is stated as it is. */
function isSure(ledger: Ledger, slot: number): boolean {
  return ledger.isFine(slot) && ledger.misstated[slot] === 0
}

/** End of the last backward of a region on a rank, if it runs any: its data-group reduction starts then. */
function lastBackward(ledger: Ledger, region: number, rank: number): Tick | undefined {
  const { stages, measured } = ledger.rules
  let last: Tick | undefined
  for (const [stage, rule] of stages.entries()) {
    if (rule.region !== region) continue
    for (let m = 0; m < measured.microbatches; m++) {
      if (rule.rankOf(m) !== rank) continue
      last = later(ledger, ledger.slot('backward', stage, m), last)
      last = later(ledger, ledger.slot('weight', stage, m), last)
    }
  }
  return last
}

/** End of the last EB of all ranks: the replica reduction starts then. */
function lastEncodeBackward(ledger: Ledger): Tick | undefined {
  let last: Tick | undefined
  const { source, measured } = ledger.rules
  for (let m = 0; m < measured.microbatches; m++)
    for (let part = 0; part < (source?.width ?? 1); part++)
      last = later(ledger, ledger.slot('encodeBackward', part, m), last)
  return last
}

function later(ledger: Ledger, slot: number, last: Tick | undefined): Tick | undefined {
  if (!isSure(ledger, slot)) return last
  return last === undefined ? ledger.end[slot] : Math.max(last, ledger.end[slot])
}
