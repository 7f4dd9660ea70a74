import { maximum, range } from '../../base/arrays.ts'
import { stageToRank } from '../placement.ts'
import { composite, type ExecOrder, partsOfItem, type RuntimeItem, type RuntimeStep, step } from './steps.ts'

type Grid = readonly (readonly (RuntimeItem | undefined)[])[]

/**
 * Turns a compute grid into lists with transfers. Column by column every rank appends its own item; then, even ranks
 * before odd ones, what crosses ranks appends its send to the sender and its receive to the receiver at the same moment,
 * so both ends list their transfers in one order. An overlapped pair sends its gradient in its first column and its
 * activation in its second.
 */
export function scanColumns(grid: Grid, stages: number): RuntimeItem[][] {
  const ranks = grid.length
  const lists: RuntimeItem[][] = grid.map(() => [])
  const columns = maximum(grid.map(row => row.length))
  const parity = [...range(ranks).filter(r => r % 2 === 0), ...range(ranks).filter(r => r % 2 === 1)]
  for (let column = 0; column < columns; column++) {
    for (const [rank, row] of grid.entries()) {
      const item = row[column]
      if (item !== undefined) lists[rank].push(item)
    }
    for (const rank of parity) {
      for (const sent of finishedIn(grid[rank], column)) addTransfer(lists, sent, stages)
    }
  }
  return lists
}

/** Compute steps of a row whose transfers belong to a column. */
function finishedIn(row: readonly (RuntimeItem | undefined)[], column: number): readonly RuntimeStep[] {
  const item = row[column]
  if (item === null) return []
  if (item !== undefined) return item.type === 'OVERLAP_B_F' ? partsOfItem(item).slice(0, 1) : [item]
  const before = column > 0 ? row[column - 1] : undefined
  return before ? partsOfItem(before).slice(1) : []
}

function addTransfer(lists: RuntimeItem[][], sent: RuntimeStep, stages: number): void {
  const ranks = lists.length
  const { micro, type } = sent
  const stage = sent.stage ?? 0
  const to = type === 'FWD' ? stage + 1 : stage - 1
  if (to < 0 || to >= stages) return
  const [from, target] = [lists[stageToRank(stage, ranks)], lists[stageToRank(to, ranks)]]
  if (from === target) return
  if (type === 'FWD') {
    from.push(step('DATA_SEND', micro, stage), step('FWD_SEND', micro, stage))
    target.push(step('DATA_RECV', micro, to), step('FWD_RECV', micro, to))
  } else {
    from.push(step('BWD_SEND', micro, stage))
    target.push(step('BWD_RECV', micro, to))
  }
}

/** Puts a DATA_LOAD directly before every item that runs a forward. */
export function addLoads(order: ExecOrder): RuntimeItem[][] {
  return order.map(items =>
    items.flatMap(item => {
      const forward = partsOfItem(item).find(part => part.type === 'FWD')
      return forward ? [step('DATA_LOAD', forward.micro, forward.stage), item] : [item]
    })
  )
}

const TRANSFERS = new Set(['FWD_SEND', 'FWD_RECV', 'BWD_SEND', 'BWD_RECV'])

/** Joins runs of two or more neighbouring transfers into one BATCH_SEND_RECV; data transfers and bubbles end a run. */
export function batchTransfers(order: ExecOrder): RuntimeItem[][] {
  return order.map(items => {
    const batched: RuntimeItem[] = []
    let run: RuntimeStep[] = []
    const close = () => {
      batched.push(...(run.length > 1 ? [composite('BATCH_SEND_RECV', run)] : run))
      run = []
    }
    for (const item of items) {
      if (item !== null && TRANSFERS.has(item.type)) run.push(item)
      else {
        close()
        batched.push(item)
      }
    }
    close()
    return batched
  })
}
