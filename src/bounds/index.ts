import type { Bound } from '../schedule/certificate.ts'
import type { CommunicationModel } from '../schedule/measured.ts'
import type { Problem, Sequences } from '../schedule/problem.ts'
import { type Frame, frameOf } from './frame.ts'
import { inFlightBound } from './in-flight.ts'
import { rankLoadBound, totalLoadBound } from './load.ts'
import { encodePackingBound } from './packing.ts'
import { pathBound } from './path.ts'
import { transferLoadBound } from './transfer-load.ts'
import { backwardWindowBound, encodeWindowBound } from './windows.ts'

type Rule = (frame: Frame) => Bound | undefined

/** Rules that hold whatever the order of the body. */
const FREE_RULES: readonly Rule[] = [pathBound, totalLoadBound, rankLoadBound, encodePackingBound]

/** Rules that rest on the ranks' capacities, besides. */
const MEMORY_RULES: readonly Rule[] = [inFlightBound]

/** Rules that need the body order to be fixed, besides. */
const BODY_RULES: readonly Rule[] = [encodeWindowBound, backwardWindowBound]

/** Which bounds are wanted: without `memory`, those that hold whatever the capacities. */
export type BoundOptions = { readonly memory?: boolean }

/** All bounds that apply to a fixed body order, strongest first. */
export function placementBounds(problem: Problem, body: Sequences, options: BoundOptions = {}): Bound[] {
  return strongestFirst(frameOf(problem, body), [...freeRules(options), ...BODY_RULES])
}

/** All bounds that apply whatever the order of the body, strongest first. */
export function jointBounds(problem: Problem, options: BoundOptions = {}): Bound[] {
  const free: Sequences = Array.from({ length: problem.ranks }, () => [])
  return strongestFirst(frameOf(problem, free), freeRules(options))
}

function freeRules({ memory = true }: BoundOptions): readonly Rule[] {
  return memory ? [...FREE_RULES, ...MEMORY_RULES] : FREE_RULES
}

/** Bounds that a problem's transfers add under the models in which they queue or block, strongest first; none under latency. */
export function transferBounds(problem: Problem, model: CommunicationModel): Bound[] {
  const free: Sequences = Array.from({ length: problem.ranks }, () => [])
  return strongestFirst(frameOf(problem, free), [frame => transferLoadBound(frame, model)])
}

function strongestFirst(frame: Frame, rules: readonly Rule[]): Bound[] {
  const bounds = rules.map(rule => rule(frame)).filter(bound => bound !== undefined)
  return bounds.sort((a, b) => b.ticks - a.ticks)
}
