import { range } from '../../src/base/arrays.ts'
import { type CutProblem, NO_EXTRA } from '../../src/model/cuts/problem.ts'

type Memory = { readonly states: number; readonly activation: number; readonly recomputed: number }

/**
 * Numbers of two tuning instances with published optima (mindspore-ai/hyper-parallel@fdd0a808, fast-tuner unit tests,
 * Apache-2.0; numbers only). Time unit: the forward of one mixture-of-experts layer; memory in MB; limits are net of
 * what a stage holds without layers.
 */
export const PUBLISHED = [
  {
    name: 'P16 M64, 62 layers of DeepSeek-V3 with MTP',
    optimum: 1132.66,
    microbatches: 64,
    ratio: 1.839,
    dense: 0.397,
    recompute: 1,
    head: 1.5,
    first3: { states: 866, activation: 479, recomputed: 30 },
    moe: { states: 10691, activation: 765, recomputed: 30 },
    limits: { first: 51913, others: 52914, last: 46621 }
  },
  {
    name: 'P16 M960, 8k tokens',
    optimum: 10943.91,
    microbatches: 960,
    ratio: 1.627,
    dense: 0.71,
    recompute: 0.246,
    head: 1.493,
    first3: { states: 130, activation: 614, recomputed: 78 },
    moe: { states: 7230, activation: 738, recomputed: 190 },
    limits: { first: 51555, others: 54134, last: 49405 }
  }
] as const

/** One of them as a cut problem: 3 dense and 59 expert layers; recomputing a dense layer costs its forward, as there. */
export function published(row: (typeof PUBLISHED)[number]): CutProblem {
  const stages = 16
  const kind = (name: string, count: number, forward: number, recompute: number, memory: Memory) => ({
    name,
    count,
    forward,
    backward: row.ratio * forward,
    recompute,
    states: memory.states,
    activation: memory.activation,
    recomputedActivation: memory.recomputed
  })
  const last = { ...NO_EXTRA, forward: row.head, backward: row.ratio * row.head }
  const limitOf = (stage: number) => (stage === 0 ? 'first' : stage === stages - 1 ? 'last' : 'others')
  return {
    stages,
    microbatches: row.microbatches,
    kinds: [kind('dense', 3, row.dense, row.dense, row.first3), kind('moe', 59, 1, row.recompute, row.moe)],
    extras: range(stages).map(stage => (stage === stages - 1 ? last : NO_EXTRA)),
    limit: range(stages).map(stage => row.limits[limitOf(stage)]),
    least: 1
  }
}
