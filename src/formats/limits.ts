/** Limits on what is read, those of instances (spec section 1): text bytes, ranks, microbatches, stages, actions. */
export const LIMITS = {
  characters: 64 * 1024 * 1024,
  ranks: 1024,
  microbatches: 16_384,
  stages: 65_536,
  actions: 2_000_000,
  encoderParts: 64
} as const

/** How many faults of one text are listed. */
export const MAX_FAULTS = 50
