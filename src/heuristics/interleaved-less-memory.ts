import type { Family } from '../schedule/family.ts'
import { interleavedFamily } from './interleaved.ts'

/** Interleaved with a warmup that grows by one forward per rank from the end instead of two. */
export const interleavedLessMemory: Family = {
  id: 'interleaved-less-memory',
  title: 'interleaved 1F1B, warmup one forward per rank of distance, two or more slabs per rank',
  source: 'pp_less_memory of the hyper-parallel runtime',
  apply: measured => interleavedFamily(measured, 'less-memory')
}
