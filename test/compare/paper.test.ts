import { describe, expect, it } from 'vitest'
import { attribute } from '../../src/compare/paper/attribution.ts'
import { instanceOf, READINGS } from '../../src/compare/paper/experiments.ts'
import { paperTable, sweepAround } from '../../src/compare/paper/paper.ts'
import { paperText } from '../../src/report/text/paper.ts'
import { PLAIN } from '../../src/report/text/style.ts'

const table = paperTable({ seeds: 1, groups: 2 })
const row = (id: string) => table.rows.find(one => one.reading.id === id)!

describe('the published table', () => {
  it('is reproduced to 0.01 s by the recommended readings', () => {
    for (const id of ['A-alpha', 'A-alpha-trained', 'B-8x8', 'B-8x8-trained', 'B-8x16', 'B-4x16']) {
      const { published, computed } = row(id)
      expect(Math.abs(computed.baseline - published.baseline), id).toBeLessThan(0.01)
      expect(Math.abs(computed.transposed - published.transposed), id).toBeLessThan(0.01)
    }
  })

  it('orders the policies of Experiment A: full, own stage, min, inline, stage-0 backward', () => {
    const { policies } = row('A-alpha')
    expect(policies['transpose-full']).toBeCloseTo(13.4166, 3)
    expect(policies.dedicated).toBeCloseTo(16.2565, 3)
    expect(policies['transpose-min']).toBeCloseTo(24.883, 2)
    expect(policies.inline).toBeCloseTo(25.762, 2)
    expect(policies['transpose-greedy']).toBeCloseTo(13.3254, 3)
    expect(row('A-alpha-trained').policies['first-rank backward']).toBeCloseTo(27.15, 1)
  })

  it('Experiment B in 8 x 8 leaves no room: the bound is the schedule', () => {
    expect(row('B-8x8').lowerBound).toBeCloseTo(row('B-8x8').computed.transposed, 6)
    expect(row('A-beta').lowerBound).toBeCloseTo(13.51, 2)
    expect(row('A-gamma').lowerBound).toBeCloseTo(13.67, 2)
  })

  it('the readings disagree about the cause', () => {
    expect(table.rows.map(one => one.cause)).toEqual([
      'slow encoder stage',
      'slow encoder stage',
      'freed stage',
      'freed stage',
      ...Array(4).fill('encoder fused into stage 0')
    ])
  })

  it('the parts of every attribution add up', () => {
    for (const reading of READINGS) {
      const one = attribute(instanceOf({ ...reading, name: reading.id }), reading.baseline)
      expect(one.baseline - one.freedStage - one.encoderInBaseline).toBe(one.body)
      expect(one.body + one.spill - one.absorbed + one.arrival + one.drain).toBe(one.transposed)
      expect(one.baseline - one.transposed).toBe(one.freedStage + one.hiddenEncoder)
    }
  })
})

describe('the sweep', () => {
  const points = (vary: string) => table.sweep.filter(point => point.vary === vary)

  it('covers scale, microbatches, encoder share and variance; bounds hold', () => {
    expect(table.sweep.length).toBe(17)
    for (const point of table.sweep) {
      expect(point.lowerBound).toBeLessThanOrEqual(point.transposed + 1e-9)
      expect(point.lowerBound).toBeLessThanOrEqual(point.greedy + 1e-9)
    }
    const speedups = points('encoder share').map(point => point.baseline / point.transposed)
    expect(speedups.at(-1)).toBeGreaterThan(3)
    expect(points('ranks').map(point => point.transposed)).toEqual(
      points('ranks')
        .map(point => point.transposed)
        .sort((a, b) => b - a)
    )
  })

  it('with the slowest of eight groups, variance widens the gap to an own stage', () => {
    const ratios = sweepAround({ ...READINGS[0], microbatches: 16 }, { seeds: 2, groups: 8 })
      .filter(point => point.vary === 'variance')
      .map(point => point.baseline / point.transposed)
    expect(ratios.at(-1)).toBeGreaterThan(ratios[0])
  }, 30_000)

  it('prints as text', () => {
    const text = paperText(table, PLAIN)
    for (const part of ['A-alpha', 'freed stage', 'hidden encoder', 'variance 0.6', 'not data of the authors'])
      expect(text).toContain(part)
  })
})
