import { FaultError } from '../base/fault.ts'
import type { ForeignOrder } from '../schedule/foreign.ts'
import { sequencesOfOrder } from '../schedule/foreign-sequences.ts'
import type { Measured } from '../schedule/measured.ts'
import { checkOrder, type OrderVerdict } from '../verify/transport/check.ts'
import { type GapChange, repairTransfers } from '../verify/transport/repair.ts'
import type { OrderViolation } from '../verify/transport/violation.ts'
import { sizesOf } from './durations/counting.ts'
import { graphOfForeign } from './durations/order-graph.ts'
import { proveOrder } from './durations/prove-order.ts'
import { durationsText, joined, type OrderProofOptions } from './order.ts'
import type { ProofDocument, ProofViolation } from './proof.ts'
import type { Proof } from './schedule.ts'
import { timeOnInstance, timingText } from './timing.ts'

export type ForeignOptions = OrderProofOptions & {
  /** The instance that the order is for: it is then timed, compared with the families, and improved. */
  readonly measured?: Measured
}

/** Faults that a reordering of transfers can cure. */
const REPAIRABLE = ['P2P_ORDER', 'RENDEZVOUS']

/**
 * Strength *this order, for every duration*, for an order as a runtime lists it, transfers and transports included. A hang
 * that comes from the order of transfers alone is answered with one that cannot hang.
 * @throws FaultError when the order is none of the instance's
 */
export async function proveForeignOrder(order: ForeignOrder, options: ForeignOptions = {}): Promise<Proof> {
  const { measured, ...limits } = options
  const verdict = checkOrder(order)
  const repair = repairOf(order, verdict)
  const base: ProofDocument = {
    format: 'tropipe.proof/1',
    legal: verdict.legal,
    strength: 'this order, for every duration',
    violations: verdict.violations.map(foreignViolation),
    transports: verdict.transports,
    ...(repair.length > 0 ? { repair } : {}),
    ...(order.notes.length > 0 ? { notes: order.notes } : {})
  }
  const text = `${foreignText(order, verdict)}${repairText(repair)}`
  if (verdict.violations.some(({ code }) => !REPAIRABLE.includes(code))) return { document: base, text }
  if (measured) checkBelongs(order, measured)
  const sizes = measured ? { sizes: sizesOf(measured), capacity: measured.capacity } : {}
  const proof = await proveOrder(graphOfForeign(order), { ...limits, ...sizes })
  const document = joined(base, proof)
  if (!measured) return { document, text: `${text}${durationsText(proof, options.columns)}` }
  const timing = await timeOnInstance(order, measured, limits)
  const legal = document.legal && timing.violations.length === 0
  return {
    document: {
      ...document,
      legal,
      makespan: timing.makespan,
      violations: [...document.violations, ...timing.violations],
      timing
    },
    text: `${text}${durationsText(proof, options.columns)}${timingText(timing, measured)}`
  }
}

/** Sizes and durations are looked up by the instance's own events. @throws FaultError where the order has others */
function checkBelongs(order: ForeignOrder, measured: Measured): void {
  const made = sequencesOfOrder(measured, order)
  if (!made.ok) throw new FaultError(made.faults)
}

function repairOf(order: ForeignOrder, verdict: OrderVerdict): readonly GapChange[] {
  if (!verdict.violations.some(({ code }) => REPAIRABLE.includes(code))) return []
  const repair = repairTransfers(order)
  return repair.ok ? repair.changes : []
}

/** Gaps between runs whose transfers are printed; the document lists all. */
const SHOWN = 8

function repairText(changes: readonly GapChange[]): string {
  if (changes.length === 0) return ''
  const lines = changes
    .slice(0, SHOWN)
    .flatMap(({ rank, step, before, removed, added }) => [
      `  rank ${rank}, step ${step}, before ${before}:`,
      ...removed.map(text => `    - ${text}`),
      ...added.map(text => `    + ${text}`)
    ])
  const rest = changes.length > SHOWN ? [`  ... and ${changes.length - SHOWN} more places`] : []
  return `${['a transfer order that cannot hang:', ...lines, ...rest].join('\n')}\n`
}

function foreignViolation({ cycle, action, ...violation }: OrderViolation): ProofViolation {
  return {
    ...violation,
    ...(action === undefined ? {} : { event: action }),
    ...(cycle
      ? { cycle: cycle.map(step => `rank ${step.rank}, step ${step.step}: ${step.action} ${step.waitsFor}`) }
      : {})
  }
}

function foreignText(order: ForeignOrder, verdict: OrderVerdict): string {
  const { actions, waits } = verdict.checked
  const head = `${verdict.legal ? 'legal' : 'not legal'}: ${actions} actions on ${order.ranks.length} ranks (${order.dialect}), ${waits} waits checked`
  const transports = verdict.transports.map(
    ({ transport, finishes, assumes }) => `  ${transport}: ${finishes ? 'finishes' : 'HANGS'} (${assumes})`
  )
  const faults = verdict.violations.slice(0, 10).map(({ code, rule, message, advice, position, cycle }) => {
    const where = position ? ` at row ${position.row}, column ${position.column}` : ''
    const steps = (cycle ?? []).map(step => `    rank ${step.rank}, step ${step.step}: ${step.action} ${step.waitsFor}`)
    return [`${code} (${rule})${where}: ${message}`, ...steps, `  advice: ${advice}`].join('\n')
  })
  const rest = verdict.violations.length - faults.length
  return `${[head, ...transports, ...order.notes.map(note => `  note: ${note}`), ...faults, ...(rest > 0 ? [`... and ${rest} more`] : [])].join('\n')}\n`
}
