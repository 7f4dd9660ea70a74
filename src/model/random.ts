/** A seeded source of numbers: the same seed gives the same numbers on every machine. */
export type Random = {
  /** Uniform in [0, 1). */
  readonly uniform: () => number
  /** Standard normal. */
  readonly normal: () => number
}

/** 32-bit mixing of a seed and a stream number, so that streams of one seed do not overlap. */
export function randomOf(seed: number, stream = 0): Random {
  let state = (Math.imul(seed | 0, 0x9e3779b1) ^ Math.imul(stream + 1, 0x85ebca6b)) >>> 0
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  let spare: number | undefined
  const normal = () => {
    if (spare !== undefined) {
      const value = spare
      spare = undefined
      return value
    }
    const radius = Math.sqrt(-2 * Math.log(1 - uniform()))
    const angle = 2 * Math.PI * uniform()
    spare = radius * Math.sin(angle)
    return radius * Math.cos(angle)
  }
  return { uniform, normal }
}

/** A lognormal factor of mean 1 and the given coefficient of variation. */
export function unitLognormal(random: Random, variation: number): number {
  if (variation <= 0) return 1
  const variance = Math.log(1 + variation * variation)
  return Math.exp(Math.sqrt(variance) * random.normal() - variance / 2)
}
