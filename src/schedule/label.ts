import type { EventId, Problem } from './problem.ts'

/** Name of an event in a sentence: `F(stage 2, microbatch 5)`, `E(microbatch 3)`, `E(microbatch 3, item 1, chunk 2)`, `Reduce(llm)`. */
export function eventLabel(problem: Problem, event: EventId): string {
  const { kind, stage, microbatch, region, item, chunk } = problem.events[event].key
  if (microbatch < 0) return `${kind}(${problem.regions[region].name})`
  // A whole task needs no more name; of several, the first is told by what follows it.
  const part = item > 0 || chunk > 0 ? `, item ${item}, chunk ${chunk}` : ''
  return `${kind}(${stage < 0 ? '' : `stage ${stage}, `}microbatch ${microbatch}${part})`
}
