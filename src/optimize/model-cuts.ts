import { counted } from '../base/counted.ts'
import { fail, notYet } from '../base/fault.ts'
import type { Host } from '../host/port.ts'
import type { Assumption } from '../model/assumption.ts'
import { cutOfAnswer, cutProblemOf, type EncoderPlace, layerRuns } from '../model/cuts/from-plan.ts'
import type { OtherCut, Plan } from '../model/plan.ts'
import { type CutOptions, optimizeCut } from './cuts.ts'

/** A plan with the best cuts, and what was found. */
export type CutPlan = { readonly plan: Plan; readonly assumptions: readonly Assumption[] }

/**
 * The plan with its best cut for a transposed encoder, and best cuts for the families that fuse the encoder into stage 0
 * or give it a rank of its own. Layers may be recomputed where memory asks for it.
 * @throws FaultError MEMORY_NO_CUT where no cut of the transposed form fits; CUT_LIMIT where time ran out without one
 */
export async function withBestCuts(plan: Plan, host: Host, options: Partial<CutOptions> = {}): Promise<CutPlan> {
  const text = plan.architecture.text!
  if (plan.parallel.chunks > 1)
    notYet('cut', 'best', 'the best cut of interleaved chunks', 'Use one chunk, or give the layers with --cut a,b,...')
  const assumptions: Assumption[] = [
    {
      field: 'cut',
      value: 'best',
      why: 'shortest 1F1B step under memory by a MILP; mean microbatch, no transfer times; layers recomputed where needed'
    }
  ]
  if (layerRuns(text).average)
    assumptions.push({ field: 'cut.layers', value: 'averaged', why: 'layers alternate: each counts as their mean' })
  const search = async (place: EncoderPlace) => {
    const problem = cutProblemOf(plan, place, plan.recompute !== 'full')
    const answer = await optimizeCut(problem, host, { timeLimitMs: 20_000, ...options })
    if (answer.status === 'infeasible' || answer.status === 'unknown') return { failed: answer }
    const cut = cutOfAnswer(problem, answer.cut)
    assumptions.push({
      field: `cut.${place}`,
      value: listOf(cut),
      why: `${answer.status}, ${counted(answer.rounds, 'model')} solved`
    })
    return { cut }
  }
  const main = await search('transposed')
  if (!main.cut) return refuse(main.failed)
  const others = plan.architecture.vision ? await otherCuts(plan, search) : undefined
  const { cut, recomputed } = main.cut
  return { plan: { ...plan, cut, recomputedLayers: recomputed, ...(others ? { others } : {}) }, assumptions }
}

type Found = { readonly cut?: OtherCut }

async function otherCuts(plan: Plan, search: (place: EncoderPlace) => Promise<Found>) {
  const inline = await search('inline')
  const canDedicate = plan.parallel.ranks > 1 && plan.parallel.chunks === 1
  const dedicated = canDedicate ? await search('dedicated') : {}
  return {
    ...(inline.cut ? { inline: inline.cut } : {}),
    ...(dedicated.cut ? { dedicated: dedicated.cut } : {})
  }
}

function listOf({ cut, recomputed }: OtherCut): string {
  const again = recomputed.map(stage => stage.filter(Boolean).length)
  return `[${cut.join(', ')}]${again.some(count => count > 0) ? `, recomputed [${again.join(', ')}]` : ''}`
}

function refuse(answer: { readonly status: 'infeasible' | 'unknown'; readonly reason: string }): never {
  if (answer.status === 'infeasible')
    fail('MEMORY_NO_CUT', 'parallel', undefined, answer.reason, 'Change the parallelism, or the hardware.')
  fail('CUT_LIMIT', 'cut', undefined, `no cut was found in time: ${answer.reason}`, 'Give --cut a,b,... or more time.')
}
