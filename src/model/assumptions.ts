import { counted } from '../base/counted.ts'
import type { Assumption } from './assumption.ts'
import type { Plan } from './plan.ts'

/** What the cost model takes for granted for a plan, with the published range where there is one. */
export function assumptionsOf(plan: Plan): Assumption[] {
  const { hardware, parallel, architecture } = plan
  const { sustained } = hardware
  const text = architecture.text
  const isMoe = text?.layers.some(layer => layer.feedForward.kind === 'experts') ?? false
  const llm = isMoe ? sustained.moeLlm : sustained.denseLlm
  const range = (one: { low: number; high: number }) => `published range ${one.low}-${one.high}`
  const lines: Assumption[] = [
    {
      field: 'hardware.deviceUnit',
      value: hardware.deviceUnit,
      why: `one device of a rank is one ${hardware.deviceUnit} of ${hardware.title}; a factor 2 hangs on it`
    },
    plan.efficiency === 'mfu'
      ? {
          field: 'efficiency.text',
          value: llm.value,
          why: `${range(llm)} of whole training steps: exchanges inside a layer are in it`
        }
      : {
          field: 'efficiency.text',
          value: sustained.kernel.value,
          why: `${range(sustained.kernel)} of single kernels; exchanges are added, none overlapped`
        },
    {
      field: 'backward',
      value: '2 x forward',
      why: 'input and weight gradients; 1 x where only the input gradient is needed'
    },
    {
      field: 'sequences',
      value: `${parallel.microbatchSize} x ${parallel.sequence}`,
      why: 'every microbatch is packed full, attention as for one document per sequence'
    },
    {
      field: 'parallel.order',
      value: parallel.order,
      why: 'how ranks lie on devices; decides which link a seam crosses'
    },
    { field: 'memory.capacity', value: `${hardware.memory.hardGiB.value} GiB`, why: hardware.memory.hardGiB.source }
  ]
  if (architecture.vision)
    lines.push(
      {
        field: 'efficiency.vision',
        value: plan.efficiency === 'mfu' ? sustained.vit.value : Math.min(sustained.kernel.value, sustained.vit.high),
        why: range(sustained.vit)
      },
      {
        field: 'vision.activation',
        value: 'largest microbatch',
        why: 'an instance holds one number for all microbatches: the upper end'
      },
      {
        field: 'groups',
        value: plan.groups,
        why: `${counted(parallel.data, 'data-parallel group')}; the step waits for the slowest`
      },
      {
        field: 'dedicated',
        value: 'even cut',
        why: 'where the encoder has a stage of its own, the layers are spread evenly over the others'
      }
    )
  if (text && text.predictions > 0)
    lines.push({
      field: 'model.predictions',
      value: plan.predictions,
      why: `the config has ${counted(text.predictions, 'extra prediction layer')}; parameters and FLOPs per token leave them out`
    })
  if (plan.flash && plan.recompute === 'selective')
    lines.push({
      field: 'recompute',
      value: 'selective',
      why: 'flash attention keeps no scores: selective is the same as none'
    })
  return lines
}
