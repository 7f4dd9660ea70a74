import { range, sum } from '../base/arrays.ts'
import { fail } from '../base/fault.ts'
import type { VisionModel } from './architecture.ts'
import { patchesOf, type Size, tokensOf } from './images.ts'
import { type Random, randomOf, unitLognormal } from './random.ts'

/** Patches of every attention unit (image, tile or frame) of one microbatch; empty: text only. */
export type MicrobatchLoad = readonly number[]

/** Shapes of the spread of visual tokens over microbatches, by name (hardware notes D). */
export const SPREADS = { uniform: 0, packed: 0.15, fixed: 0.3, heavy: 0.6, mixed: 0.3 } as const

/**
 * What a step is fed with. `spread` kinds give each microbatch a mean number of visual tokens times a lognormal factor;
 * `laion` draws image sizes as LAION-400M has them; `video` draws clips; `counts` replays visual tokens per image.
 */
export type Workload =
  | {
      readonly kind: keyof typeof SPREADS
      readonly visualTokens: number
      readonly tokensPerImage: number
      readonly variation: number
      readonly textShare: number
    }
  | {
      readonly kind: 'laion'
      readonly maxPixels?: number
      /** Images per microbatch, or packed with `captionTokens` each until the sequence is full. */
      readonly images: number | 'packed'
      readonly captionTokens: number
      readonly textShare: number
    }
  | {
      readonly kind: 'video'
      readonly width: number
      readonly height: number
      readonly frames: number
      readonly variation: number
    }
  | { readonly kind: 'counts'; readonly counts: readonly (readonly number[])[] }

/** Sides of images as LAION-400M has them: lognormal, the longer and the shorter side rising together. */
export const LAION = { minSide: { median: 260.6, sigma: 0.6869 }, maxSide: { median: 335, sigma: 0.7244 } } as const

/** The sizes that a step's microbatches have room for. */
export type Room = { readonly microbatches: number; readonly groups: number; readonly tokens: number }

/**
 * Loads of every microbatch of every data-parallel group. Seeded: group g of seed s is the same whatever the number of
 * groups. A microbatch never gets more visual tokens than `room.tokens`.
 */
export function drawLoads(
  workload: Workload,
  vision: VisionModel,
  room: Room,
  seed: number
): readonly (readonly MicrobatchLoad[])[] {
  if (workload.kind === 'counts') return replay(workload.counts, vision, room)
  return range(room.groups).map(group => {
    const random = randomOf(seed, group)
    return range(room.microbatches).map(() => cut(drawOne(workload, vision, room, random), vision, room))
  })
}

function drawOne(
  workload: Exclude<Workload, { kind: 'counts' }>,
  vision: VisionModel,
  room: Room,
  random: Random
): MicrobatchLoad {
  switch (workload.kind) {
    case 'laion':
      return drawImages(workload, vision, room, random)
    case 'video':
      return drawClip(workload, vision, random)
    default: {
      if (random.uniform() < workload.textShare) return []
      const tokens = workload.visualTokens * unitLognormal(random, workload.variation)
      return splitTokens(tokens, workload.tokensPerImage, vision)
    }
  }
}

/** Images of about `perImage` tokens that make up `tokens`. */
function splitTokens(tokens: number, perImage: number, vision: VisionModel): MicrobatchLoad {
  const area = vision.merge * vision.merge
  const images = Math.max(1, Math.round(tokens / perImage))
  const each = Math.floor(tokens / images)
  const rest = Math.round(tokens) - each * images
  return range(images)
    .map(index => (each + (index < rest ? 1 : 0)) * area)
    .filter(patches => patches > 0)
}

function drawImages(
  workload: Workload & { kind: 'laion' },
  vision: VisionModel,
  room: Room,
  random: Random
): MicrobatchLoad {
  if (random.uniform() < workload.textShare) return []
  const capped = capPixels(vision, workload.maxPixels)
  const next = () => patchesOf(capped, drawSize(random))
  if (workload.images !== 'packed') return range(workload.images).flatMap(next)
  const units: number[] = []
  let used = 0
  for (;;) {
    const image = next()
    used += sum(image.map(patches => tokensOf(vision, patches))) + workload.captionTokens
    if (used > room.tokens) return units
    units.push(...image)
  }
}

function capPixels(vision: VisionModel, maxPixels: number | undefined): VisionModel {
  if (maxPixels === undefined || vision.resolution.kind !== 'native') return vision
  return {
    ...vision,
    resolution: { ...vision.resolution, minPixels: Math.min(vision.resolution.minPixels, maxPixels), maxPixels }
  }
}

/** One image size of the LAION fit, at a random orientation. */
export function drawSize(random: Random): Size {
  const z = random.normal()
  const short = LAION.minSide.median * Math.exp(LAION.minSide.sigma * z)
  const long = Math.max(short, LAION.maxSide.median * Math.exp(LAION.maxSide.sigma * z))
  return random.uniform() < 0.5 ? { width: long, height: short } : { width: short, height: long }
}

/** Frames attend among themselves; `temporal` frames share their patches. */
function drawClip(workload: Workload & { kind: 'video' }, vision: VisionModel, random: Random): MicrobatchLoad {
  const frames = Math.max(1, Math.round(workload.frames * unitLognormal(random, workload.variation)))
  const units = Math.ceil(frames / vision.temporal)
  return range(units).flatMap(() => patchesOf(vision, { width: workload.width, height: workload.height }))
}

/** Drops units that the sequence has no room for. */
function cut(load: MicrobatchLoad, vision: VisionModel, room: Room): MicrobatchLoad {
  let used = 0
  return load.filter(patches => {
    const tokens = tokensOf(vision, patches)
    if (used + tokens > room.tokens) return false
    used += tokens
    return true
  })
}

function replay(counts: readonly (readonly number[])[], vision: VisionModel, room: Room) {
  const needed = room.microbatches * room.groups
  if (counts.length !== needed)
    fail(
      'WORKLOAD_LENGTH',
      'workload.counts',
      counts.length,
      `${counts.length} microbatches are listed, ${room.groups} groups of ${room.microbatches} need ${needed}`,
      'Give one line per microbatch, group after group: every data-parallel rank must run the same number of microbatches.'
    )
  const area = vision.merge * vision.merge
  counts.forEach((line, index) => {
    const tokens = sum(line)
    if (tokens > room.tokens)
      fail(
        'WORKLOAD_TOO_LONG',
        `workload.counts[${index}]`,
        tokens,
        `${tokens} visual tokens do not fit into ${room.tokens} tokens of a microbatch`,
        'Raise the sequence length or the microbatch size, or lower the image resolution.'
      )
  })
  return range(room.groups).map(group =>
    counts
      .slice(group * room.microbatches, (group + 1) * room.microbatches)
      .map(line => line.filter(tokens => tokens > 0).map(tokens => tokens * area))
  )
}

/** Reads a file of token counts: one microbatch per line, visual tokens of each image separated by commas or blanks. */
export function readCounts(text: string): readonly (readonly number[])[] {
  const lines = text.replace(/\r/g, '').split('\n')
  while (lines.length > 0 && lines[lines.length - 1].trim() === '') lines.pop()
  return lines
    .filter(line => !line.startsWith('#'))
    .map((line, index) =>
      line
        .split(/[\s,;]+/)
        .filter(word => word !== '')
        .map(word => {
          const value = Number(word)
          if (Number.isInteger(value) && value >= 0 && value <= 1e9) return value
          return fail(
            'WORKLOAD_NUMBER',
            `line ${index + 1}`,
            word,
            `"${word}" is not a number of visual tokens`,
            'Write whole numbers, one microbatch per line; an empty line is a text-only microbatch.'
          )
        })
    )
}
