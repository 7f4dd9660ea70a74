import type { EventId, Schedule } from './problem.ts'

/** Longest path of an order, or the cycle of events that keeps it from finishing. */
export type Evaluation =
  | { readonly kind: 'schedule'; readonly schedule: Schedule }
  | { readonly kind: 'cycle'; readonly events: readonly EventId[] }
