import type { EventId, Problem } from './problem.ts'

/** Name of an event in a sentence: `F(stage 2, microbatch 5)`, `E(microbatch 3)`, `Reduce(llm)`. */
export function eventLabel(problem: Problem, event: EventId): string {
  const { kind, stage, microbatch, region } = problem.events[event].key
  if (microbatch < 0) return `${kind}(${problem.regions[region].name})`
  return `${kind}(${stage < 0 ? '' : `stage ${stage}, `}microbatch ${microbatch})`
}
