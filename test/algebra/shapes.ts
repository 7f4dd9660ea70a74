import * as fc from 'fast-check'
import { layoutOf, type RegionShape, type Shape, type Skeleton } from '../../src/algebra/types.ts'
import { range } from '../../src/base/arrays.ts'

/** Cases a property runs on: every law's floor. */
export const CASES = 500

/** Shapes of any valid or invalid mix: `normal: false` lets transposed regions touch. */
export function arbitraryShape(
  options: { normal?: boolean; skeletons?: readonly Skeleton[]; small?: boolean } = {}
): fc.Arbitrary<Shape> {
  const skeletons = options.skeletons ?? (['1f1b', 'gpipe', 'transpose'] as const)
  return fc
    .record({
      ranks: fc.integer({ min: 1, max: options.small ? 3 : 4 }),
      microbatches: fc.integer({ min: 1, max: options.small ? 3 : 5 }),
      chain: fc.array(fc.constantFrom(...skeletons), { minLength: 1, maxLength: options.small ? 3 : 4 }),
      chunks: fc.integer({ min: 1, max: options.small ? 1 : 2 }),
      trained: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
      cuts: fc.array(fc.nat({ max: 99 }), { minLength: 4, maxLength: 4 }),
      work: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 5, maxLength: 5 }),
      encoderBackward: fc.constantFrom('owner' as const, 'first-rank' as const)
    })
    .map(draw => {
      const chain = draw.chain.filter(
        (s, i) => options.normal === false || i === 0 || s !== 'transpose' || draw.chain[i - 1] !== 'transpose'
      )
      const sharded = chain.filter(s => layoutOf(s) === 'Sharded').length
      const sizes = slabs(sharded, draw.ranks * Math.max(draw.chunks, Math.ceil(sharded / draw.ranks)), draw.cuts)
      const regions = chain.map((skeleton, index): RegionShape => {
        const stages = layoutOf(skeleton) === 'Replicated' ? 1 : (sizes.shift() ?? 1)
        const part = { trainable: draw.trained[index] }
        return { name: `region${index}`, skeleton, stages: range(stages).map(() => [part]) }
      })
      return {
        ranks: draw.ranks,
        microbatches: draw.microbatches,
        regions,
        sourceWork: range(draw.microbatches).map(m => draw.work[m] > 0),
        encoderBackward: draw.encoderBackward
      }
    })
}

/** Splits `total` slabs into `count` uneven non-empty parts. */
function slabs(count: number, total: number, cuts: readonly number[]): number[] {
  const sizes = range(count).map(() => 1)
  for (let left = total - count; left > 0; left--) sizes[cuts[left % cuts.length] % Math.max(1, count)]++
  return sizes
}

/** Shape with the same regions and other bits or skeletons. */
export function withRegions(shape: Shape, change: (region: RegionShape, index: number) => RegionShape): Shape {
  return { ...shape, regions: shape.regions.map(change) }
}
