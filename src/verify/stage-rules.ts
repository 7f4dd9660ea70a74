import { range, sum } from '../base/arrays.ts'
import type { Byte, Measured, Slab, Stage, Tick } from '../schedule/measured.ts'

/** What the instance demands of one Sharded stage. Tick lists have M entries. */
export type StageRules = {
  readonly region: number
  /** Where it runs each microbatch. */
  readonly rankOf: (microbatch: number) => number
  /** Whether microbatch m has this stage's forward at all. */
  readonly works: readonly boolean[]
  /** Whether Lemma 1 lets it run a backward, and, of a split one, a weight part. */
  readonly backward: boolean
  readonly weight: boolean
  /** Whether its backward is given in two parts, so that I and W may stand for B. */
  readonly splits: boolean
  readonly forwardTicks: readonly Tick[]
  readonly backwardTicks: readonly Tick[]
  readonly inputTicks: readonly Tick[]
  readonly weightTicks: readonly Tick[]
  /** Activation released at the forward's end, at the backward's end, and the share of the latter that W keeps. */
  readonly releasedBytes: Byte
  readonly heldBytes: Byte
  readonly weightBytes: Byte
  /** The three, less the parts that hold nothing for microbatch m. */
  readonly bytesOf: (microbatch: number) => StageBytes
}

type StageBytes = { readonly releasedBytes: Byte; readonly heldBytes: Byte; readonly weightBytes: Byte }

/** `runs[p]`: whether part p of the stage has a backward. */
export function stageRules(stage: Stage, runs: readonly boolean[], microbatches: number) {
  const running = stage.filter((_, part) => runs[part])
  const perMicrobatch = (of: (m: number) => Tick) => range(microbatches).map(of)
  const bytes = bytesOf(stage, running)
  const idle = stage.some(slab => slab.holds?.includes(false))
  return {
    backward: running.length > 0,
    weight: running.some(slab => slab.trainable),
    splits: running.length > 0 && running.every(slab => slab.backward.kind === 'split'),
    forwardTicks: perMicrobatch(m => sum(stage.map(slab => slab.forward[m]))),
    backwardTicks: perMicrobatch(m => sum(running.map(slab => inputTicks(slab, m) + weightTicks(slab, m)))),
    inputTicks: perMicrobatch(m => sum(running.map(slab => inputTicks(slab, m)))),
    weightTicks: perMicrobatch(m => sum(running.map(slab => weightTicks(slab, m)))),
    ...bytes,
    bytesOf: (m: number) => {
      const holding = (slabs: Stage) => slabs.filter(slab => slab.holds?.[m] !== false)
      return idle ? bytesOf(holding(stage), holding(running)) : bytes
    }
  }
}

function bytesOf(stage: Stage, running: Stage): StageBytes {
  const heldBytes = sum(running.map(slab => slab.activation))
  const releasedBytes = sum(stage.map(slab => slab.activation)) - heldBytes
  return { heldBytes, releasedBytes, weightBytes: sum(running.map(weightBytes)) }
}

/** The backward that a frozen slab runs as well: of a split one its input part, else the number given. */
function inputTicks({ backward }: Slab, m: number): Tick {
  return backward.kind === 'split' ? backward.input[m] : backward.full[m]
}

function weightTicks({ backward, trainable }: Slab, m: number): Tick {
  return backward.kind === 'split' && trainable ? backward.weight[m] : 0
}

function weightBytes({ backward, trainable, activation }: Slab): Byte {
  return backward.kind === 'split' && trainable ? Math.floor(activation * backward.weightShare) : 0
}

/** Reductions of what is fused in one stage run in parallel: the longest counts. */
export function reductionTicks(slabs: readonly Slab[], { communication }: Measured): Tick {
  const trainable = slabs.filter(slab => slab.trainable)
  return Math.max(0, ...trainable.map(slab => communication.reduce.get(slab.origin) ?? 0))
}
