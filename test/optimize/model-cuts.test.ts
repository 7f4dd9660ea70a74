import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { sum } from '../../src/base/arrays.ts'
import { familyById } from '../../src/heuristics/index.ts'
import { nodeHost } from '../../src/host/node/index.ts'
import { measure, parseInstance } from '../../src/instance/index.ts'
import { checkModelled } from '../../src/instance/modelled-schema.ts'
import { expandResolved } from '../../src/model/load.ts'
import { resolvePlan } from '../../src/model/resolve.ts'
import { withBestCuts } from '../../src/optimize/model-cuts.ts'
import { evaluate } from '../../src/schedule/evaluate.ts'
import type { Measured } from '../../src/schedule/measured.ts'
import { releaseSolvers } from '../../src/solvers/index.ts'

const host = nodeHost()
afterAll(() => releaseSolvers(host))
const model = JSON.parse(
  readFileSync(resolve(import.meta.dirname, '../../examples/configs/qwen2.5-vl-7b.json'), 'utf8')
)
const base = {
  format: 'tropipe.instance/1',
  name: 'q',
  ranks: 4,
  microbatches: 6,
  model,
  parallel: { tp: 2 },
  hardware: 'ascend-910c'
}

async function cut(change: object = {}) {
  const checked = checkModelled({ ...base, ...change })
  if (!checked.ok) throw new Error(JSON.stringify(checked.faults))
  const resolved = resolvePlan(checked.document)
  const best = await withBestCuts(resolved.plan, host)
  return { ...best, modelled: expandResolved(checked.document, { ...resolved, plan: best.plan }) }
}

function makespan(measured: Measured, id: string): number {
  const order = familyById(id)!.apply(measured)
  if (order.kind !== 'order') throw new Error(order.reason)
  const result = evaluate(order.problem, order.sequences)
  if (result.kind !== 'schedule') throw new Error(result.kind)
  return result.schedule.makespan
}

describe('best cuts of a plan', () => {
  it('reach the families, and beat the even ones', async () => {
    const { modelled, plan, assumptions } = await cut()
    const again = parseInstance(JSON.stringify(modelled.document), 'json')
    if (!again.ok) throw new Error(JSON.stringify(again.faults))
    const { measured } = again
    expect(measured.hash).toBe(measure(modelled.document).hash)
    expect([measured.inlineBest?.length, measured.dedicatedBest?.length]).toEqual([4, 3])
    expect([sum(plan.cut!), sum(plan.others!.inline!.cut), sum(plan.others!.dedicated!.cut)]).toEqual([28, 28, 28])
    expect(makespan(measured, 'inline-best')).toBeLessThan(makespan(measured, 'inline'))
    expect(makespan(measured, 'dedicated-best')).toBeLessThanOrEqual(makespan(measured, 'dedicated'))
    expect(assumptions.map(one => one.field)).toEqual(['cut', 'cut.transposed', 'cut.inline', 'cut.dedicated'])
  })

  it('recompute layers where memory asks for it, and only then', async () => {
    const count = (plan: Awaited<ReturnType<typeof cut>>['plan']) =>
      sum(plan.recomputedLayers!.map(one => (typeof one === 'number' ? one : one.filter(Boolean).length)))
    expect(count((await cut()).plan)).toBe(0)
    const { plan, modelled } = await cut({ hardware: { preset: 'ascend-910c', memoryGiB: 28 } })
    expect(count(plan)).toBeGreaterThan(0)
    expect(modelled.warnings).toEqual([])
  })

  it('say what to change where no cut fits', async () => {
    await expect(cut({ hardware: { preset: 'ascend-910c', memoryGiB: 20 } })).rejects.toThrow(/MEMORY_NO_CUT/)
  })

  it('without them the families say how to get them', () => {
    const checked = checkModelled(base)
    if (!checked.ok) throw new Error('faults')
    const measured = measure(expandResolved(checked.document, resolvePlan(checked.document)).document)
    for (const id of ['inline-best', 'dedicated-best'])
      expect(familyById(id)!.apply(measured)).toMatchObject({ kind: 'not-applicable', reason: /--cut best/ })
  })

  it('cuts of the wrong length are faults', async () => {
    const { modelled } = await cut()
    const { document } = modelled
    const broken = { ...document, cuts: { inline: document.cuts!.dedicated } }
    const parsed = parseInstance(JSON.stringify(broken), 'json')
    expect(parsed.ok ? [] : parsed.faults.map(fault => [fault.code, fault.path])).toEqual([
      ['LIST_LENGTH', 'cuts.inline.stages']
    ])
  })
})

describe('split backwards', () => {
  it('keep their sum', () => {
    const of = (split: boolean) => {
      const checked = checkModelled({ ...base, cost: { split, recompute: 'full' } })
      if (!checked.ok) throw new Error('faults')
      return expandResolved(checked.document, resolvePlan(checked.document)).document.regions[1].stages
    }
    of(true).forEach((slab, stage) => {
      const { input, weight } = slab.backward as { input: number; weight: number }
      expect(input + weight).toBe(of(false)[stage].backward)
      expect(input).toBeGreaterThan(weight)
    })
  })
})
