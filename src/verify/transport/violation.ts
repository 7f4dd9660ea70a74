import { type Action, describeAction, type ForeignOrder, type Position } from '../../schedule/foreign.ts'

/** Codes of an order without times (spec section 5). */
export type OrderCode =
  | 'UNKNOWN_EVENT'
  | 'DUPLICATE_EVENT'
  | 'MISSING_EVENT'
  | 'WRONG_RANK'
  | 'CYCLE'
  | 'P2P_ORDER'
  | 'RENDEZVOUS'

/**
 * On which transport a verdict rests: `any`; `fifo` (one queue per ordered rank pair); `sends-block` (a send ends only
 * when its receive is posted); `batched` (neighbouring transfers are one exchange per peer).
 */
export type Assumption = 'any' | 'fifo' | 'sends-block' | 'batched'

/** One event of a printed cycle, and why it waits for the next one. `step` is the index in the rank's list. */
export type CycleStep = {
  readonly rank: number
  readonly step: number
  readonly action: string
  readonly position?: Position
  readonly waitsFor: string
}

/** One reason why a runtime's order is not legal. */
export type OrderViolation = {
  readonly code: OrderCode
  /** Rule of the runtime that it breaks, e.g. `P1`, in the words of docs and messages. */
  readonly rule: string
  readonly assumes: Assumption
  readonly rank?: number
  /** Index in the list of `rank`, bubbles counted. */
  readonly step?: number
  /** Line and cell of the file that it was read from. */
  readonly position?: Position
  readonly action?: string
  readonly cycle?: readonly CycleStep[]
  readonly message: string
  /** One line that says what to change. */
  readonly advice: string
}

/** Where an action stands, for violations: rank, step, position in the file, text. */
export function placeOf(
  order: ForeignOrder,
  rank: number,
  step: number
): Pick<OrderViolation, 'rank' | 'step' | 'position' | 'action'> {
  const action: Action | undefined = order.ranks[rank][step]
  const position = order.positions?.[rank]?.[step]
  return { rank, step, ...(position ? { position } : {}), ...(action ? { action: describeAction(action) } : {}) }
}
