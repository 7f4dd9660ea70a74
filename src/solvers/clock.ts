/** Milliseconds left of a run's limit, never under `least`; loading a solver counts against it. */
export type Countdown = { readonly left: (least?: number) => number }

/** Starts the countdown of a run. */
export function countdown(limitMs: number): Countdown {
  const start = performance.now()
  return { left: (least = 1) => Math.max(least, limitMs - (performance.now() - start)) }
}
