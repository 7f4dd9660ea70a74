import { maximum } from '../base/arrays.ts'
import type { TextModel, VisionModel } from './architecture.ts'
import { visionParameters } from './parameters.ts'
import { cutOf, evenCut, type OtherCut, type Plan } from './plan.ts'
import { perDevice } from './states.ts'
import { heldBy, loadOf, type StageCost, textSlabs, textStageCost, workingSet } from './text-cost.ts'
import { broadcastSeconds, farthestFromFirst, hopSeconds, reduceGroups, reduceSeconds, seamLinks } from './transfers.ts'
import { GIB, us } from './units.ts'
import { forwardOf, type VisionCost, visionStates } from './vision-cost.ts'

function sourceRegions(plan: Plan, vision: VisionModel, encodes: readonly VisionCost[]) {
  const states = visionStates(plan, vision)
  const activation = Math.ceil(maximum(encodes.map(one => one.activation)))
  const output = Math.ceil(maximum(encodes.map(one => one.output)))
  const { training } = plan
  const whole = {
    forward: encodes.map(one => us(forwardOf(one))),
    backward: training.vision ? encodes.map(one => us(one.tower.backward + one.projector.backward)) : 0,
    activation,
    parameters: Math.ceil(states.tower + states.projector),
    output
  }
  if (training.vision === training.projector) return [{ name: 'vision', trainable: training.vision, stages: [whole] }]
  const tower = {
    forward: encodes.map(one => us(one.tower.forward)),
    backward: encodes.map(one => us(one.tower.backward)),
    activation,
    parameters: Math.ceil(states.tower)
  }
  const projector = {
    forward: encodes.map(one => us(one.projector.forward)),
    backward: encodes.map(one => us(one.projector.backward)),
    activation: 0,
    parameters: Math.ceil(states.projector),
    output
  }
  return [
    { name: 'vision', trainable: training.vision, stages: [tower] },
    { name: 'projector', trainable: training.projector, stages: [projector] }
  ]
}

function slabDocument(plan: Plan, cost: StageCost) {
  const whole = us(cost.backward)
  const weight = us(cost.weight)

  return {
    forward: us(cost.forward),
    backward: plan.split && weight > 0 ? { input: whole - weight, weight } : whole,
    activation: Math.ceil(cost.activation),
    parameters: Math.ceil(cost.states)
  }
}

/** The measured instance of a plan, as plain data. */
export function documentOf(
  plan: Plan,
  text: TextModel,
  stages: readonly StageCost[],
  vision: VisionModel | undefined,
  encodes: readonly VisionCost[]
) {
  const { parallel, hardware } = plan
  const sources = vision ? sourceRegions(plan, vision, encodes) : []
  const skeletons = [...sources.map(() => 'transpose'), '1f1b']
  return {
    format: 'tropipe.instance/1',
    name: plainName(plan.name),
    description: `${plan.architecture.name}, one ${hardware.deviceUnit} per device of a rank, bytes per device`,
    source: `cost model over ${hardware.title} (${plan.efficiency}); workload ${plan.workload.kind}, seed ${plan.seed}`,
    unit: 'us',
    ranks: parallel.ranks,
    microbatches: parallel.microbatches,
    schedule: `<${skeletons.join(', ')}>`,
    regions: [
      ...sources,
      { name: 'llm', trainable: plan.training.text, stages: stages.map(stage => slabDocument(plan, stage)) }
    ],
    communication: communicationOf(plan, text, stages, vision, encodes),
    memory: {
      capacity: Math.floor(hardware.memory.hardGiB.value * GIB),
      reserved: Math.ceil(workingSet(plan, text))
    },
    ...dedicatedOf(plan, text, vision),
    ...cutsOf(plan, text)
  }
}

function communicationOf(
  plan: Plan,
  text: TextModel,
  _stages: readonly StageCost[],
  vision: VisionModel | undefined,
  encodes: readonly VisionCost[]
) {
  const seams = seamLinks(plan)
  const send = maximum(seams.map(seam => hopSeconds(plan, seam.hop, sendBytes(plan, text))))
  const features = maximum(encodes.map(one => one.output))
  const hop = farthestFromFirst(plan)
  const groups = reduceGroups(plan)
  const held = textSlabs(text, cutOf(plan, text)).map(slab => perDevice(heldBy(plan, text, slab), plan.parallel))
  const reduce: Record<string, number> = {}
  if (plan.training.text)
    reduce.llm = us(maximum(held.map(one => reduceSeconds(plan, groups.data, one.dense + one.routed))))
  const seen = vision ? visionParameters(vision) : { tower: 0, projector: 0 }
  const trained = (plan.training.vision ? seen.tower : 0) + (plan.training.projector ? seen.projector : 0)
  const name = plan.training.vision || plan.training.projector === plan.training.vision ? 'vision' : 'projector'
  if (vision && trained > 0) reduce[name] = us(reduceSeconds(plan, groups.replica, trained))
  const moved = us(hopSeconds(plan, hop, features))
  return {
    model: 'latency',
    send: us(send),
    gather: moved,
    scatter: moved,
    broadcast: us(broadcastSeconds(plan, 2 * trained)),
    reduce
  }
}

/** Bytes of activations per device that go from stage to stage: BF16, split by sequence parallelism. */
export function sendBytes(plan: Plan, text: TextModel): number {
  const { context, tensor, sequenceParallel } = plan.parallel
  return (2 * loadOf(plan).tokens * text.hidden) / (context * (sequenceParallel ? tensor : 1))
}

/** The slabs of ranks 1..P-1 where the encoder has a stage of its own: the same layers on one stage fewer. */
function dedicatedOf(plan: Plan, text: TextModel, vision: VisionModel | undefined) {
  const { ranks, chunks } = plan.parallel
  if (!vision || ranks < 2 || chunks > 1 || text.layers.length < ranks - 1) return {}
  const slabs = textSlabs(text, evenCut(text.layers.length, ranks - 1))
  return { dedicated: { stages: slabs.map(slab => slabDocument(plan, textStageCost(plan, text, slab))) } }
}

/** Best cuts for the families that place the encoder otherwise, where they were searched. */
function cutsOf(plan: Plan, text: TextModel) {
  const { others } = plan
  if (!others) return {}
  const stages = ({ cut, recomputed }: OtherCut) => ({
    stages: textSlabs(text, cut, recomputed).map(slab => slabDocument(plan, textStageCost(plan, text, slab)))
  })
  return {
    cuts: {
      ...(others.inline ? { inline: stages(others.inline) } : {}),
      ...(others.dedicated ? { dedicated: stages(others.dedicated) } : {})
    }
  }
}

/** A name that the instance format takes. */
export function plainName(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_.-]+/g, '-').replace(/^[^A-Za-z]+/, '')
  return plain.slice(0, 64) || 'model'
}
