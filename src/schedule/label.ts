import type { EventId, Problem } from './problem.ts'

/** Short name of an event for people, e.g. `F(2, 5)` for stage 2 and microbatch 5, `E(3)`, `Reduce(llm)`. */
export function eventLabel(problem: Problem, event: EventId): string {
  const { kind, stage, microbatch, region } = problem.events[event].key
  if (microbatch < 0) return `${kind}(${problem.regions[region].name})`
  return stage < 0 ? `${kind}(${microbatch})` : `${kind}(${stage}, ${microbatch})`
}
