import { numStages } from '../../algebra/derive.ts'
import { normalise } from '../../algebra/normal-form.ts'
import { parseSchedule } from '../../algebra/notation.ts'
import { type RuntimeRequest, runtimeOrder } from '../../algebra/runtime/hyper-parallel.ts'
import { isTrainable } from '../../algebra/types.ts'
import { derivationText } from '../../report/text/derivation.ts'
import { execOrderText } from '../../report/text/exec-order.ts'
import { closedFormText } from '../../report/text/symbolic.ts'
import { shapeOf } from '../../schedule/costs.ts'
import { defineCommand } from '../command.ts'
import { derivationDocument, type SpecOptions, sizeOf, viewOf, viewOfSpec } from '../derivation.ts'
import { EXIT } from '../exit.ts'
import { type Instance, loadInstance } from '../inputs.ts'
import { printDocument } from '../io.ts'
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
  run: async ({ operands: [spec], options, io }) => {
    const isSpec = /^\s*[<\u27e8\u3008\u2329]/.test(spec)
    if (options.runtime) {
      const request = requestOf(isSpec ? spec : await loadInstance(io, spec), options)
      if (options.json) await printDocument(io, execOrderDocument(request), options.output)
      else io.out(execOrderText(runtimeOrder(request), stagesOf(request), io.style))
      return EXIT.done
    }
    const view = isSpec ? viewOfSpec(spec, options) : viewOf((await loadInstance(io, spec)).measured, options)
    if (options.closedForm) {
      const closed = closedFormOf(view)
      if (options.json) await printDocument(io, closedFormDocument(closed), options.output)
      else io.out(closedFormText(closed.head, closed.form, closed.general, io.style))
      return EXIT.done
    }
    if (options.json) await printDocument(io, derivationDocument(view), options.output)
    else io.out(derivationText(view, io.style))
    return EXIT.done
  }
})

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
