import { derive as deriveGraph } from '../../algebra/derive.ts'
import { gatesOf } from '../../algebra/gates.ts'
import { normalise } from '../../algebra/normal-form.ts'
import { parseSchedule, printSchedule } from '../../algebra/notation.ts'
import { ownerOf } from '../../algebra/placement.ts'
import { layoutOf, type RegionShape, type Shape } from '../../algebra/types.ts'
import { range } from '../../base/arrays.ts'
import { fail } from '../../base/fault.ts'
import { type DerivationView, derivationText } from '../../report/text/derivation.ts'
import { defineCommand } from '../command.ts'
import { EXIT } from '../exit.ts'
import { printDocument } from '../io.ts'

/** `tropipe derive`: what the algebra alone says about a schedule. */
export const derive = defineCommand({
  name: 'derive',
  summary: 'derive placement, seams, gates and order of a schedule from the algebra',
  details: 'SPEC is a schedule such as "<transpose, 1f1b>"; it needs --ranks and --microbatches. No solver runs.',
  operands: [{ name: 'SPEC', help: 'a schedule, one skeleton per region (1f1b, gpipe, transpose)' }],
  options: ['ranks', 'microbatches', 'trainable', 'json', 'output'],
  examples: ['tropipe derive "<transpose, 1f1b>" --ranks 4 --microbatches 8'],
  run: async ({ operands: [spec], options, io }) => {
    const view = viewOfSpec(spec, options)
    if (options.json) await printDocument(io, derivationDocument(view), options.output)
    else io.out(derivationText(view, io.style))
    return EXIT.done
  }
})

function viewOfSpec(
  spec: string,
  options: {
    readonly ranks: number | undefined
    readonly microbatches: number | undefined
    readonly trainable: boolean
  }
): DerivationView {
  const skeletons = parseSchedule(spec)
  const { ranks, microbatches } = options
  if (ranks === undefined || microbatches === undefined)
    fail('MISSING_SIZE', '--ranks', ranks, 'a schedule alone has no size', 'Give --ranks P and --microbatches M.')
  const given = skeletons.map((skeleton, index): RegionShape => {
    const trainable = index > 0 || skeletons.length === 1 || options.trainable
    const stages = layoutOf(skeleton) === 'Replicated' ? 1 : ranks
    return { name: `region${index}`, skeleton, stages: range(stages).map(() => [{ trainable }]) }
  })
  const shape: Shape = {
    ranks,
    microbatches,
    regions: normalise(given),
    sourceWork: range(microbatches).map(() => true),
    encoderBackward: 'owner'
  }
  const owners = range(microbatches).map(m => ownerOf(m, ranks, microbatches, 'full'))
  return {
    given: printSchedule(skeletons),
    shape,
    derivation: deriveGraph(shape, owners),
    order: { none: 'orders come with the families' }
  }
}

function derivationDocument(view: DerivationView): unknown {
  const { shape, derivation } = view
  return {
    format: 'tropipe.derivation/1',
    schedule: printSchedule(shape.regions.map(region => region.skeleton)),
    P: shape.ranks,
    M: shape.microbatches,
    regions: derivation.placement.map(({ region, layout, owner }) => ({
      name: shape.regions[region].name,
      layout,
      owner
    })),
    seams: derivation.seams,
    gates: gatesOf(shape.regions),
    reduces: derivation.reduces,
    events: derivation.events,
    edges: derivation.edges
  }
}
