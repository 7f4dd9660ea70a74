import type { Overflow } from '../../algebra/placement.ts'
import type { EncoderBackward } from '../../algebra/types.ts'
import { type OwnersOption, parseCount, parseOwners } from '../values.ts'
import type { OptionTable } from './spec.ts'

/** What `derive` is told about a schedule that is given by its skeletons alone. */
export type DeriveConfig = {
  readonly ranks: number | undefined
  readonly microbatches: number | undefined
  readonly trainable: boolean
  readonly owners: OwnersOption | undefined
  readonly feed: 'bidirectional' | undefined
  readonly closedForm: boolean
  readonly runtime: 'hyper-parallel' | undefined
  readonly backward: EncoderBackward | undefined
  readonly overflow: Overflow
  readonly lessMemory: boolean
  readonly chunks: number
  readonly layers: number
  readonly body: 'gpipe' | '1f1b' | 'interleaved' | undefined
  readonly overlapBF: boolean
}

/** Their rows. */
export const DERIVE_OPTIONS: OptionTable<DeriveConfig> = {
  ranks: {
    flag: 'ranks',
    value: 'P',
    help: 'number of pipeline ranks',
    fallback: undefined,
    parse: parseCount(1)
  },
  microbatches: {
    flag: 'microbatches',
    value: 'M',
    help: 'number of microbatches',
    fallback: undefined,
    parse: parseCount(1)
  },
  trainable: {
    flag: 'trainable',
    help: 'the encoder (first region) is trained; without it, it is frozen',
    fallback: false
  },
  owners: {
    flag: 'owners',
    value: 'greedy|optimal|r0,r1,...',
    help: 'who encodes each microbatch instead of --overflow: a rule for the smallest spill (of a FILE), or M ranks',
    fallback: undefined,
    parse: parseOwners
  },
  feed: {
    flag: 'feed',
    value: 'HOW',
    choices: ['bidirectional'],
    help: 'feed half the microbatches from each end, through two copies of the model (dualpipe)',
    fallback: undefined
  },
  closedForm: {
    flag: 'closed-form',
    help: 'print the makespan as a maximum of sums of named durations (f, b, c, g, e0, ...)',
    fallback: false
  },
  runtime: {
    flag: 'runtime',
    value: 'NAME',
    choices: ['hyper-parallel'],
    help: 'print the order step by step as this runtime lists it',
    fallback: undefined
  },
  backward: {
    flag: 'backward',
    value: 'WHERE',
    choices: ['owner', 'first-rank'],
    help: 'who runs the backward of a trained encoder (default: owner; with --runtime first-rank, as the runtime does)',
    fallback: undefined
  },
  overflow: {
    flag: 'overflow',
    value: 'RULE',
    choices: ['full', 'min'],
    help: 'who encodes the microbatches beyond min(P, M): dealt round, or the first rank',
    fallback: 'full'
  },
  lessMemory: {
    flag: 'less-memory',
    help: 'the less-memory warmup of the interleaved body instead of the classic one',
    fallback: false
  },
  chunks: { flag: 'chunks', value: 'V', help: 'stages per rank', fallback: 1, parse: parseCount(1) },
  layers: {
    flag: 'layers',
    value: 'T',
    help: 'encoder layers that are transposed; 0 transposes the data loading alone',
    fallback: 1,
    parse: parseCount(0)
  },
  body: {
    flag: 'body',
    value: 'BODY',
    choices: ['gpipe', '1f1b', 'interleaved'],
    help: 'body of the runtime (default: what it takes for this schedule)',
    fallback: undefined
  },
  overlapBF: {
    flag: 'overlap-b-f',
    help: 'overlap each backward with the next forward (interleaved body, no transpose)',
    fallback: false
  }
}
