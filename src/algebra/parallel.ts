import { fail } from '../base/fault.ts'
import { chainInputs, layoutOf, type RegionShape, type Shape } from './types.ts'

/** A source that runs beside others, with the microbatches that it has work for (M entries). */
export type ParallelSource = { readonly region: RegionShape; readonly work: readonly boolean[] }

/**
 * Several source regions in parallel, for example vision and audio, all feeding the first region of a chain. Every seam
 * follows the same table and gates as in a chain. One source is the chain itself.
 * @throws FaultError PARALLEL_SOURCE unless the sources are transposed and something Sharded follows
 */
export function parallelSources(
  sources: readonly ParallelSource[],
  chain: readonly RegionShape[],
  size: Pick<Shape, 'ranks' | 'microbatches' | 'encoderBackward'>
): Shape {
  const wrong = sources.find(({ region }) => layoutOf(region.skeleton) !== 'Replicated')
  if (wrong || sources.length === 0 || chain.length === 0 || layoutOf(chain[0].skeleton) === 'Replicated') {
    fail(
      'PARALLEL_SOURCE',
      'regions',
      wrong?.region.name,
      'parallel sources are transposed regions before a Sharded one',
      'Transpose each source, and let a backbone follow.'
    )
  }
  const regions = [...sources.map(({ region }) => region), ...chain]
  const feeds = sources.map((_, index) => index)
  const inputs = chainInputs(regions).map((input, index) =>
    index < sources.length ? [] : index === sources.length ? feeds : input
  )
  const work = new Map(sources.map((source, index) => [index, source.work]))
  return { ...size, regions, inputs, work, sourceWork: sources[0].work }
}
