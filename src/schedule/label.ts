import type { EventId, EventKey, Problem } from './problem.ts'

/** Which encode of its microbatch, in short: `.1` item 1, `:0` chunk 0, `.1:0` both; nothing where tasks are whole. */
export function partSuffix({ item, chunk }: Part): string {
  return `${item === undefined ? '' : `.${item}`}${chunk === undefined ? '' : `:${chunk}`}`
}

/** Which encode of its microbatch, for encodes of problems that have several; else nothing. */
export type PartName = { readonly item?: number; readonly chunk?: number }

/** The same, as something may carry it. */
type Part = { readonly item?: number | undefined; readonly chunk?: number | undefined }

const names = new WeakMap<Problem, (key: EventKey) => PartName>()

/** Says of the events of a problem which item and chunk they are, where there are several. */
export function partNames(problem: Problem): (key: EventKey) => PartName {
  const known = names.get(problem) ?? partNamesOf(problem)
  names.set(problem, known)
  return known
}

function partNamesOf({ events }: Problem): (key: EventKey) => PartName {
  const items = events.some(({ key }) => key.item > 0)
  const chunks = events.some(({ key }) => key.chunk > 0)
  if (!items && !chunks) return () => NOTHING
  return ({ kind, item, chunk }) =>
    kind === 'E' || kind === 'EB' ? { ...(items ? { item } : {}), ...(chunks ? { chunk } : {}) } : NOTHING
}

const NOTHING: PartName = {}

/** ", item 1, chunk 2" in a sentence; nothing where tasks are whole. */
export function partWords({ item, chunk }: Part): string {
  return `${item === undefined ? '' : `, item ${item}`}${chunk === undefined ? '' : `, chunk ${chunk}`}`
}

/** An event as grids and traces name it: `2F5`, `E5`, `E5.1:0`; without a stage, or with -1 for one, none is named. */
export function shortName(
  event: Part & { readonly kind: string; readonly stage?: number; readonly microbatch: number }
): string {
  const { kind, stage = -1, microbatch } = event
  return `${stage < 0 ? '' : stage}${kind}${microbatch}${partSuffix(event)}`
}

/** Name of an event in a sentence: `F(stage 2, microbatch 5)`, `E(microbatch 3, item 1)`, `Reduce(llm)`. */
export function eventLabel(problem: Problem, event: EventId): string {
  const { key } = problem.events[event]
  const { kind, stage, microbatch, region } = key
  if (microbatch < 0) return `${kind}(${problem.regions[region].name})`
  return `${kind}(${stage < 0 ? '' : `stage ${stage}, `}microbatch ${microbatch}${partWords(partNames(problem)(key))})`
}
