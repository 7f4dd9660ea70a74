import { range } from '../base/arrays.ts'
import { counted } from '../base/counted.ts'
import { type Action, type ForeignOrder, listsTransfers, runsOf, stageMapOf } from '../schedule/foreign.ts'
import type { TransferOptions } from '../schedule/transfers.ts'
import { incompleteRefusal } from './complete.ts'
import { startsOfDocument } from './document-order.ts'
import { printTorchAction } from './torch-action.ts'
import { printRows } from './torch-csv.ts'
import { lowerForTorch } from './torch-lowering.ts'
import { refuse, type Source, type WriteResult, type Writer } from './types.ts'

/** Compute-only CSV: what PyTorch loads by default and lowers itself. */
export const torchCsvWriter: Writer = {
  id: 'torch-csv',
  title: 'PyTorch pipelining CSV, compute-only (the runtime adds the transfers)',
  runs: true,
  write: source => refusal(source.order) ?? writeComputeOnly(source.order)
}

/** CSV with communications: loaded verbatim, so the pairing of sends and receives is settled here. */
export const torchCommsWriter: Writer = {
  id: 'torch-csv-comms',
  title: 'PyTorch pipelining CSV with communications (format compute_comms)',
  runs: true,
  write: source => refusal(source.order) ?? writeComms(source)
}

function writeComputeOnly(order: ForeignOrder): WriteResult {
  const rows = order.ranks.map(actions =>
    actions.filter(a => a.op === 'run' || a.op === 'overlap' || a.op === 'bubble')
  )
  return printed(rows, mapNotes(order))
}

function writeComms(source: Source): WriteResult {
  const { order } = source
  if (listsTransfers(order))
    return printed(
      order.ranks.map(actions => actions.filter(a => a.op !== 'bubble')),
      mapNotes(order)
    )
  const lowered = lowerForTorch(order, source.document ? timing(source) : {})
  if (lowered.ok) return printed(lowered.order.ranks, mapNotes(order))
  const { rank, action } = lowered.stuck[0]
  const what = printTorchAction(action) ?? action.op
  return refuse(
    'CYCLE',
    `ranks[${rank}]`,
    what,
    `the order cannot finish: rank ${rank} waits forever at ${what}`,
    'Run `tropipe prove` on it for the cycle.'
  )
}

function timing({ order, document }: Source): TransferOptions {
  const starts = document && startsOfDocument(order, document)
  return starts ? { startOf: (rank, index) => starts[rank][index] } : {}
}

function printed(rows: readonly (readonly Action[])[], notes: readonly string[]): WriteResult {
  const cells = rows.map(actions => actions.map(printTorchAction))
  for (const [rank, row] of cells.entries()) {
    const index = row.indexOf(undefined)
    if (index < 0) continue
    return refuse(
      'NOT_EXPRESSIBLE',
      `ranks[${rank}][${index}]`,
      rows[rank][index].op,
      'PyTorch has no action for this entry',
      'Write another format.'
    )
  }
  return { ok: true, files: [{ suffix: '', text: printRows(cells as string[][]) }], notes }
}

function mapNotes(order: ForeignOrder): string[] {
  const style = stageMapOf(order) === 'v' ? 'v (ZBVZeroBubble or DualPipeV)' : 'loop'
  return [
    `Stage map: ${style}; ${counted(order.stages / order.ranks.length, 'stage')} per rank, ${order.microbatches} microbatches.`
  ]
}

/** Why PyTorch's runtime cannot run an order; `undefined` when it can. */
function refusal(order: ForeignOrder): WriteResult | undefined {
  const runs = order.ranks.flatMap(actions => actions.flatMap(runsOf))
  const encoder = runs.find(run => run.kind === 'E' || run.kind === 'EB')
  if (encoder)
    return refuse(
      'NOT_EXPRESSIBLE',
      'ranks',
      encoder.kind,
      'a replicated (transposed) encoder: in PyTorch a stage lives on one rank',
      'Export to hyper-parallel, or schedule with the encoder fused into the first stage (families `inline`, `dedicated`).'
    )
  const idle = order.ranks.findIndex(actions => !actions.some(action => runsOf(action).length > 0))
  if (idle >= 0)
    return refuse(
      'NOT_EXPRESSIBLE',
      `ranks[${idle}]`,
      0,
      `rank ${idle} has no action`,
      'Use as many ranks as have stages.'
    )
  if (stageMapOf(order) === 'other')
    return refuse(
      'NOT_EXPRESSIBLE',
      'stageToRank',
      order.stageToRank,
      'the stage map is neither loop (s mod P) nor v (rank r owns r and 2P-1-r)',
      'Only these two maps can be configured.'
    )
  return incompleteRefusal(order) ?? missingBackward(order, runs)
}

function missingBackward(
  order: ForeignOrder,
  runs: readonly { kind: string; stage: number; microbatch: number }[]
): WriteResult | undefined {
  const back = new Set(
    runs.filter(run => run.kind === 'B' || run.kind === 'I').map(run => run.stage * order.microbatches + run.microbatch)
  )
  const missing = range(order.stages * order.microbatches).find(id => !back.has(id))
  if (missing === undefined) return undefined
  const stage = Math.floor(missing / order.microbatches)
  return refuse(
    'NOT_EXPRESSIBLE',
    `stages[${stage}]`,
    missing % order.microbatches,
    `stage ${stage} has no backward of microbatch ${missing % order.microbatches}: PyTorch runs a backward of every stage, frozen ones too`,
    'Give the frozen stage a backward of length 0, or fuse it into a trained stage.'
  )
}
