import type { BodyOrder } from '../../algebra/orders/body.ts'
import { range } from '../../base/arrays.ts'
import type { ScheduleDocument } from '../../schedule/document.ts'
import type { Tick } from '../../schedule/measured.ts'
import type { Rules } from '../../verify/rules.ts'
import type { EncodeRules, SourceRules } from '../../verify/source-rules.ts'
import type { StageRules } from '../../verify/stage-rules.ts'

/**
 * Rules under which position k of the body order takes no more than any microbatch that may stand there: the shortest of
 * each stage; encodes ascending, since one of the first k + 1 is no shorter than the k-th shortest of all; encoder
 * backwards descending, for the same reason from the end. Where microbatches skip work, that work counts as nothing.
 */
export function leastRules(rules: Rules): Rules {
  const { source, stages } = rules
  return {
    ...rules,
    stages: stages.map(leastStage),
    ...(source ? { source: leastSource(source, rules.measured.microbatches) } : {})
  }
}

/** Stages that some microbatch skips: at which positions their events stand is open then. */
export function skippedStages({ stages }: Rules): Set<number> {
  return new Set(range(stages.length).filter(stage => stages[stage].works.includes(false)))
}

function leastStage(stage: StageRules): StageRules {
  const skips = stage.works.includes(false)
  const least = (ticks: readonly Tick[]) => ticks.map(() => (skips ? 0 : Math.min(...ticks)))
  return {
    ...stage,
    forwardTicks: least(stage.forwardTicks),
    backwardTicks: least(stage.backwardTicks),
    inputTicks: least(stage.inputTicks),
    weightTicks: least(stage.weightTicks)
  }
}

/** Encodes of several items and chunks are dealt out among their like. */
function leastSource(source: SourceRules, microbatches: number): SourceRules {
  const all = range(microbatches).map(m => (source.works[m] ? source.encodes(m) : []))
  const dealt = (part: number, ticksOf: (one: EncodeRules) => Tick, sign: 1 | -1): Tick[] => {
    const ticks = all.flatMap(parts => (parts[part] ? [ticksOf(parts[part])] : []))
    return ticks.length < microbatches ? all.map(() => 0) : ticks.sort((a, b) => sign * (a - b))
  }
  const parts = range(source.width).map(part => ({
    forward: dealt(part, one => one.forwardTicks, 1),
    backward: dealt(part, one => one.backwardTicks, -1)
  }))
  const least = all.map((own, m) =>
    own.map((one, part) => ({ ...one, forwardTicks: parts[part].forward[m], backwardTicks: parts[part].backward[m] }))
  )
  return { ...source, encodes: m => least[m] }
}

/** A body order with the microbatch of each position put in its place. */
export function withInjection(body: BodyOrder, injection: readonly number[]): BodyOrder {
  return body.map(steps => steps.map(step => ({ ...step, microbatch: injection[step.microbatch] })))
}

/** The injection order of a schedule: that of the forwards of its last stage, which every microbatch runs. */
export function injectionOf({ ranks, M }: ScheduleDocument): number[] {
  const forwards = ranks.flat().filter(event => event.kind === 'F' && event.stage !== undefined)
  const last = forwards.reduce((most, event) => Math.max(most, event.stage ?? 0), 0)
  const listed = forwards.filter(event => event.stage === last).map(event => event.microbatch)
  return [...new Set([...listed, ...range(M)])]
}

/** All injection orders, microbatches that cost the same everywhere ascending among themselves; `undefined` beyond `most`. */
export function injectionsUpTo(rules: Rules, most: number): number[][] | undefined {
  const costs = range(rules.measured.microbatches).map(m => costOf(rules, m))
  let orders: number[][] = [[]]
  for (const _ of costs) {
    orders = orders.flatMap(order => {
      const left = range(costs.length).filter(m => !order.includes(m))
      return left.filter((m, i) => left.findIndex(other => costs[other] === costs[m]) === i).map(m => [...order, m])
    })
    if (orders.length > most) return undefined
  }
  return orders
}

/** Everything that an instance says of one microbatch. */
function costOf({ stages, source }: Rules, m: number): string {
  const stage = stages.map(({ works, forwardTicks, backwardTicks, inputTicks, weightTicks }) =>
    [works, forwardTicks, backwardTicks, inputTicks, weightTicks].map(list => list[m])
  )
  return JSON.stringify([stage, source?.works[m] ? source.encodes(m) : []])
}
