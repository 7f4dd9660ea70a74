import { describe, expect, it } from 'vitest'
import { torchCsvReader } from '../../src/formats/torch-csv.ts'
import { torchCommsWriter, torchCsvWriter } from '../../src/formats/torch-csv-writer.ts'
import { addUnshardReshard } from '../../src/formats/torch-lowering.ts'
import type { ReadResult } from '../../src/formats/types.ts'
import { foreignOrder, listsTransfers, type Run, stageMapOf } from '../../src/schedule/foreign.ts'
import { hasShared, sharedText } from './shared.ts'

const read = (text: string) => torchCsvReader.read(text)

function orderOf(result: ReadResult) {
  if (!result.ok) throw new Error(result.faults[0].message)
  return result.order
}

function faultsOf(text: string) {
  const result = read(text)
  return result.ok ? [] : result.faults.map(({ code, row, column }) => `${code} ${row}:${column}`)
}

const compact = (text: string) => text.replace(/\s/g, '').trim()

describe('torch CSV reader', () => {
  it('reads actions, bubbles, ragged rows and overlaps', () => {
    const order = orderOf(read('0F0,0F1,,0B0,0B1\n,1F0,(1F1;1B0)OVERLAP_F_B,1B1\n'))
    expect(order.ranks[0].map(action => action.op)).toEqual(['run', 'run', 'bubble', 'run', 'run'])
    expect(order.ranks[1][2]).toEqual({
      op: 'overlap',
      parts: [
        { op: 'run', kind: 'F', stage: 1, microbatch: 1 },
        { op: 'run', kind: 'B', stage: 1, microbatch: 0 }
      ]
    })
    expect([order.microbatches, order.stages, order.stageToRank]).toEqual([2, 2, [0, 1]])
    expect(order.positions?.[1][2]).toEqual({ row: 2, column: 3 })
  })

  it('takes what real files contain: byte order mark, CRLF, trailing commas, blank last lines, quotes, blanks', () => {
    const clean = orderOf(read('0F0,0B0\n1F0,1B0\n'))
    for (const text of [
      '\uFEFF0F0,0B0\n1F0,1B0\n',
      '0F0,0B0\r\n1F0,1B0\r\n',
      '0F0,0B0,,\n1F0,1B0,\n',
      '0F0,0B0\n1F0,1B0\n\n\n',
      '"0F0", 0B0 \n1F0,1B0'
    ]) {
      expect(orderOf(read(text)).ranks).toEqual(clean.ranks)
    }
    expect(orderOf(read('0F0,0B0\n1F0,1B0\n\n')).notes[0]).toMatch(/Blank lines at the end/)
  })

  it('reads the 2024 dialect, where B is the input part and BW the full backward', () => {
    const kinds = (text: string) => orderOf(read(text)).ranks[0].map(action => (action as Run).kind)
    expect(kinds('0F0,0F1,0B0,0W0,0BW1\n')).toEqual(['F', 'F', 'I', 'W', 'B'])
    expect(kinds('0F0,0B0,0W0\n')).toEqual(['F', 'I', 'W'])
    expect(kinds('0F0,0F1,0I0,0W0,0B1\n')).toEqual(['F', 'F', 'I', 'W', 'B'])
    expect(orderOf(read('0F0,0BW0\n')).notes[0]).toMatch(/2024 dialect/)
  })

  it('refuses junk with row and column', () => {
    expect(faultsOf('0F0,0F0x\n1F0')).toEqual(['BAD_ACTION 1:2'])
    expect(faultsOf('0F0\n\n1F0\n')).toEqual(['BLANK_LINE 2:1'])
    expect(faultsOf('0F0,0B0\n1F0,(1B0)OVERLAP_F_B\n')).toEqual(['BAD_ACTION 2:2'])
    expect(faultsOf('0F0,-1F0,0F,F0,0G0\n')).toEqual([2, 3, 4, 5].map(column => `BAD_ACTION 1:${column}`))
    expect(faultsOf('0F0,,0SEND_F0\n1RECV_F0,1F0\n')).toEqual(['EMPTY_CELL 1:2'])
    expect(faultsOf('0F99999\n')).toEqual(['BAD_ACTION 1:1'])
    expect(faultsOf('')).toEqual(['EMPTY 1:1'])
    expect(faultsOf('0F0,0B0\n,,\n')).toEqual(['EMPTY_RANK 2:1'])
  })
})

describe('torch CSV writer', () => {
  it('adds sharding, reductions and transfers as the runtime does', () => {
    const order = orderOf(read('0F0,0F1,1F0,1F1,1B0,1B1,0B0,0B1\n'))
    const names = addUnshardReshard(order.ranks[0]).map(a =>
      a.op === 'local' ? `${a.stage}${a.name}` : `${(a as Run).stage}${(a as Run).kind}${(a as Run).microbatch}`
    )
    expect(names.join(' ')).toBe('0UNSHARD 1UNSHARD 0F0 0F1 1F0 1F1 1B0 1B1 1RESHARD 0B0 0B1 0RESHARD')
  })

  it('refuses what the runtime cannot express, with the reason', () => {
    const reason = (text: string) => {
      const result = torchCsvWriter.write({ order: orderOf(read(text)) })
      return result.ok ? 'written' : result.faults[0].message
    }
    expect(reason('0F0,0B0\n1F0,1B0\n')).toBe('written')
    expect(reason('0F0,1F0,1B0,0B0\n2F0,3F0,3B0,2B0\n')).toMatch(/neither loop .* nor v/)
    expect(reason('0F0\n1F0,1B0\n')).toMatch(/stage 0 has no backward/)
    const encoder = foreignOrder([[{ op: 'run', kind: 'E', stage: -1, microbatch: 0 }]])
    const refused = torchCommsWriter.write({ order: encoder })
    expect(refused.ok ? '' : refused.faults[0].message).toMatch(/a replicated \(transposed\) encoder/)
  })

  it('refuses a communications file for an order that cannot finish', () => {
    const refused = torchCommsWriter.write({ order: orderOf(read('0B0,0F0\n1F0,1B0\n')) })
    expect(refused.ok ? '' : refused.faults[0].code).toBe('CYCLE')
  })
})

describe.skipIf(!hasShared)('torch CSV files from outside', () => {
  it.each(['dualpipev_4rank_10mb.csv', 'zb1p_2rank_2stagep_compute.csv', 'derived_dualpipev_4rank_10mb_comms.csv'])(
    'writes %s back, equal up to white space',
    name => {
      const text = sharedText('torch-csv', name)
      const order = orderOf(read(text))
      const written = (listsTransfers(order) ? torchCommsWriter : torchCsvWriter).write({ order })
      expect(written.ok && compact(written.files[0].text)).toBe(compact(text))
    }
  )

  it('lowers the V order to the very file that PyTorch makes of it', () => {
    const order = orderOf(read(sharedText('torch-csv', 'dualpipev_4rank_10mb.csv')))
    expect(stageMapOf(order)).toBe('v')
    const written = torchCommsWriter.write({ order })
    expect(written.ok && compact(written.files[0].text)).toBe(
      compact(sharedText('torch-csv', 'derived_dualpipev_4rank_10mb_comms.csv'))
    )
  })
})
