import type { Bound } from '../schedule/certificate.ts'
import type { Problem, Sequences } from '../schedule/problem.ts'
import { type Frame, frameOf } from './frame.ts'
import { rankLoadBound, totalLoadBound } from './load.ts'
import { pathBound } from './path.ts'
import { backwardWindowBound, encodeWindowBound } from './windows.ts'

const RULES: readonly ((frame: Frame) => Bound | undefined)[] = [
  pathBound,
  totalLoadBound,
  rankLoadBound,
  encodeWindowBound,
  backwardWindowBound
]

/** All bounds that apply to a fixed body order, strongest first. */
export function placementBounds(problem: Problem, body: Sequences): Bound[] {
  const frame = frameOf(problem, body)
  const bounds = RULES.map(rule => rule(frame)).filter(bound => bound !== undefined)
  return bounds.sort((a, b) => b.ticks - a.ticks)
}
