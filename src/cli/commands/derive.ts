import { numStages } from '../../algebra/derive.ts'
import { normalise } from '../../algebra/normal-form.ts'
import { parseSchedule } from '../../algebra/notation.ts'
import { type RuntimeRequest, runtimeOrder } from '../../algebra/runtime/hyper-parallel.ts'
import { isTrainable, SKELETONS } from '../../algebra/types.ts'
import { derivationText } from '../../report/text/derivation.ts'
import { execOrderText } from '../../report/text/exec-order.ts'
import { closedFormText } from '../../report/text/symbolic.ts'
import { shapeOf } from '../../schedule/costs.ts'
import { defineCommand } from '../command.ts'
import { derivationDocument, type SpecOptions, sizeOf, viewOf, viewOfSpec } from '../derivation.ts'
import { type Instance, loadInstance } from '../inputs.ts'
import { printAnswer } from '../io.ts'
import { execOrderDocument, type RuntimeOptions, runtimeRequest } from '../runtime.ts'
import { closedFormDocument, closedFormOf } from '../symbolic.ts'

/** `tropipe derive`: what the algebra alone says about a schedule. */
export const derive = defineCommand({
  details:
    'A SPEC such as "<transpose, 1f1b>" needs --ranks and --microbatches; a FILE says both itself. No solver runs, and no duration is read.',
  options: [
    'ranks',
    'microbatches',
    'trainable',
    'closedForm',
    'owners',
    'feed',
    'runtime',
    'backward',
    'overflow',
    'lessMemory',
    'chunks',
    'layers',
    'body',
    'overlapBF',
    'json',
    'output'
  ],
  examples: [
    'tropipe derive "<transpose, 1f1b>" --ranks 4 --microbatches 8',
    'tropipe derive "<1f1b, 1f1b, 1f1b>" --ranks 4 --microbatches 8',
    'tropipe derive "<transpose, 1f1b>" --ranks 2 --microbatches 4 --owners 1,1,0,1',
    'tropipe derive "<dualpipe>" --ranks 4 --microbatches 8 --feed bidirectional',
    'tropipe derive instances/smoke/frozen-4x8-e6.yaml',
    'tropipe derive "<transpose, 1f1b>" --ranks 8 --microbatches 16 --closed-form',
    'tropipe derive "<transpose, 1f1b>" --ranks 4 --microbatches 8 --runtime hyper-parallel --json'
  ],
  idle: ({ operands: [spec], options }) => [
    ...(isSpec(spec)
      ? []
      : [
          {
            options: ['ranks', 'microbatches', 'trainable', 'feed', 'chunks'] as const,
            why: 'the instance says it itself'
          }
        ]),
    ...(isSpec(spec) || options.runtime
      ? []
      : [{ options: ['backward'] as const, why: 'the instance says it itself' }]),
    options.runtime
      ? { options: ['closedForm', 'owners', 'feed'], why: 'the runtime has its own order' }
      : { options: ['lessMemory', 'chunks', 'layers', 'body', 'overlapBF'], why: 'it is for --runtime' },
    ...(options.owners ? [{ options: ['overflow'] as const, why: '--owners names every owner' }] : [])
  ],
  run: async ({ operands: [spec], options, io }) => {
    if (options.runtime) {
      const request = requestOf(isSpec(spec) ? spec : await loadInstance(io, spec), options)
      const text = () => execOrderText(runtimeOrder(request), stagesOf(request), io.style)
      return printAnswer(io, options, () => execOrderDocument(request), text)
    }
    const view = isSpec(spec) ? viewOfSpec(spec, options) : viewOf((await loadInstance(io, spec)).measured, options)
    if (options.closedForm) {
      if (view.shape.ranks * view.shape.microbatches > LARGE_FORM)
        io.err('note: the closed form of a step of this size may take minutes; Ctrl-C stops it\n')
      const closed = closedFormOf(view)
      const text = () => closedFormText(closed.head, closed.form, closed.general, io.style)
      return printAnswer(io, options, () => closedFormDocument(closed), text)
    }
    return printAnswer(
      io,
      options,
      () => derivationDocument(view),
      () => derivationText(view, io.style)
    )
  }
})

/** Ranks x microbatches beyond which a closed form takes its time. */
const LARGE_FORM = 256

/** Whether an operand is a schedule rather than a file; one that forgot its brackets is told so where it is read. */
function isSpec(operand: string): boolean {
  const words = operand.trim().split(/[\s,]+/)
  return /^\s*[<\u27e8\u3008\u2329]/.test(operand) || words.every(word => SKELETONS.some(known => known === word))
}

type RuntimeFlags = Omit<RuntimeOptions, 'backward'> & SpecOptions

/** The runtime's schedule for a SPEC and options, or for an instance, whose own sizes and bits count. */
function requestOf(input: string | Instance, options: RuntimeFlags): RuntimeRequest {
  const backward = options.backward ?? 'first-rank'
  if (typeof input === 'string') return runtimeRequest(parseSchedule(input), sizeOf(options), { ...options, backward })
  const { regions, ranks, microbatches, encoderBackward } = input.measured
  const shape = shapeOf(input.measured)
  return runtimeRequest(
    normalise(regions).map(region => region.skeleton),
    { ranks, microbatches },
    {
      ...options,
      trainable: isTrainable(shape.regions[0]),
      backward: options.backward ?? encoderBackward,
      chunks: numStages(shape.regions) / ranks
    }
  )
}

function stagesOf({ ranks, body }: RuntimeRequest): number {
  return ranks * (body.kind === 'interleaved' ? body.chunks : 1)
}
