import { describe, expect, it } from 'vitest'
import { runtimeOrder } from '../../src/algebra/runtime/hyper-parallel.ts'
import { range } from '../../src/base/arrays.ts'
import { hyperParallelReader } from '../../src/formats/hyper-parallel.ts'
import { torchCsvReader } from '../../src/formats/torch-csv.ts'
import {
  type Action,
  type ForeignOrder,
  foreignOrder,
  type Payload,
  type Transfer
} from '../../src/schedule/foreign.ts'
import { insertTransfers } from '../../src/schedule/transfers.ts'
import { checkDeadlock, checkOrder } from '../../src/verify/transport/check.ts'
import { repairTransfers } from '../../src/verify/transport/repair.ts'
import { hasShared, sharedFiles, sharedText } from '../formats/shared.ts'

function csv(text: string): ForeignOrder {
  const result = torchCsvReader.read(text)
  if (!result.ok) throw new Error(result.faults[0].message)
  return result.order
}

function execOrder(text: string): ForeignOrder {
  const result = hyperParallelReader.read(text)
  if (!result.ok) throw new Error(result.faults[0].message)
  return result.order
}

const codes = (order: ForeignOrder) => [...new Set(checkOrder(order).violations.map(v => v.code))]
const end = (op: 'send' | 'recv', payload: Payload, stage: number, microbatch = 0): Transfer => ({
  op,
  payload,
  stage,
  microbatch
})

const PAIR = ['0F0,0SEND_F0,0RECV_B0,0B0', '1RECV_F0,1F0,1B0,1SEND_B0']

describe('deadlock', () => {
  it('two ranks that both send first hang only if sends block, and the two sends are named', () => {
    const ranks: Action[][] = [
      [end('send', 'activation', 0), end('recv', 'gradient', 0)],
      [end('send', 'gradient', 1), end('recv', 'activation', 1)]
    ]
    const verdict = checkDeadlock(foreignOrder(ranks), { transports: ['buffered', 'rendezvous', 'batched'] })
    expect(verdict.transports.map(({ transport, finishes }) => [transport, finishes])).toEqual([
      ['buffered', true],
      ['rendezvous', false],
      ['batched', true]
    ])
    const [violation] = verdict.violations
    expect([violation.code, violation.assumes]).toEqual(['RENDEZVOUS', 'sends-block'])
    expect(violation.cycle?.map(step => step.action).sort()).toEqual([
      'send of activation(stage 0, microbatch 0)',
      'send of gradient(stage 1, microbatch 0)'
    ])
    const swapped = foreignOrder([ranks[0], [...ranks[1]].reverse()])
    expect(checkDeadlock(swapped).transports.every(({ finishes }) => finishes)).toBe(true)
  })

  it('prints a cycle over ranks that no transport resolves', () => {
    const order = csv('0F0,0B0,0F1,0B1\n1F1,1B1,1F0,1B0\n')
    const [violation] = checkOrder(order).violations
    expect([violation.code, violation.assumes]).toEqual(['CYCLE', 'any'])
    expect(violation.cycle?.length).toBeGreaterThan(2)
    expect(violation.message).toMatch(/rank 0 .* -> .*rank 1 /)
  })

  it('a FIFO transport needs both ends of a pair in one order', () => {
    const order = csv(
      '0F0,0F1,0SEND_F1,0SEND_F0,0RECV_B0,0B0,0RECV_B1,0B1\n1RECV_F0,1RECV_F1,1F0,1B0,1SEND_B0,1F1,1B1,1SEND_B1\n'
    )
    const verdict = checkOrder(order)
    expect(verdict.violations.map(v => [v.code, v.assumes, v.rank, v.step])).toContainEqual(['P2P_ORDER', 'fifo', 1, 0])
    expect(repairTransfers(order).ok).toBe(true)
  })

  it('a batch must face one batch of the same shape', () => {
    const both: Action = { op: 'batch', parts: [end('send', 'activation', 0, 1), end('recv', 'gradient', 0, 0)] }
    const far: Action = { op: 'batch', parts: [end('recv', 'activation', 1, 1), end('send', 'gradient', 1, 0)] }
    const split = [end('recv', 'activation', 1, 1), end('send', 'gradient', 1, 0)]
    expect(checkDeadlock(foreignOrder([[both], [far]])).legal).toBe(true)
    const wrong = checkDeadlock(foreignOrder([[both], split]))
    expect(wrong.violations.map(v => [v.code, v.rule, v.assumes])).toContainEqual(['P2P_ORDER', 'P3', 'batched'])
  })

  it('a batched transport needs every rank', () => {
    const both: Action = { op: 'batch', parts: [end('send', 'activation', 0, 1), end('recv', 'gradient', 0, 0)] }
    const far: Action = { op: 'batch', parts: [end('recv', 'activation', 1, 1), end('send', 'gradient', 1, 0)] }
    const verdict = checkDeadlock(foreignOrder([[both], [far], []]))
    expect(verdict.violations.map(v => [v.code, v.rule])).toEqual([['MISSING_EVENT', 'P6']])
  })

  it('collectives come exactly once on every rank, all ranks in one order', () => {
    const [a, b]: Action[] = [
      { op: 'collective', name: 'broadcast' },
      { op: 'collective', name: 'reduce' }
    ]
    expect(
      checkOrder(
        foreignOrder([
          [a, b],
          [a, b]
        ])
      ).legal
    ).toBe(true)
    expect(
      codes(
        foreignOrder([
          [a, b],
          [b, a]
        ])
      )
    ).toEqual(['CYCLE'])
    expect(codes(foreignOrder([[a, b], [a]]))).toEqual(['MISSING_EVENT'])
    expect(
      codes(
        foreignOrder([
          [a, b],
          [a, b, b]
        ])
      )
    ).toEqual(['DUPLICATE_EVENT'])
  })

  it('catches a forward before its receive, and a send before its forward', () => {
    expect(checkOrder(csv(PAIR.join('\n'))).legal).toBe(true)
    const late = checkOrder(csv([PAIR[0], '1F0,1RECV_F0,1B0,1SEND_B0'].join('\n')))
    expect(late.violations.map(v => [v.code, v.rule, v.rank])).toEqual([['CYCLE', 'P5', 1]])
    const early = checkOrder(csv(['0SEND_F0,0F0,0RECV_B0,0B0', PAIR[1]].join('\n')))
    expect(early.violations.map(v => [v.code, v.rule, v.rank])).toEqual([['CYCLE', 'P5', 0]])
  })

  it('an overlap whose parts need each other cannot run', () => {
    expect(codes(csv('(0F0;0B0)OVERLAP_F_B\n'))).toEqual(['CYCLE'])
  })

  it('the first feature receive may wait for all features', () => {
    const text = (each: boolean) =>
      JSON.stringify({
        env: { HYPER_PARALLEL_MPIPE_RECV_BATCH: each ? '0' : '1' },
        exec_order: [
          [
            ['MPIPE_FWD_RECV', 0, -1],
            ['FWD', 0, 0],
            ['FWD_SEND', 0, 0],
            ['BWD_RECV', 0, 0],
            ['BWD', 0, 0],
            ['MPIPE_FWD_RECV', 1, -1],
            ['FWD', 1, 0],
            ['FWD_SEND', 1, 0],
            ['BWD_RECV', 1, 0],
            ['BWD', 1, 0]
          ],
          [
            ['MPIPE_TRANSPOSE_FWD', 0, -1],
            ['MPIPE_FWD_SEND', 0, -1],
            ['FWD_RECV', 0, 1],
            ['FWD', 0, 1],
            ['BWD', 0, 1],
            ['BWD_SEND', 0, 1],
            ['MPIPE_TRANSPOSE_FWD', 1, -1],
            ['MPIPE_FWD_SEND', 1, -1],
            ['FWD_RECV', 1, 1],
            ['FWD', 1, 1],
            ['BWD', 1, 1],
            ['BWD_SEND', 1, 1]
          ]
        ].map(list => list.map(([type, micro, stage]) => ({ type, micro, stage })))
      })
    expect(checkOrder(execOrder(text(true))).legal).toBe(true)
    expect(codes(execOrder(text(false)))).toEqual(['CYCLE'])
  })
})

describe('events of an order', () => {
  const cases: readonly [name: string, rows: readonly string[], code: string][] = [
    ['a forward twice', ['0F0,0F0,0B0', '1F0,1B0'], 'DUPLICATE_EVENT'],
    ['B and I of one microbatch', ['0F0,0B0,0I0,0W0', '1F0,1B0'], 'DUPLICATE_EVENT'],
    ['a missing backward', ['0F0,0F1,0B0', '1F0,1B0,1F1,1B1'], 'MISSING_EVENT'],
    ['a missing forward', ['0F0,0B0,0B1', '1F0,1B0,1F1,1B1'], 'MISSING_EVENT'],
    ['an I without W', ['0F0,0F1,0I0,0W0,0I1', '1F0,1B0,1F1,1B1'], 'MISSING_EVENT'],
    ['a stage on two ranks', ['0F0,0B0', '1F0,1B0,0F1,0B1,1F1,1B1'], 'WRONG_RANK'],
    ['a transfer beyond the last stage', [`${PAIR[0]},0SEND_B0`, PAIR[1]], 'UNKNOWN_EVENT'],
    ['a receive without send', ['0F0,0RECV_B0,0B0', PAIR[1]], 'MISSING_EVENT'],
    ['transfers left out', ['0F0,0RECV_B0,0B0', '1F0,1B0,1SEND_B0'], 'MISSING_EVENT']
  ]
  it.each(cases)('%s', (_, rows, code) => {
    expect(codes(csv(rows.join('\n')))).toContain(code)
  })

  it('a microbatch or stage beyond what is expected', () => {
    const order = csv('0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n')
    expect(checkOrder(order, { microbatches: 2, stages: 2 }).legal).toBe(true)
    expect(checkOrder(order, { microbatches: 1 }).violations.map(v => v.code)).toContain('UNKNOWN_EVENT')
    expect(checkOrder(order, { microbatches: 3 }).violations.map(v => v.code)).toContain('MISSING_EVENT')
  })

  it('a source may leave out microbatches that it has no work for, and their transfers', () => {
    const run = (kind: 'F' | 'B', stage: number, microbatch: number): Action => ({ op: 'run', kind, stage, microbatch })
    const sparse = foreignOrder([[run('F', 0, 0)], [run('F', 1, 0), run('B', 1, 0), run('F', 1, 1), run('B', 1, 1)]], {
      sparseSource: true
    })
    expect(codes(sparse)).toEqual([])
    const lowered = insertTransfers(sparse)
    expect(lowered.ok && codes(lowered.order)).toEqual([])
    expect(codes({ ...sparse, sparseSource: false })).toEqual(['MISSING_EVENT'])
  })

  it('says where: rank, step, row and column', () => {
    const [violation] = checkOrder(csv('0F0,0B0\n1F0,1B0,1F0\n')).violations
    expect(violation).toMatchObject({ code: 'DUPLICATE_EVENT', rank: 1, step: 2, position: { row: 2, column: 3 } })
  })
})

describe('the runtime generator', () => {
  const combination = (ranks: number, chunks: number, microbatches: number, overlap: boolean, lessMemory: boolean) => {
    const warmup = lessMemory ? 'less-memory' : 'classic'
    const body = { kind: 'interleaved', chunks, warmup, overlapBackwardForward: overlap } as const
    return execOrder(JSON.stringify({ exec_order: runtimeOrder({ ranks, microbatches, body }) }))
  }

  it('overlap with less memory runs a forward before its receive (P5); every other combination is legal', () => {
    let [illegal, legal] = [0, 0]
    for (const [ranks, chunks, microbatches] of [
      [2, 1, 2],
      [2, 2, 4],
      [3, 1, 5],
      [4, 1, 8],
      [4, 2, 8],
      [5, 1, 3]
    ]) {
      for (const overlap of [false, true]) {
        for (const lessMemory of [false, true]) {
          const { violations } = checkOrder(combination(ranks, chunks, microbatches, overlap, lessMemory))
          if (overlap && lessMemory) {
            expect(violations.some(v => v.code === 'CYCLE' && v.rule === 'P5' && v.rank! > 0)).toBe(true)
            illegal++
          } else {
            expect(violations).toEqual([])
            legal++
          }
        }
      }
    }
    expect([illegal, legal]).toEqual([6, 18])
  })

  it('the smallest such order names the forward and its receive', () => {
    const [violation] = checkOrder(combination(2, 1, 2, true, true)).violations
    expect(violation.message).toMatch(/recv of activation\(stage 1, microbatch 1\)/)
    expect(violation.message).toMatch(/F\(stage 1, microbatch 1\)/)
  })
})

describe('repair', () => {
  it('lists the transfers so that nothing hangs, and shows what moved', () => {
    const hanging = csv(
      '0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n1RECV_F0,1F0,1B0,1SEND_B0,1RECV_F1,1F1,1B1,1SEND_B1\n'
    )
    const crossing = csv(
      '0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n1RECV_F0,1F0,1B0,1SEND_B0,1RECV_F1,1F1,1B1,1SEND_B1\n'
    )
    const verdict = checkOrder(hanging)
    expect(verdict.violations.map(v => v.code)).toEqual(['RENDEZVOUS'])
    const repair = repairTransfers(crossing)
    if (!repair.ok) throw new Error(repair.reason)
    expect(checkOrder(repair.order).legal).toBe(true)
    expect(repair.changes.length).toBeGreaterThan(0)
    expect(repair.changes[0]).toMatchObject({ rank: expect.any(Number), before: expect.any(String) })
  })

  it('says why there is none where the runs themselves cannot finish', () => {
    expect(repairTransfers(csv('0B0,0F0\n1F0,1B0\n'))).toMatchObject({ ok: false })
  })
})

describe.skipIf(!hasShared)('orders from outside are proved', () => {
  it.each(sharedFiles('hyperparallel-golden'))('%s', name => {
    const order = execOrder(sharedText('hyperparallel-golden', name))
    const verdict = checkOrder(order)
    expect(verdict.violations).toEqual([])
    expect(verdict.checked.waits).toBeGreaterThan(verdict.checked.actions)
    const repair = repairTransfers(order)
    expect(repair.ok && checkOrder(repair.order).legal).toBe(true)
  })

  it.each(sharedFiles('torch-csv'))('%s', name => {
    const verdict = checkOrder(csv(sharedText('torch-csv', name)))
    expect(verdict.violations).toEqual([])
  })
})

describe('large orders', () => {
  it('16 ranks x 128 microbatches with all transfers', () => {
    const [P, M] = [16, 128]
    const ranks = range(P).map(rank => {
      const warm = Math.min(P - rank, M)
      const run = (kind: 'F' | 'B', microbatch: number): Action => ({ op: 'run', kind, stage: rank, microbatch })
      const steady = range(M).flatMap(m => [...(m + warm < M ? [run('B', m), run('F', m + warm)] : [run('B', m)])])
      return [...range(warm).map(m => run('F', m)), ...steady]
    })
    const lowered = insertTransfers(foreignOrder(ranks))
    expect(lowered.ok && checkOrder(lowered.order).legal).toBe(true)
  })
})
