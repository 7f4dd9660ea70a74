import { counted } from '../base/counted.ts'
import {
  type Action,
  describeAction,
  type ForeignOrder,
  listsTransfers,
  runsOf,
  SOURCE,
  stageMapOf
} from '../schedule/foreign.ts'
import { insertTransfers } from '../schedule/transfers.ts'
import { incompleteRefusal } from './complete.ts'
import { startsOfDocument } from './document-order.ts'
import { adapterModule } from './hyper-parallel-adapter.ts'
import { RECV_BATCH } from './hyper-parallel-order.ts'
import { GRAD_RECV_WITH_BACKWARD, type Step, stepOfAction } from './hyper-parallel-steps.ts'
import { refuse, type Source, type WriteResult, type Writer } from './types.ts'

/** Format name of the exchange document. */
export const EXEC_ORDER_FORMAT = 'tropipe.exec-order/1'

/** The exchange JSON, and a Python module that feeds it to the stock schedule class. */
export const hyperParallelWriter: Writer = {
  id: 'hyper-parallel',
  title: 'hyper-parallel exec_order (JSON) with a Python adapter module',
  runs: true,
  write
}

function write(source: Source): WriteResult {
  const refused = refusal(source.order)
  if (refused) return refused
  const prepared = prepare(source)
  if ('ok' in prepared) return prepared
  const { order, notes } = prepared
  const late = firstFeatureFault(order)
  if (late) return late
  const lists = order.ranks.map((actions, rank) => stepsOf(order, actions, rank))
  for (const [rank, steps] of lists.entries()) {
    const index = steps.indexOf(undefined)
    if (index < 0) continue
    return refuse(
      'NOT_EXPRESSIBLE',
      `ranks[${rank}]`,
      index,
      'the runtime has no step for an entry of this rank',
      'Write another format.'
    )
  }
  return {
    ok: true,
    files: [
      { suffix: '', text: documentText(order, lists as (Step | null)[][]) },
      { suffix: '.adapter.py', text: adapterModule(order, environmentOf(order)) }
    ],
    notes
  }
}

/** Why the runtime cannot run an order; `undefined` when it can. */
function refusal(order: ForeignOrder): WriteResult | undefined {
  if (stageMapOf(order) !== 'loop')
    return refuse(
      'NOT_EXPRESSIBLE',
      'stageToRank',
      order.stageToRank,
      'the stage map is not loop (stage s on rank s mod P)',
      'The runtime has no other map.'
    )
  const refused = incompleteRefusal(order) ?? splitRefusal(order)
  if (refused) return refused
  const encoded = new Set(
    order.ranks
      .flatMap(actions => actions.flatMap(runsOf))
      .filter(run => run.kind === 'E')
      .map(run => run.microbatch)
  )
  if (encoded.size === 0 || encoded.size === order.microbatches) return undefined
  const without = [...Array(order.microbatches).keys()].find(m => !encoded.has(m))
  return refuse(
    'NOT_EXPRESSIBLE',
    `microbatches[${without}]`,
    without,
    `microbatch ${without} has no encode, but the runtime's first stage takes a feature of every microbatch`,
    'Give it an encode (of a blank image).'
  )
}

/** The encoder's backward of the first rank's own microbatches runs inside the whole backward of stage 0, which must be there. */
function splitRefusal(order: ForeignOrder): WriteResult | undefined {
  if (order.encoderBackward !== 'owner') return undefined
  const first = order.stageToRank[0]
  const runs = order.ranks[first].flatMap(runsOf)
  const own = new Set(runs.filter(run => run.kind === 'EB').map(run => run.microbatch))
  const split = runs.find(run => run.kind === 'I' && run.stage === 0 && own.has(run.microbatch))
  return (
    split &&
    refuse(
      'NOT_EXPRESSIBLE',
      `ranks[${first}]`,
      describeAction(split),
      `rank ${first} runs the encoder's backward of microbatch ${split.microbatch} inside the whole backward of stage 0, which this order splits`,
      'Let stage 0 run whole backwards, or the other ranks encode.'
    )
  )
}

/** The first rank learns the shape of features from an encode of its own, which must come before its first receive. */
function firstFeatureFault(order: ForeignOrder): WriteResult | undefined {
  const first = order.stageToRank[0]
  const receive = order.ranks[first].findIndex(
    a => a.op === 'recv' && a.stage === 0 && (a.payload === 'activation' || a.payload === 'graph')
  )
  const encode = order.ranks[first].findIndex(a => a.op === 'run' && a.kind === 'E')
  if (receive < 0 || (encode >= 0 && encode < receive)) return undefined
  const own = encode < 0 ? 'encodes no microbatch itself' : 'encodes its first microbatch too late'
  return refuse(
    'NOT_EXPRESSIBLE',
    `ranks[${first}]`,
    encode,
    `rank ${first} ${own}: the runtime needs an encode of its own before the first feature that it receives`,
    `Let rank ${first} encode one microbatch first (as transpose-full does).`
  )
}

type Prepared = { readonly order: ForeignOrder; readonly notes: readonly string[] }

/** Adds what the runtime needs and the order leaves open: folded backwards, collectives, transfers. */
function prepare(source: Source): Prepared | WriteResult {
  const { order } = source
  if (listsTransfers(order)) return { order, notes: [] }
  const starts = source.document && startsOfDocument(order, source.document)
  const { lists, moved } = withFoldedBackwards(timedLists(order, starts))
  const complete = withCollectives(order, lists)
  const startOf = (rank: number, index: number) => complete[rank][index].start
  const ranks = complete.map(list => list.map(entry => entry.action))
  const lowered = insertTransfers({ ...withoutPositions(order), ranks }, starts ? { startOf } : {})
  if (!lowered.ok) {
    const [{ rank, action }] = lowered.stuck
    return refuse(
      'CYCLE',
      `ranks[${rank}]`,
      describeAction(action),
      `the order cannot finish: rank ${rank} waits forever`,
      'Run `tropipe prove` on it for the cycle.'
    )
  }
  const notes = [
    'DATA_* steps are left out: they do nothing unless the data is loaded inside the schedule (data.load: single).'
  ]
  if (moved > 0)
    notes.push(
      `${counted(moved, 'backward')} of the encoder moved: the runtime runs those of rank 0's own microbatches inside the backward of stage 0.`
    )
  return { order: lowered.order, notes }
}

type Timed = { readonly action: Action; readonly start: number }
type TimedLists = { readonly order: ForeignOrder; readonly lists: readonly (readonly Timed[])[] }

function withoutPositions(order: ForeignOrder): ForeignOrder {
  const { positions: _, ...rest } = order
  return rest
}

function timedLists(order: ForeignOrder, starts: readonly (readonly number[])[] | undefined): TimedLists {
  const lists = order.ranks.map((actions, rank) => {
    let run = 0
    return actions.map(action => {
      const isRun = action.op === 'run' || action.op === 'overlap'
      const start = starts?.[rank][run] ?? 0
      if (isRun) run++
      return { action, start }
    })
  })
  return { order, lists }
}

/** Puts the encoder's backward of the first rank's own microbatches directly behind the backward of stage 0. */
function withFoldedBackwards({ order, lists }: TimedLists): { lists: readonly (readonly Timed[])[]; moved: number } {
  const first = order.stageToRank[0]
  if (order.encoderBackward !== 'owner') return { lists, moved: 0 }
  const isOwn = ({ action }: Timed) => action.op === 'run' && action.kind === 'EB'
  const own = new Map(
    lists[first].filter(isOwn).map(entry => [(entry.action as { microbatch: number }).microbatch, entry])
  )
  const folded = lists[first]
    .filter(entry => !isOwn(entry))
    .flatMap(entry => [
      entry,
      ...runsOf(entry.action)
        .filter(run => run.stage === 0 && run.kind === 'B' && own.has(run.microbatch))
        .map(run => ({ action: own.get(run.microbatch)!.action, start: entry.start }))
    ])
  const moved = folded.filter((entry, i) => entry.action !== lists[first][i].action).length > 0 ? own.size : 0
  return { lists: lists.map((list, rank) => (rank === first ? folded : list)), moved }
}

/** A trained source: the parameter broadcast opens every rank's list; the reduction of owners' gradients closes it. */
function withCollectives(order: ForeignOrder, lists: readonly (readonly Timed[])[]): readonly (readonly Timed[])[] {
  if (order.encoderBackward === 'none' || order.ranks.some(actions => actions.some(a => a.op === 'collective')))
    return lists
  const open: Timed = { action: { op: 'collective', name: 'broadcast' }, start: -1 }
  const close: Timed = { action: { op: 'collective', name: 'reduce' }, start: Number.MAX_SAFE_INTEGER }
  return lists.map(list => [open, ...list, ...(order.encoderBackward === 'owner' ? [close] : [])])
}

/** Steps of a rank: backwards that the runtime folds have none, a gradient receive and its backward share one. */
function stepsOf(order: ForeignOrder, actions: readonly Action[], rank: number): (Step | null | undefined)[] {
  const isOwner = order.encoderBackward === 'owner'
  return actions.flatMap((action, i): (Step | null | undefined)[] => {
    if (isOwner && action.op === 'run' && action.kind === 'EB') {
      if (rank === order.stageToRank[0]) return []
      return [{ type: GRAD_RECV_WITH_BACKWARD, micro: action.microbatch, stage: 0 }]
    }
    if (action.op === 'recv' && action.stage === SOURCE) return followedByBackward(actions, i) ? [] : [undefined]
    return [stepOfAction(action, rank)]
  })
}

function followedByBackward(actions: readonly Action[], index: number): boolean {
  const next = actions[index + 1]
  const here = actions[index] as { microbatch: number }
  return next?.op === 'run' && next.kind === 'EB' && next.microbatch === here.microbatch
}

/** Environment variables that the order needs. */
function environmentOf(order: ForeignOrder): Readonly<Record<string, string>> {
  const features = order.ranks.flat().some(a => a.op === 'recv' && a.payload === 'activation' && a.stage === 0)
  return features ? { [RECV_BATCH]: order.featureReceive === 'each' ? '0' : '1' } : {}
}

/** The exchange document, one step per line. */
function documentText(order: ForeignOrder, lists: readonly (readonly (Step | null)[])[]): string {
  const batches = order.ranks.flat().some(action => action.op === 'batch')
  const head = {
    format: EXEC_ORDER_FORMAT,
    runtime: 'hyper-parallel',
    P: order.ranks.length,
    M: order.microbatches,
    stages: order.stages,
    owner_of_micro: order.owners,
    encoder_backward: order.encoderBackward,
    p2p_transport: batches ? 'batch' : 'plain',
    env: environmentOf(order)
  }
  const fields = Object.entries(head).map(([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)},\n`)
  const ranks = lists.map((steps, rank) => {
    const lines = steps.map(step => `      ${JSON.stringify(step)}`).join(',\n')
    return `    "${rank}": [${lines === '' ? '' : `\n${lines}\n    `}]`
  })
  return `{\n${fields.join('')}  "exec_order": {\n${ranks.join(',\n')}\n  }\n}\n`
}
