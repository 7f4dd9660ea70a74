import {
  type Action,
  type ForeignOrder,
  foreignOrder,
  type OrderFacts,
  type Position,
  runsOf
} from '../schedule/foreign.ts'

/** Setting of the runtime that decides whether its first feature receive waits for all features; its default is "1". */
export const RECV_BATCH = 'HYPER_PARALLEL_MPIPE_RECV_BATCH'

/**
 * The order of a pipeline whose ranks run these steps. Under owner backward the runtime runs the source's backward of microbatches that the first rank
 * owns inside the backward of stage 0, without a step of its own: here it stands right behind that backward. `receivesEach`:
 * its first feature receive waits for its own feature only.
 */
export function orderOfSteps(
  ranks: readonly (readonly Action[])[],
  positions: readonly (readonly Position[])[],
  receivesEach = false
): ForeignOrder {
  const facts = factsOf(ranks.flat(), receivesEach)
  const plain = foreignOrder(ranks, facts, positions)
  const first = plain.stageToRank[0]
  if (plain.encoderBackward !== 'owner' || first === undefined || first < 0) return plain
  const actions: Action[] = []
  const places: Position[] = []
  for (const [step, action] of ranks[first].entries()) {
    actions.push(action)
    places.push(positions[first][step])
    for (const { kind, stage, microbatch } of runsOf(action)) {
      if (kind !== 'B' || stage !== 0 || plain.owners[microbatch] !== first) continue
      actions.push({ op: 'run', kind: 'EB', stage: -1, microbatch })
      places.push(positions[first][step])
    }
  }
  const all = ranks.map((list, rank) => (rank === first ? actions : list))
  return foreignOrder(
    all,
    facts,
    positions.map((list, rank) => (rank === first ? places : list))
  )
}

function factsOf(actions: readonly Action[], receivesEach: boolean): Partial<OrderFacts> {
  const features = actions.some(one => one.op === 'recv' && one.payload === 'activation' && one.stage === 0)
  const owner = actions.some(
    one =>
      (one.op === 'send' && one.payload === 'gradient' && one.stage === 0) ||
      (one.op === 'collective' && one.name === 'reduce')
  )
  const backward = actions.some(one => one.op === 'run' && one.kind === 'EB')
  return {
    dialect: 'hyper-parallel',
    encoderBackward: owner ? 'owner' : backward ? 'first-rank' : 'none',
    featureReceive: features && !receivesEach ? 'first-takes-all' : 'each'
  }
}
