import { maximum, sum } from '../base/arrays.ts'
import { counted } from '../base/counted.ts'
import type { TextModel, VisionModel } from './architecture.ts'
import { sendBytes } from './instance-document.ts'
import type { Plan } from './plan.ts'
import { loadOf, type StageCost } from './text-cost.ts'
import { hopSeconds, type SeamLink, seamLinks } from './transfers.ts'
import { gib, tera, us } from './units.ts'
import { forwardOf, type VisionCost } from './vision-cost.ts'
import type { MicrobatchLoad } from './workload.ts'

/** Where one number of the instance comes from, in words and with its inputs. */
export type Derivation = { readonly path: string; readonly value: string; readonly why: string }

/** How every number of the instance follows from the plan. */
export function derivationsOf(
  plan: Plan,
  text: TextModel,
  cut: readonly number[],
  stages: readonly StageCost[],
  vision: VisionModel | undefined,
  loads: readonly MicrobatchLoad[],
  encodes: readonly VisionCost[]
): Derivation[] {
  const { hardware, parallel } = plan
  const devices = parallel.tensor * parallel.context
  const peak = hardware.peakTflops.bf16.value
  const lines: Derivation[] = []
  if (vision) {
    const fraction = hardware.sustained.vit.value
    const patches = loads.map(sum)
    lines.push({
      path: 'regions.vision.forward',
      value: `${us(Math.min(...encodes.map(forwardOf)))}-${us(maximum(encodes.map(forwardOf)))} us`,
      why: `${Math.min(...patches)}-${maximum(patches)} patches, ${tera(maximum(encodes.map(one => one.flops)))} TFLOP at most / ${counted(parallel.visionShare, 'device')} / (${peak} TFLOPS x ${fraction})`
    })
  }
  stages.forEach((stage, index) => {
    lines.push({
      path: `regions.llm.stages[${index}]`,
      value: `F ${us(stage.forward)} us, B ${us(stage.backward)} us`,
      why: `${counted(cut[index], 'layer')}${index === 0 ? ' + embedding' : ''}${index === stages.length - 1 ? ' + head' : ''}: ${tera(stage.flops)} TFLOP on ${devices === 1 ? 'one device' : `each of ${devices} devices`}, ${stage.bound}-bound${stage.exchange > 0 ? `, ${us(stage.exchange)} us of exchanges` : ''}`
    })
  })
  lines.push(
    {
      path: 'regions.llm.stages[0].parameters',
      value: `${gib(stages[0].states)} GiB`,
      why: `2 + 4 + 12/n bytes per trained parameter, n = ${parallel.zero1 ? parallel.data * parallel.context : 1} (experts apart), tp ${parallel.tensor}, ep ${parallel.expert}`
    },
    {
      path: 'regions.llm.stages[0].activation',
      value: `${gib(stages[0].activation)} GiB`,
      why: `${loadOf(plan).tokens} tokens, recompute ${plan.recompute}, ${plan.flash ? 'flash attention' : 'scores kept'}, tp ${parallel.tensor}${parallel.sequenceParallel ? ' with sequence parallelism' : ''}`
    },
    ...seamLinks(plan).map(seam => ({
      path: `seam ${seam.from}->${seam.to}`,
      value: `${us(hopSeconds(plan, seam.hop, sendBytes(plan, text)))} us`,
      why: seam.hop === 'self' ? 'same device' : `${hopName(seam.hop)}: ${hardware.links[seam.hop].name}`
    }))
  )
  return lines
}

function hopName(hop: SeamLink['hop']): string {
  return { self: 'same device', card: 'same card', node: 'same node', supernode: 'same supernode', across: 'across' }[
    hop
  ]
}
