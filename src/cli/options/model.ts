import { parseCount, parseCounts, parseNames } from '../values.ts'
import type { OptionTable } from './spec.ts'

/** What a modelled instance is made of. */
export type ModelConfig = {
  readonly config: string | undefined
  readonly profile: readonly string[] | undefined
  readonly vision: string | undefined
  readonly hardware: string | undefined
  readonly set: readonly string[] | undefined
  readonly tensor: number | undefined
  readonly context: number | undefined
  readonly data: number | undefined
  readonly expert: number | undefined
  readonly sequence: number | undefined
  readonly microbatchSize: number | undefined
  readonly train: readonly string[]
  readonly recompute: 'none' | 'selective' | 'full' | undefined
  readonly split: boolean
  readonly efficiency: 'mfu' | 'roofline' | undefined
  readonly workload: string
  readonly visualTokens: number | undefined
  readonly cut: readonly number[] | 'best' | undefined
}

/** Their rows. */
export const MODEL_OPTIONS: OptionTable<ModelConfig> = {
  config: {
    flag: 'config',
    value: 'FILE',
    help: 'config.json of the model (Hugging Face), or a MindSpeed-MM model.json',
    fallback: undefined
  },
  profile: {
    flag: 'profile',
    value: 'FILE,...',
    help: 'traces or tables of all ranks (PyTorch, Ascend, CSV; may be gzipped): durations come from them',
    fallback: undefined,
    parse: parseNames
  },
  vision: {
    flag: 'vision',
    value: 'FILE',
    help: 'config whose vision tower is put in front of the model',
    fallback: undefined
  },
  hardware: {
    flag: 'hardware',
    value: 'NAME',
    help: 'hardware preset (see tropipe hardware)',
    fallback: undefined
  },
  set: {
    flag: 'set',
    value: 'a=1,b=2',
    help: 'numbers that replace those of the preset, e.g. memoryGiB=48,moeLlm=0.25',
    fallback: undefined,
    parse: parseNames
  },
  tensor: { flag: 'tp', value: 'N', help: 'tensor-parallel devices', fallback: undefined, parse: parseCount(1) },
  context: { flag: 'cp', value: 'N', help: 'context-parallel devices', fallback: undefined, parse: parseCount(1) },
  data: { flag: 'dp', value: 'N', help: 'data-parallel replicas', fallback: undefined, parse: parseCount(1) },
  expert: {
    flag: 'ep',
    value: 'N',
    help: 'expert-parallel devices, out of tp x cp x dp',
    fallback: undefined,
    parse: parseCount(1)
  },
  sequence: {
    flag: 'sequence',
    value: 'N',
    help: 'tokens per sequence (default: 4096)',
    fallback: undefined,
    parse: parseCount(1)
  },
  microbatchSize: {
    flag: 'microbatch-size',
    value: 'N',
    help: 'sequences per microbatch (default: 1)',
    fallback: undefined,
    parse: parseCount(1)
  },
  train: {
    flag: 'train',
    value: 'a,b,...',
    help: 'parts that are trained: vision, projector, text (default: text)',
    fallback: ['text'],
    parse: parseNames
  },
  recompute: {
    flag: 'recompute',
    value: 'RULE',
    choices: ['none', 'selective', 'full'],
    help: 'activations that the backward computes again',
    fallback: undefined
  },
  split: {
    flag: 'split-backward',
    help: 'backwards as input and weight parts, for zero-bubble orders and problem joint',
    fallback: false
  },
  efficiency: {
    flag: 'efficiency',
    value: 'RULE',
    choices: ['mfu', 'roofline'],
    help: 'sustained fraction of whole steps, or of kernels with exchanges added',
    fallback: undefined
  },
  workload: {
    flag: 'workload',
    value: 'KIND|FILE',
    help: 'uniform, packed, fixed, heavy, mixed, laion, video, or a file of visual tokens per image, one microbatch per line',
    fallback: 'packed'
  },
  visualTokens: {
    flag: 'visual-tokens',
    value: 'N',
    help: 'mean visual tokens per microbatch (default: half of its tokens)',
    fallback: undefined,
    parse: parseCount(1)
  },
  cut: {
    flag: 'cut',
    value: 'best|a,b,...',
    help: 'text layers per stage, or the best ones under memory (default: even)',
    fallback: undefined,
    parse: text => (text === 'best' ? text : parseCounts(text))
  }
}
