import { DEFAULT_OPTIONS, type Objective, type ProblemName } from '../../optimize/types.ts'
import { parseCount, parseDuration } from '../values.ts'
import type { OptionTable } from './spec.ts'

/** What steers a search. */
export type SearchConfig = {
  readonly problem: ProblemName
  readonly objective: Objective
  readonly solver: string
  readonly timeLimit: number
  readonly seed: number
  readonly threads: number
  readonly deterministic: boolean
  readonly tieBreak: 'none' | 'memory'
  readonly pareto: boolean
  readonly explain: boolean
}

/** Their rows. */
export const SEARCH_OPTIONS: OptionTable<SearchConfig> = {
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
    help: 'auto, or the one that must run: glpk, highs, z3, cpsat, jslp (owner only), native:NAME',
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
  explain: {
    flag: 'explain',
    help: 'also why the answer is trusted: what was checked, what proves the bound, what was tried, which solvers were not used and why',
    fallback: false
  }
}
