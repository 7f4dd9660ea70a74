import type { Overflow } from '../algebra/placement.ts'
import type { EncoderBackward } from '../algebra/types.ts'
import { type Axis, parseAxis } from '../compare/sweep/axes.ts'
import { DEFAULT_OPTIONS, type Objective, type ProblemName } from '../optimize/types.ts'
import {
  type OwnersOption,
  parseCount,
  parseCounts,
  parseDuration,
  parseNames,
  parseOwners,
  parseRange,
  type Range
} from './values.ts'

/** Every value that a command can be configured with. Adding a key here without a row in `OPTIONS` does not compile. */
export type Config = {
  readonly json: boolean
  readonly output: string | undefined
  readonly ascii: boolean
  readonly ranks: number | undefined
  readonly microbatches: number | undefined
  readonly trainable: boolean
  readonly closedForm: boolean
  readonly owners: OwnersOption | undefined
  readonly feed: 'bidirectional' | undefined
  readonly runtime: 'hyper-parallel' | undefined
  readonly backward: EncoderBackward | undefined
  readonly overflow: Overflow
  readonly lessMemory: boolean
  readonly chunks: number
  readonly layers: number
  readonly body: 'gpipe' | '1f1b' | 'interleaved' | undefined
  readonly overlapBF: boolean
  readonly families: readonly string[] | undefined
  readonly baseline: string | undefined
  readonly format: 'table' | 'markdown' | 'csv'
  readonly html: string | undefined
  readonly sweep: readonly Axis[] | undefined
  readonly shard: string | undefined
  readonly store: string | undefined
  readonly problem: ProblemName
  readonly objective: Objective
  readonly solver: string
  readonly timeLimit: number
  readonly seed: number
  readonly threads: number
  readonly deterministic: boolean
  readonly tieBreak: 'none' | 'memory'
  readonly pareto: boolean
  readonly quiet: boolean
  readonly withoutOptimum: boolean
  readonly draws: number | undefined
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
  readonly to: string | undefined
  readonly repair: boolean
  readonly from: string | undefined
  readonly instance: string | undefined
  readonly allDurations: boolean
  readonly optimal: boolean
  readonly family: string | undefined
  readonly rankRange: Range | undefined
  readonly microbatchRange: Range | undefined
}

/** One row of the option table: how the option is written, read and explained. */
export type OptionSpec<T> = {
  /** Long form, without dashes. */
  readonly flag: string
  readonly short?: string
  /** Name of the value; absent for a switch. */
  readonly value?: string
  readonly choices?: readonly string[]
  readonly help: string
  /** Value where the option is not given. */
  readonly fallback: T
  /** Reads the value; absent: the text itself (or `true` for a switch). `before`: what an earlier use of the option gave. */
  parse?(text: string, before?: T): T
}

/** The one table behind the parser, `--help` and docs/cli.md. */
export const OPTIONS: { readonly [K in keyof Config]: OptionSpec<Config[K]> } = {
  json: {
    flag: 'json',
    help: 'print exactly one JSON document on stdout; everything else goes to stderr',
    fallback: false
  },
  output: {
    flag: 'output',
    short: 'o',
    value: 'OUT',
    help: 'write the document to OUT (complete or not at all)',
    fallback: undefined
  },
  ascii: { flag: 'ascii', help: 'draw with ASCII characters only', fallback: false },
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
  },
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
    help: 'compare at every value of an axis: ranks=2..16, microbatches=8,16, encoder=0.1..4 (a factor; :5 for five points), communication=..., capacity=...; repeat it for a grid',
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
  problem: {
    flag: 'problem',
    value: 'NAME',
    choices: ['owner', 'placement', 'reorder', 'joint'],
    help: 'what the search may change',
    fallback: DEFAULT_OPTIONS.problem
  },
  objective: {
    flag: 'objective',
    value: 'NAME',
    choices: ['makespan', 'spill'],
    help: "what is minimised; spill (problem owner only) is the paper's max_r spill_r",
    fallback: DEFAULT_OPTIONS.objective
  },
  solver: {
    flag: 'solver',
    value: 'NAME',
    help: 'auto, or the one that must run: glpk, highs, z3, native:NAME',
    fallback: DEFAULT_OPTIONS.solver
  },
  timeLimit: {
    flag: 'time-limit',
    value: 'TIME',
    help: 'wall-clock limit, e.g. 60s, 500ms, 2m (default: 60s)',
    fallback: DEFAULT_OPTIONS.timeLimitMs,
    parse: parseDuration
  },
  seed: {
    flag: 'seed',
    value: 'N',
    help: 'seed of every random choice',
    fallback: DEFAULT_OPTIONS.seed,
    parse: parseCount(0)
  },
  threads: {
    flag: 'threads',
    value: 'N',
    help: 'threads that solvers may use',
    fallback: DEFAULT_OPTIONS.threads,
    parse: parseCount(1)
  },
  deterministic: {
    flag: 'deterministic',
    help: 'step limits in place of clocks and races: same input and seed, same answer',
    fallback: DEFAULT_OPTIONS.deterministic
  },
  tieBreak: {
    flag: 'tie-break',
    value: 'RULE',
    choices: ['none', 'memory'],
    help: 'memory: among optimal schedules, the one with the smallest peak',
    fallback: DEFAULT_OPTIONS.tieBreak
  },
  pareto: {
    flag: 'pareto',
    help: 'also the front of makespan against peak memory: solve again and again with one byte less than the last peak, each point with its certificate',
    fallback: false
  },
  quiet: { flag: 'quiet', short: 'q', help: 'no progress on stderr', fallback: false },
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
  },
  draws: {
    flag: 'draws',
    value: 'N',
    help: 'judge on N random steps: the workload drawn anew (modelled), or microbatches resampled (measured)',
    fallback: undefined,
    parse: parseCount(1)
  },
  withoutOptimum: {
    flag: 'without-optimum',
    help: 'compare the families only, without searching the optimum',
    fallback: false
  },
  to: { flag: 'to', value: 'FORMAT', help: 'format to write', fallback: undefined },
  repair: { flag: 'repair', help: 'list the transfers anew, so that the order hangs on no transport', fallback: false },
  from: {
    flag: 'from',
    value: 'FORMAT',
    help: 'format to read (default: found out from the text)',
    fallback: undefined
  },
  instance: {
    flag: 'instance',
    value: 'FILE',
    help: 'the instance that a schedule or order is for',
    fallback: undefined
  },
  allDurations: {
    flag: 'all-durations',
    help: 'prove the order for every duration, not these times alone',
    fallback: false
  },
  optimal: { flag: 'optimal', help: 'check the certificate of a result again, by other means', fallback: false },
  family: {
    flag: 'family',
    value: 'SPEC',
    help: 'prove every order of a schedule such as "<transpose, 1f1b>", for all sizes in the ranges',
    fallback: undefined
  },
  rankRange: {
    flag: 'ranks',
    value: 'a..b',
    help: 'numbers of ranks, with --family',
    fallback: undefined,
    parse: parseRange
  },
  microbatchRange: {
    flag: 'microbatches',
    value: 'c..d',
    help: 'numbers of microbatches, with --family',
    fallback: undefined,
    parse: parseRange
  }
}
