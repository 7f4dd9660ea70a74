import { describe, expect, it } from 'vitest'
import { pictureOf, pictureOfDocument } from '../../src/report/picture.ts'
import { boxLabel } from '../../src/report/svg/boxes.ts'
import { gantt } from '../../src/report/svg/gantt.ts'
import { element, escapeText } from '../../src/report/svg/markup.ts'
import { toDocument } from '../../src/schedule/document.ts'
import { measuredOf, transposed } from '../support/staged.ts'

const measured = measuredOf({
  ranks: 2,
  microbatches: 3,
  stages: [0, 1].map(() => ({ forward: 10, backward: 20, activation: 1e9, parameters: 2e9 })),
  encoder: { forward: [6, 0, 9], backward: 8, activation: 3e8, output: 1e8, parameters: 6e8 },
  communication: { send: 1, gather: 1, scatter: 1, broadcast: 4, reduce: new Map([['llm', 6]]) },
  capacity: [6e9, undefined]
})
const { problem, schedule } = transposed(measured)
const picture = pictureOf(problem, schedule)

/** Tags of a piece of XML in order, after checking that they nest. */
function tags(xml: string): string[] {
  const open: string[] = []
  const seen: string[] = []
  for (const [, close, name, self] of xml.matchAll(/<(\/?)([a-z]+)(?:"[^"]*"|[^>"])*?(\/?)>/gi)) {
    if (close) expect(open.pop()).toBe(name)
    else {
      seen.push(name)
      if (!self) open.push(name)
    }
  }
  expect(open).toEqual([])
  return seen
}

describe('gantt', () => {
  it('equals the reviewed picture', async () => {
    await expect(`${gantt(picture, { title: 'transpose-full' })}\n`).toMatchFileSnapshot('../golden/svg/gantt.svg')
  })

  it('draws one rectangle per event, labelled, the encoder hatched', () => {
    const svg = gantt(picture, { title: 't' })
    tags(svg)
    expect(svg.match(/class="event"/g)).toHaveLength(schedule.sequences.flat().length)
    expect(svg.match(/fill="url\(#gantt-hatch\)"/g)).toHaveLength(6)
    for (const label of ['F0', 'B2', 'E0', 'E2', 'EB2']) expect(svg).toContain(`>${label}</text>`)
    expect(svg).not.toContain('>E1</text>')
  })

  it('states makespan, bubble with its definition, peaks and limit', () => {
    const svg = gantt(picture, { title: 't' })
    expect(svg).toContain(`makespan ${schedule.makespan} us`)
    expect(svg).toContain('bubble over makespan (idle / (P x makespan))')
    expect(svg).toContain('peak ')
    expect(svg).toContain('memory limit')
    expect(svg.match(/stroke-dasharray="5 3"/g)).toHaveLength(2)
  })

  it('draws the critical path from 0 to the makespan', () => {
    expect(picture.critical.at(-1)?.end).toBe(schedule.makespan)
    expect(gantt(picture, { title: 't' })).toContain('class="critical"')
  })

  it('draws a document alone, without memory or path', () => {
    const alone = pictureOfDocument(toDocument(problem, schedule))
    const svg = gantt(alone, { title: 't' })
    tags(svg)
    expect(svg).not.toContain('class="critical"')
    expect(svg).not.toContain('class="memory"')
    expect(alone.boxes.map(({ critical, ...box }) => box)).toEqual(picture.boxes.map(({ critical, ...box }) => box))
  })

  it('survives a makespan of 0', () => {
    const svg = gantt({ ...picture, boxes: [], critical: [], memory: [], makespan: 0 }, { title: 'empty' })
    expect(svg).not.toMatch(/NaN|Infinity/)
  })

  it('escapes every name', () => {
    const evil = `</title><script>alert(1)</script>"'&\u0000\u202e\ud800`
    const boxes = picture.boxes.map(box => ({ ...box, region: evil }))
    const svg = gantt({ ...picture, boxes, unit: evil }, { title: evil })
    expect(tags(svg)).not.toContain('script')
    expect(svg).toContain('&lt;script&gt;')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for exactly these
    expect(svg).not.toMatch(/[\u0000\u202e\ud800]/)
  })
})

describe('markup', () => {
  it('escapes attributes and leaves out what is not set', () => {
    expect(element('a', { x: 1.005, y: '"<', z: undefined, off: false })).toBe('<a x="1" y="&quot;&lt;"/>')
    expect(escapeText('a\ud83d\ude00b')).toBe('a\ud83d\ude00b')
  })
})

describe('boxLabel', () => {
  const box = { rank: 0, kind: 'F', region: 'llm', stage: 5, microbatch: 3, start: 0, end: 1, critical: false } as const
  it('takes the longest label that fits', () => {
    expect([60, 18, 12, 4].map(width => boxLabel(box, width, true))).toEqual(['5F3', 'F3', '3', ''])
  })
})
