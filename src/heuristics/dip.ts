import { interleavedOrder } from '../algebra/orders/body.ts'
import { layoutOf } from '../algebra/types.ts'
import { range, sum } from '../base/arrays.ts'
import { bodySequences } from '../schedule/body.ts'
import { buildProblem } from '../schedule/build.ts'
import { forwardTicks } from '../schedule/costs.ts'
import type { Family } from '../schedule/family.ts'
import type { Measured, Slab, Stage } from '../schedule/measured.ts'
import { shareOf } from './backbone.ts'
import { interleavingObstacle } from './interleaved.ts'

/** The encoder cut into one segment per rank and interleaved with the backbone's, microbatches dealt to even rounds. */
export const dip: Family = {
  id: 'dip',
  title: 'encoder cut into P segments interleaved with the backbone, microbatches dealt so that rounds weigh the same',
  source:
    'DIP-like (PipeWeaver, arXiv 2504.14145): modality segments interleaved on the same ranks, balanced per batch',
  apply: measured => {
    const segmented = segmentedMeasured(measured)
    if (typeof segmented === 'string') return { kind: 'not-applicable', reason: segmented }
    const { ranks, microbatches } = measured
    const chunks = segmented.regions.reduce((total, region) => total + region.stages.length, 0) / ranks
    const problem = buildProblem(segmented)
    const dealt = dealRounds(measured)
    const order = interleavedOrder({ ranks, microbatches, chunks }, 'classic').map(steps =>
      steps.map(step => ({ ...step, microbatch: dealt[step.microbatch] }))
    )
    return { kind: 'order', measured: segmented, problem, sequences: bodySequences(problem, order) }
  }
}

/** The instance with its source sharded over the ranks; parts after the largest stay whole on the last segment. */
function segmentedMeasured(measured: Measured): Measured | string {
  const [source, backbone] = measured.regions
  if (layoutOf(source.skeleton) !== 'Replicated') return 'no transposed source region to cut into segments'
  if (!backbone) return 'no backbone to interleave with'
  const obstacle = interleavingObstacle(measured)
  if (obstacle) return obstacle
  const stages = segments(source.stages[0], measured)
  return { ...measured, regions: [{ ...source, skeleton: backbone.skeleton, stages }, ...measured.regions.slice(1)] }
}

function segments(parts: Stage, { ranks, microbatches }: Measured): Stage[] {
  const weight = (slab: Slab) => sum(slab.forward)
  const largest = parts.reduce((best, slab, index) => (weight(slab) > weight(parts[best]) ? index : best), 0)
  return range(ranks).map(k => [
    ...(k === 0 ? parts.slice(0, largest) : []),
    shareOf(parts[largest], k, ranks, microbatches),
    ...(k === ranks - 1 ? parts.slice(largest + 1) : [])
  ])
}

/** Injection order: heaviest encodes first, each to the round (of P microbatches) with the least encoder work so far. */
function dealRounds({ ranks, microbatches, regions }: Measured): number[] {
  const encode = range(microbatches).map(m => forwardTicks(regions[0].stages[0], m))
  const rounds = range(Math.max(1, Math.floor(microbatches / ranks))).map(() => ({ work: 0, members: [] as number[] }))
  const room = Math.ceil(microbatches / rounds.length)
  for (const m of range(microbatches).sort((a, b) => encode[b] - encode[a] || a - b)) {
    const open = rounds.filter(round => round.members.length < room)
    const round = open.reduce((best, one) => (one.work < best.work ? one : best))
    round.members.push(m)
    round.work += encode[m]
  }
  return rounds.flatMap(round => round.members.sort((a, b) => a - b))
}
