import type { Model } from '../encoding/model/types.ts'
import { pointless, unknownEngine } from './outcome.ts'
import { objectiveOf, pointFault } from './point.ts'
import type { Engine, Finding, Outcome } from './port.ts'

/** How far a bound may exceed a point's objective, relative to it, by rounding alone. */
const ROUNDING = 1e-6

/**
 * What one run hands over before its outcome. Distrusts it as much as an outcome: a point that does not satisfy the model
 * is dropped with what came with it, and so is a bound that a point of the same run refutes.
 */
export class Findings {
  readonly #id: string
  readonly #model: Model
  readonly #pass: (finding: Finding) => void
  #values: Float64Array | undefined
  /** Objective of the best point; of a model without objective, nothing that a bound could exceed. */
  #objective = Number.POSITIVE_INFINITY
  #bound = Number.NEGATIVE_INFINITY
  #engine: Engine | undefined

  /** `pass` gets each finding that holds. */
  constructor(id: string, model: Model, pass: (finding: Finding) => void) {
    this.#id = id
    this.#model = model
    this.#pass = pass
  }

  /** Takes what a worker or child posted as a finding, which may be anything. */
  take(message: unknown): void {
    if (typeof message !== 'object' || message === null) return
    const { values, claimedBound, engine } = message as { [key in keyof Finding]?: unknown }
    const point = values === undefined ? undefined : this.#pointOf(values)
    if (values !== undefined && !point) return
    if (point) this.#keep(point)
    const bound = this.#rises(claimedBound) ? claimedBound : undefined
    this.#bound = bound ?? this.#bound
    if (!point && bound === undefined) return
    this.#engine = engineOf(engine) ?? this.#engine ?? unknownEngine(this.#id)
    this.#pass({
      ...(point ? { values: point } : {}),
      ...(bound === undefined ? {} : { claimedBound: bound }),
      engine: this.#engine
    })
  }

  /**
   * The outcome with what was handed over before it: a run that was stopped or died keeps its best point, which is checked,
   * and one that did not crash its best bound. A run that contradicts its own points has crashed.
   */
  complete(outcome: Outcome): Outcome {
    if (outcome.values) this.#keep(outcome.values)
    const bound = Math.max(outcome.claimedBound ?? Number.NEGATIVE_INFINITY, this.#bound)
    const denies = this.#values !== undefined && (outcome.status === 'infeasible' || outcome.status === 'unsat')
    if (denies || bound > this.#mostBound()) {
      const what = denies ? `"${outcome.status}"` : `a bound of ${bound}`
      return this.#withPoint(pointless('crash', outcome.engine, `${outcome.raw}; its own point refutes ${what}`))
    }
    if (outcome.stop === 'proved') return outcome
    const known = outcome.stop !== 'crash' && Number.isFinite(bound) ? { claimedBound: bound } : {}
    return this.#withPoint({ ...outcome, ...known })
  }

  /** An engine that was stopped did not name itself any more, and has no point of its own. */
  #withPoint(outcome: Outcome): Outcome {
    const engine = outcome.engine.version === 'unknown' ? (this.#engine ?? outcome.engine) : outcome.engine
    if (outcome.values || !this.#values) return { ...outcome, engine }
    return { ...outcome, engine, status: this.#model.kind === 'smt' ? 'sat' : 'feasible', values: this.#values }
  }

  #pointOf(values: unknown): Float64Array | undefined {
    if (!Array.isArray(values) && !ArrayBuffer.isView(values)) return undefined
    const point = Float64Array.from(values as ArrayLike<unknown>, value =>
      typeof value === 'number' ? value : Number.NaN
    )
    return pointFault(this.#model, point) === undefined ? point : undefined
  }

  #keep(point: Float64Array): void {
    const objective = this.#model.kind === 'smt' ? Number.POSITIVE_INFINITY : objectiveOf(this.#model, point)
    if (this.#values && objective >= this.#objective) return
    this.#values = point
    this.#objective = objective
  }

  #rises(bound: unknown): bound is number {
    return typeof bound === 'number' && bound > this.#bound && this.#isPossible(bound)
  }

  /** Whether a bound says anything, and nothing that a point of this run refutes. */
  #isPossible(bound: number): boolean {
    return Number.isFinite(bound) && bound <= this.#mostBound()
  }

  #mostBound(): number {
    return this.#objective + ROUNDING * Math.max(1, Math.abs(this.#objective))
  }
}

function engineOf(given: unknown): Engine | undefined {
  const { name, version } = (given ?? {}) as { name?: unknown; version?: unknown }
  return typeof name === 'string' && typeof version === 'string' ? { name, version } : undefined
}
