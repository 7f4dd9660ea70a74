import { describe, expect, it } from 'vitest'
import { range } from '../../src/base/arrays.ts'
import { orderOfDocument } from '../../src/formats/document-order.ts'
import { gridText } from '../../src/formats/grid.ts'
import { perfettoWriter } from '../../src/formats/perfetto.ts'
import { sampleSchedules } from './orders.ts'

type TraceEvent = {
  ph: string
  name: string
  cat: string
  ts: number
  dur: number
  pid: number
  tid: number
  id: number
  args: Record<string, number>
}

const samples = sampleSchedules(range(6))

function traceOf(document: (typeof samples)[number]['document']): TraceEvent[] {
  const written = perfettoWriter.write({ order: orderOfDocument(document), document })
  if (!written.ok) throw new Error(written.faults[0].message)
  return JSON.parse(written.files[0].text).traceEvents
}

describe('Perfetto trace', () => {
  it('shows every event and every idle tick of every rank', () => {
    let shown = 0
    for (const { document } of samples) {
      const events = traceOf(document)
      const work = events.filter(({ ph, cat }) => ph === 'X' && cat !== 'bubble')
      const idle = events.filter(({ ph, cat }) => ph === 'X' && cat === 'bubble')
      expect(work.length).toBe(document.ranks.flat().length)
      for (const rank of range(document.P)) {
        const ticks = [...work, ...idle]
          .filter(({ pid }) => pid === rank + 1)
          .reduce((sum, { args }) => sum + args.end - args.start, 0)
        expect(ticks).toBe(document.makespan)
      }
      shown += work.length
    }
    expect(shown).toBeGreaterThan(500)
  })

  it('is sorted by time, slices of one track do not overlap, arrows start and end inside slices', () => {
    let arrows = 0
    for (const { document } of samples) {
      const events = traceOf(document)
      const timed = events.filter(({ ph }) => ph !== 'M')
      for (const [i, event] of timed.entries()) expect(event.ts).toBeGreaterThanOrEqual(timed[i - 1]?.ts ?? 0)
      const free = new Map<string, number>()
      for (const { pid, tid, ts, dur } of events.filter(({ ph }) => ph === 'X')) {
        expect(ts).toBeGreaterThanOrEqual((free.get(`${pid}/${tid}`) ?? 0) - 1e-6)
        free.set(`${pid}/${tid}`, ts + dur)
      }
      for (const end of events.filter(({ ph }) => ph === 's' || ph === 'f')) {
        expect(
          events.some(
            ({ ph, pid, tid, ts, dur }) =>
              ph === 'X' && pid === end.pid && tid === end.tid && ts <= end.ts && end.ts < ts + dur
          )
        ).toBe(true)
        arrows++
      }
    }
    expect(arrows).toBeGreaterThan(200)
  })

  it('counts activations in flight back to zero', () => {
    for (const { document } of samples) {
      for (const rank of range(document.P)) {
        const values = traceOf(document)
          .filter(({ ph, pid }) => ph === 'C' && pid === rank + 1)
          .map(({ args }) => args.value)
        expect(Math.min(...values)).toBeGreaterThanOrEqual(0)
        expect(values.at(-1)).toBe(0)
      }
    }
  })

  it('needs times', () => {
    const order = orderOfDocument(samples[0].document)
    expect(perfettoWriter.write({ order })).toMatchObject({ ok: false, faults: [{ code: 'NEEDS_TIMES' }] })
  })
})

describe('grid', () => {
  it('has one line per rank and one cell per step', () => {
    for (const { document } of samples) {
      const lines = gridText(orderOfDocument(document)).trimEnd().split('\n')
      expect(lines.length).toBe(document.P + 1)
      for (const [rank, events] of document.ranks.entries()) {
        expect(lines[rank].split(/ +/).length).toBe(events.length + 2)
      }
    }
  })
})
