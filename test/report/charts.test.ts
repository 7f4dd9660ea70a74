import { describe, expect, it } from 'vitest'
import { lineChart } from '../../src/report/charts/lines.ts'
import { seriesLook } from '../../src/report/charts/mark.ts'
import { paretoChart, paretoFront } from '../../src/report/charts/pareto.ts'

const labels = { title: 'Speedup <against> share', x: 'encoder share', y: 'speedup over inline' }

describe('lineChart', () => {
  const series = [
    {
      name: 'transpose-full',
      points: [
        { x: 0.1, y: 1.02 },
        { x: 1, y: 1.4 },
        { x: 0.5, y: 1.2 }
      ]
    },
    {
      name: 'optimum',
      points: [
        { x: 0.1, y: 1.05 },
        { x: 0.5, y: 1.3 },
        { x: 1, y: 1.6 }
      ]
    }
  ]

  it('equals the reviewed picture', async () => {
    await expect(`${lineChart(labels, series)}\n`).toMatchFileSnapshot('../golden/svg/lines.svg')
  })

  it('draws points by ascending x, names every series and escapes', () => {
    const svg = lineChart(labels, series)
    const [path] = [...svg.matchAll(/d="M([^"]+)"/g)].map(([, d]) => d.split('L').map(p => Number(p.split(',')[0])))
    expect(path).toEqual([...path].sort((a, b) => a - b))
    expect(svg).toContain('>optimum</text>')
    expect(svg).toContain('Speedup &lt;against&gt; share')
    expect(svg).not.toMatch(/NaN|Infinity/)
  })

  it('survives a single point', () => {
    expect(lineChart(labels, [{ name: 'one', points: [{ x: 0, y: 0 }] }])).not.toMatch(/NaN|Infinity/)
  })

  it('tells many series apart without colour', () => {
    const looks = Array.from({ length: 28 }, (_, index) => JSON.stringify(seriesLook(index)))
    expect(new Set(looks).size).toBe(28)
  })
})

describe('paretoFront', () => {
  it('keeps what nothing beats in both directions', () => {
    const points = [
      { name: 'a', x: 1, y: 9 },
      { name: 'b', x: 2, y: 5 },
      { name: 'c', x: 3, y: 6 },
      { name: 'd', x: 4, y: 5 },
      { name: 'e', x: 5, y: 1 }
    ]
    expect(paretoFront(points).map(point => point.name)).toEqual(['a', 'b', 'e'])
    const svg = paretoChart(labels, points)
    for (const { name } of points) expect(svg).toContain(`>${name}</text>`)
  })

  it('writes every name inside of the frame, on no other name', () => {
    const crowd = Array.from({ length: 14 }, (_, index) => ({
      name: `family-${index}`,
      x: index % 3 === 0 ? 50 : 50.1 + index / 100,
      y: index < 7 ? 4 : 4 + index / 2
    }))
    const svg = paretoChart(labels, crowd)
    const spots = [...svg.matchAll(/<text ([^>]*)>(family-\d+)<\/text>/g)].map(([, attributes, name]) => {
      const value = (key: string) => Number(new RegExp(`(?:^| )${key}="([^"]*)"`).exec(attributes)?.[1])
      const width = name.length * 6.4
      return { x: value('x') - (attributes.includes('"end"') ? width : 0), y: value('y'), width }
    })
    expect(spots).toHaveLength(14)
    for (const [index, a] of spots.entries()) {
      expect(a.y).toBeGreaterThan(44)
      expect(a.y).toBeLessThan(420 - 48)
      for (const b of spots.slice(index + 1))
        expect(Math.abs(a.y - b.y) >= 11 || a.x >= b.x + b.width || b.x >= a.x + a.width).toBe(true)
    }
  })
})
