import { SKELETONS } from '../../algebra/types.ts'
import type { Listed } from '../command.ts'

/** Every command, in the order of `--help`. */
export const COMMANDS: readonly Listed[] = [
  {
    name: 'solve',
    summary: 'find the shortest schedule of an instance, with a proof or an honest gap',
    operands: [{ name: 'FILE', help: 'an instance (JSON or YAML; - reads stdin)' }],
    load: async () => (await import('./solve.ts')).solve
  },
  {
    name: 'prove',
    summary: 'prove a schedule or an order legal, or show where it is not',
    operands: [
      { name: 'FILE', help: 'a schedule, a result, or an order of another tool (- reads stdin)', optional: true }
    ],
    load: async () => (await import('./prove.ts')).prove
  },
  {
    name: 'compare',
    summary: 'compare heuristics of the field with each other and with the optimum',
    operands: [{ name: 'FILE', help: 'instances (JSON or YAML; - reads stdin)', many: true }],
    load: async () => (await import('./compare.ts')).compare
  },
  {
    name: 'merge',
    summary: 'merge the results of the shards of a sweep into one table',
    operands: [{ name: 'FILE', help: 'stores (JSON lines)', many: true }],
    load: async () => (await import('./merge.ts')).merge
  },
  {
    name: 'derive',
    summary: 'derive placement, seams, gates and order of a schedule from the algebra',
    operands: [
      { name: 'SPEC|FILE', help: `a schedule (one skeleton per region: ${SKELETONS.join(', ')}), or an instance` }
    ],
    load: async () => (await import('./derive.ts')).derive
  },
  {
    name: 'regimes',
    summary: 'tell which term of the closed form rules for which durations',
    operands: [{ name: 'FILE', help: 'an instance whose backbone stages do not vary between microbatches' }],
    load: async () => (await import('./regimes.ts')).regimes
  },
  {
    name: 'convert',
    summary: 'write a schedule in the format that a runtime runs, or an instance as a solver model',
    operands: [{ name: 'FILE', help: 'a schedule, an instance for a model, or a cut (- reads stdin)' }],
    load: async () => (await import('./convert.ts')).convert
  },
  {
    name: 'model',
    summary: 'turn a model config, hardware and a workload into an instance, number by number',
    operands: [{ name: 'FILE', help: 'an instance in the modelled form, in place of the options', optional: true }],
    load: async () => (await import('./model.ts')).model
  },
  {
    name: 'hardware',
    summary: 'list hardware presets, or explain one with the source of every number',
    operands: [{ name: 'NAME', help: 'a preset, e.g. ascend-910c', optional: true }],
    load: async () => (await import('./hardware.ts')).hardware
  },
  {
    name: 'paper',
    summary: 'reproduce the published step times, say where the gain comes from, sweep around them',
    operands: [],
    load: async () => (await import('./paper.ts')).paper
  }
]
