import { range, sum } from '../../base/arrays.ts'
import type { Milp, MilpRow, MilpVariable, Term } from '../../encoding/model/types.ts'
import { type StepRule, simulated } from './objective.ts'
import { type Cut, type CutProblem, inFlight } from './problem.ts'
import type { PathCounts } from './step.ts'

/** The model of a cut problem with the paths that are known so far; `decode` reads a cut out of a point. */
export type CutModel = { readonly model: Milp; readonly decode: (values: ArrayLike<number>) => Cut }

/**
 * Whole numbers of layers and recomputed layers per stage and kind; the makespan is at least the length of every path
 * given. With every path of 1F1B this is exact; with some of them it is a relaxation, and its optimum a lower bound.
 */
export function encodeCut(problem: CutProblem, paths: readonly PathCounts[], rule: StepRule, most: number): CutModel {
  const { stages, kinds } = problem
  const variables: MilpVariable[] = []
  const rows: MilpRow[] = []
  const add = (upper: number, integer = true) => variables.push({ lower: 0, upper, integer }) - 1
  const layers = range(stages).map(() => kinds.map(kind => add(kind.count)))
  const recomputed = range(stages).map(() => kinds.map(kind => (kind.recompute === undefined ? -1 : add(kind.count))))
  const makespan = add(most, false)
  const period = add(most, false)
  const part = simulated(stages, problem.microbatches, rule)

  const timeTerms = (forward: readonly number[], backward: readonly number[]) =>
    range(stages).flatMap(stage =>
      kinds.flatMap((kind, k): Term[] => {
        const layer = forward[stage] * kind.forward + backward[stage] * kind.backward
        const again = backward[stage] * (kind.recompute ?? 0)
        return [
          ...(layer !== 0 ? [[layers[stage][k], -layer] as const] : []),
          ...(again !== 0 && recomputed[stage][k] >= 0 ? [[recomputed[stage][k], -again] as const] : [])
        ]
      })
    )
  const constant = (forward: readonly number[], backward: readonly number[]) =>
    sum(problem.extras.map((extra, stage) => forward[stage] * extra.forward + backward[stage] * extra.backward))
  for (const { forward, backward } of paths)
    rows.push({ terms: [[makespan, 1], ...timeTerms(forward, backward)], lower: constant(forward, backward) })

  const unit = (stage: number) => range(stages).map(other => (other === stage ? 1 : 0))
  if (part.rounds > 0)
    for (const stage of range(stages))
      rows.push({
        terms: [[period, 1], ...timeTerms(unit(stage), unit(stage))],
        lower: constant(unit(stage), unit(stage))
      })

  kinds.forEach((kind, k) => {
    rows.push({ terms: layers.map((list): Term => [list[k], 1]), lower: kind.count, upper: kind.count })
    for (const stage of range(stages))
      if (recomputed[stage][k] >= 0)
        rows.push({
          terms: [
            [layers[stage][k], 1],
            [recomputed[stage][k], -1]
          ],
          lower: 0
        })
  })
  for (const stage of range(stages)) {
    const bounds = problem.empty?.includes(stage) ? { upper: 0 } : { lower: problem.least }
    rows.push({ terms: layers[stage].map((variable): Term => [variable, 1]), ...bounds })
    rows.push(memoryRow(problem, stage, layers[stage], recomputed[stage]))
  }
  rows.push(...depthOrder(problem, layers, add))
  const objective: Term[] = [[makespan, 1], ...(part.rounds > 0 ? [[period, part.rounds * stages] as const] : [])]
  return {
    model: { kind: 'milp', variables, rows, objective },
    decode: values => ({
      layers: layers.map(list => list.map(variable => Math.round(values[variable]))),
      recomputed: recomputed.map(list => list.map(variable => (variable < 0 ? 0 : Math.round(values[variable]))))
    })
  }
}

function memoryRow(
  problem: CutProblem,
  stage: number,
  layers: readonly number[],
  recomputed: readonly number[]
): MilpRow {
  const held = inFlight(problem, stage)
  const extra = problem.extras[stage]
  const terms = problem.kinds.flatMap((kind, k): Term[] => {
    const saved = held * (kind.activation - kind.recomputedActivation)
    return [
      [layers[k], kind.states + held * kind.activation] as const,
      ...(recomputed[k] >= 0 && saved !== 0 ? [[recomputed[k], -saved] as const] : [])
    ]
  })
  return {
    terms: terms.filter(([, coefficient]) => coefficient !== 0),
    upper: problem.limit[stage] - extra.states - held * extra.activation
  }
}

/** Kinds keep the order of the model: no layer of a later kind on a stage before one that still has an earlier kind. */
function depthOrder(
  problem: CutProblem,
  layers: readonly (readonly number[])[],
  add: (upper: number) => number
): MilpRow[] {
  const { stages, kinds } = problem
  return range(kinds.length - 1).flatMap(k => {
    const earlier = sum(kinds.slice(0, k + 1).map(kind => kind.count))
    const later = sum(kinds.slice(k + 1).map(kind => kind.count))
    return range(stages - 1).flatMap((stage): MilpRow[] => {
      const open = add(1) // 1 where earlier kinds go on behind this stage
      const behind = range(stages).slice(stage + 1)
      return [
        {
          terms: [[open, earlier], ...behind.flatMap(s => range(k + 1).map((j): Term => [layers[s][j], -1]))],
          lower: 0
        },
        {
          terms: [
            [open, later],
            ...range(kinds.length)
              .slice(k + 1)
              .map((j): Term => [layers[stage][j], 1])
          ],
          upper: later
        }
      ]
    })
  })
}

/** Paths that every 1F1B step has: up to a stage, all its work, and back down. They make a good first relaxation. */
export function plainPaths(stages: number, microbatches: number): PathCounts[] {
  return range(stages).map(stage => ({
    forward: range(stages).map(other => (other === stage ? microbatches : other < stage ? 1 : 0)),
    backward: range(stages).map(other => (other === stage ? microbatches : other < stage ? 1 : 0))
  }))
}
