/** Sizes beyond which input is refused (spec section 1). */
export const LIMITS = {
  ranks: 1024,
  microbatches: 16_384,
  events: 2_000_000,
  /** Chunks of an encoder task, and encoder tasks of a microbatch. */
  encoderParts: 64,
  /** Relative size of one encoder task. */
  itemShare: 1_000_000,
  textBytes: 64_000_000,
  /** Uses of YAML anchors, nested ones multiplied; one slab repeated on every rank stays well inside. */
  aliases: 4096,
  /** Values of a document once its aliases are expanded. */
  nodes: 12_000_000,
  depth: 64,
  /** Faults that one report spells out; the rest are counted. */
  faults: 1000
} as const
