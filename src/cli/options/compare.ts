import { type Axis, parseAxis } from '../../compare/sweep/axes.ts'
import { parseCount, parseNames } from '../values.ts'
import type { OptionTable } from './spec.ts'

/** What `compare` sets against what. */
export type CompareConfig = {
  readonly families: readonly string[] | undefined
  readonly baseline: string | undefined
  readonly format: 'table' | 'markdown' | 'csv'
  readonly html: string | undefined
  readonly sweep: readonly Axis[] | undefined
  readonly shard: string | undefined
  readonly store: string | undefined
  readonly withoutOptimum: boolean
  readonly draws: number | undefined
}

/** Their rows. */
export const COMPARE_OPTIONS: OptionTable<CompareConfig> = {
  families: {
    flag: 'families',
    value: 'a,b,...',
    help: 'families to compare (default: all that apply)',
    fallback: undefined,
    parse: parseNames
  },
  baseline: {
    flag: 'baseline',
    value: 'NAME',
    help: 'family that speedups refer to (default: the first that applies)',
    fallback: undefined
  },
  format: {
    flag: 'format',
    value: 'FORMAT',
    choices: ['table', 'markdown', 'csv'],
    help: 'how to print the comparison',
    fallback: 'table'
  },
  html: {
    flag: 'html',
    value: 'OUT',
    help: 'write a self-contained page with every schedule, and the best one beside it in the formats that can run it',
    fallback: undefined
  },
  sweep: {
    flag: 'sweep',
    value: 'AXIS=RANGE',
    help: 'compare at every value of an axis: ranks=2..16, microbatches=8,16, chunks=1,2,4, encoder=0.1..4 (a factor; :5 for five points), communication=..., capacity=...; repeat it for a grid',
    fallback: undefined,
    parse: (text, before = []) => [...before, parseAxis(text)]
  },
  shard: {
    flag: 'shard',
    value: 'I/N',
    help: 'run part I of N of a sweep (1/4 .. 4/4); auto takes the index of a Slurm array or a Kubernetes indexed job (auto/N where the job states no count)',
    fallback: undefined
  },
  store: {
    flag: 'store',
    value: 'FILE',
    help: 'keep the results of a sweep in FILE, one JSON line each; points that it has are not computed again',
    fallback: undefined
  },
  withoutOptimum: {
    flag: 'without-optimum',
    help: 'compare the families only, without searching the optimum',
    fallback: false
  },
  draws: {
    flag: 'draws',
    value: 'N',
    help: 'judge on N random steps: the workload drawn anew (modelled), or microbatches resampled (measured)',
    fallback: undefined,
    parse: parseCount(1)
  }
}
