import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type RuntimeBody, type RuntimeRequest, runtimeOrder } from '../../src/algebra/runtime/hyper-parallel.ts'
import { type ExecOrder, partsOfItem, peakInFlight } from '../../src/algebra/runtime/steps.ts'
import { withoutTranspose } from '../../src/algebra/runtime/transpose.ts'

const goldens = resolve(import.meta.dirname, '../../../shared/data/hyperparallel-golden')

type Config = {
  pp: number
  vpp: number
  micro_batch_num: number
  pp_schedule: string
  pp_less_memory: boolean
  overlap_b_f?: boolean
  pp_mpipe_transpose_layers?: number
  preprocess_trainable?: boolean
  pp_mpipe_owner_backward?: boolean
  pp_mpipe_transpose_overflow?: 'full' | 'min'
}

function bodyOf(config: Config): RuntimeBody {
  if (config.pp_schedule === 'gpipe' || config.pp_schedule === '1f1b') return { kind: config.pp_schedule }
  return {
    kind: 'interleaved',
    chunks: config.vpp,
    warmup: config.pp_less_memory ? 'less-memory' : 'classic',
    overlapBackwardForward: config.overlap_b_f ?? false
  }
}

function requestOf(config: Config): RuntimeRequest {
  const request = { ranks: config.pp, microbatches: config.micro_batch_num, body: bodyOf(config) }
  if (config.pp_schedule !== 'mpipe') return request
  return {
    ...request,
    transpose: {
      layers: config.pp_mpipe_transpose_layers ?? 1,
      trainable: config.preprocess_trainable ?? false,
      backward: config.pp_mpipe_owner_backward ? 'owner' : 'first-rank',
      overflow: config.pp_mpipe_transpose_overflow ?? 'full'
    }
  }
}

describe('hyper-parallel orders against the golden files', () => {
  const files = existsSync(goldens) ? readdirSync(goldens).filter(name => name.endsWith('.json')) : []

  it.skipIf(files.length === 0)('finds the golden files', () => expect(files.length).toBeGreaterThanOrEqual(25))

  it.skipIf(files.length === 0).each(files.length > 0 ? files : ['(absent)'])('%s', name => {
    const golden = JSON.parse(readFileSync(join(goldens, name), 'utf8'))
    const order = runtimeOrder(requestOf(golden.config))
    expect(Object.fromEntries(order.map((items, rank) => [String(rank), items]))).toEqual(golden.exec_order)
    expect(peakInFlight(order)).toEqual(golden.metrics.peak_inflight_micro_chunks_per_rank)
  })
})

/** Short text of an order without data steps and bubbles, for fixtures that a person can read. */
function compact(items: ExecOrder[number]): string {
  const names: Record<string, string> = {
    FWD: 'F',
    BWD: 'B',
    FWD_SEND: 'FS',
    FWD_RECV: 'FR',
    BWD_SEND: 'BS',
    BWD_RECV: 'BR',
    MPIPE_TRANSPOSE_FWD: 'TF',
    MPIPE_TRANSPOSE_BWD: 'TB',
    MPIPE_FWD_SEND: 'EFS',
    MPIPE_FWD_RECV: 'EFR',
    MPIPE_PARAM_BROADCAST: 'PB',
    MPIPE_GRAPH_SEND: 'GPS',
    MPIPE_GRAPH_RECV: 'GPR',
    MPIPE_GRAD_SEND: 'GS',
    MPIPE_GRAD_RECV_WITH_BACKWARD: 'GRB',
    MPIPE_GRAD_REDUCE: 'GR'
  }
  return items
    .filter(item => item !== null && !item.type.startsWith('DATA_'))
    .map(item => `${names[item?.type ?? ''] ?? item?.type}${item?.micro ?? ''}`)
    .join(' ')
}

const classic: RuntimeBody = { kind: 'interleaved', chunks: 1, warmup: 'classic' }
const lessMemory: RuntimeBody = { kind: 'interleaved', chunks: 1, warmup: 'less-memory' }
const transpose = { layers: 4, trainable: false, backward: 'owner', overflow: 'full' } as const

describe('hyper-parallel orders, own fixtures', () => {
  it('lists a frozen transpose on 2 ranks and 2 microbatches', () => {
    const order = runtimeOrder({ ranks: 2, microbatches: 2, body: classic, transpose })
    expect(order.map(compact)).toEqual(['TF0 EFR1 F0 FS0 F1 FS1 BR0 B0 BR1 B1', 'TF1 EFS1 FR0 F0 FR1 B0 BS0 F1 B1 BS1'])
  })

  it('encodes overflow inside the first rank body under min', () => {
    const order = runtimeOrder({
      ranks: 2,
      microbatches: 3,
      body: lessMemory,
      transpose: { ...transpose, overflow: 'min' }
    })
    expect(compact(order[0])).toMatch(/^TF0 EFR1 F0 .*TF2 F2/)
    expect(compact(order[1])).not.toMatch(/TF2/)
  })

  it('recomputes on the first rank, or returns gradients to the owners', () => {
    const trained = { ...transpose, trainable: true }
    const first = runtimeOrder({
      ranks: 2,
      microbatches: 2,
      body: classic,
      transpose: { ...trained, backward: 'first-rank' }
    })
    expect(compact(first[0])).toBe('PB0 TF0 EFR1 GPR1 F0 FS0 F1 FS1 BR0 B0 TB0 BR1 B1 TB1')
    const owner = runtimeOrder({ ranks: 2, microbatches: 2, body: classic, transpose: trained })
    expect(owner.map(items => compact(items).split(' ').slice(-2).join(' '))).toEqual(['GS1 GR', 'GRB1 GR'])
  })

  it.each([
    [classic, [7, 5, 3, 1]],
    [lessMemory, [4, 3, 2, 1]],
    [{ ...classic, chunks: 2 }, [11, 9, 7, 5]],
    [{ ...lessMemory, chunks: 2 }, [8, 7, 6, 5]]
  ] as const)('keeps %o at the stated peaks in flight at 4x8', (body, peaks) => {
    expect(peakInFlight(runtimeOrder({ ranks: 4, microbatches: 8, body }))).toEqual(peaks)
  })

  it('leaves the plain body when everything transposed is dropped', () => {
    let checked = 0
    for (const ranks of [1, 2, 3, 4, 5]) {
      for (const microbatches of [1, 2, 4, 7, 10]) {
        for (const overflow of ['full', 'min'] as const) {
          for (const trainable of [false, true]) {
            const request = { ranks, microbatches, body: lessMemory }
            const full = runtimeOrder({ ...request, transpose: { ...transpose, overflow, trainable } })
            expect(withoutTranspose(full)).toEqual(withoutTranspose(runtimeOrder(request)))
            checked++
          }
        }
      }
    }
    expect(checked).toBe(100)
  })

  it('full and min agree while every microbatch has an own owner', () => {
    for (const microbatches of [1, 2, 3, 4]) {
      const request = { ranks: 4, microbatches, body: classic }
      const min = runtimeOrder({ ...request, transpose: { ...transpose, overflow: 'min' } })
      expect(min).toEqual(runtimeOrder({ ...request, transpose }))
    }
  })

  it('pairs every send with a receive of the same pair, in one order', () => {
    let pairs = 0
    for (const chunks of [1, 2, 3]) {
      for (const [ranks, microbatches] of [
        [2, 3],
        [3, 2],
        [4, 9],
        [5, 5]
      ]) {
        const order = runtimeOrder({ ranks, microbatches, body: { kind: 'interleaved', chunks, warmup: 'classic' } })
        for (let a = 0; a < ranks; a++) {
          for (let b = 0; b < ranks; b++) {
            if (a === b) continue
            const sends = transfers(order[a], 'SEND', b, ranks)
            expect(transfers(order[b], 'RECV', a, ranks)).toEqual(sends)
            pairs += sends.length
          }
        }
      }
    }
    expect(pairs).toBeGreaterThan(200)
  })

  it('receives before compute and computes before it sends, except overlapped less-memory bodies', () => {
    const broken = { plain: 0, overlapped: 0, lessMemory: 0, cases: 0 }
    for (let ranks = 2; ranks <= 8; ranks++) {
      for (let chunks = 1; chunks <= 3; chunks++) {
        for (let microbatches = 1; microbatches <= 8; microbatches++) {
          const misplaced = (body: RuntimeBody) =>
            Number(!transfersFit(runtimeOrder({ ranks, microbatches, body }), ranks))
          broken.cases++
          broken.plain += misplaced({ ...classic, chunks }) + misplaced({ ...lessMemory, chunks })
          broken.overlapped += misplaced({ ...classic, chunks, overlapBackwardForward: true })
          broken.lessMemory += misplaced({ ...lessMemory, chunks, overlapBackwardForward: true })
        }
      }
    }
    // Every (P, V) pair breaks from M = 2 on: 21 * 7 of 21 * 8.
    expect(broken).toEqual({ cases: 168, plain: 0, overlapped: 0, lessMemory: 147 })
  })

  it('refuses sizes that are no counts', () => {
    expect(() => runtimeOrder({ ranks: 0, microbatches: 2, body: classic })).toThrow(/NOT_POSITIVE/)
    expect(() =>
      runtimeOrder({ ranks: 2, microbatches: 2, body: classic, transpose: { ...transpose, layers: -1 } })
    ).toThrow(/NEGATIVE/)
  })
})

/** Stage-to-stage transfers of a list with one peer, named by what they carry. */
function transfers(items: ExecOrder[number], end: 'SEND' | 'RECV', peer: number, ranks: number): string[] {
  return items.flatMap(item => {
    const match = /^(FWD|BWD)_(SEND|RECV)$/.exec(item?.type ?? '')
    if (!match || match[2] !== end || item === null) return []
    const ahead = (match[1] === 'FWD') === (end === 'SEND') ? 1 : -1
    const other = (item.stage ?? 0) + ahead
    if (other % ranks !== peer) return []
    const producer = end === 'SEND' ? item.stage : other
    return [`${match[1]} ${producer} ${item.micro}`]
  })
}

/** Whether every rank receives what a compute step needs before it, and sends only what it has computed. */
function transfersFit(order: ExecOrder, ranks: number): boolean {
  const stages =
    1 +
    Math.max(
      ...order
        .flat()
        .flatMap(partsOfItem)
        .map(part => part.stage ?? 0)
    )
  return order.every(items => {
    const seen = new Set<string>()
    return items.flatMap(partsOfItem).every(({ type, stage, micro }) => {
      const s = stage ?? 0
      const crosses = ranks > 1
      const needs =
        type === 'FWD' && s > 0 && crosses
          ? `FWD_RECV ${s} ${micro}`
          : type === 'BWD' && s < stages - 1 && crosses
            ? `BWD_RECV ${s} ${micro}`
            : type === 'FWD_SEND' || type === 'BWD_SEND'
              ? `${type.slice(0, 3)} ${s} ${micro}`
              : undefined
      seen.add(`${type} ${s} ${micro}`)
      return needs === undefined || seen.has(needs)
    })
  })
}
