import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { familyById } from '../../src/heuristics/index.ts'
import { htmlReport, sourceHash } from '../../src/report/html/report.ts'
import { SCRIPT } from '../../src/report/html/script.ts'
import type { Report } from '../../src/report/html/types.ts'
import { type Box, pictureOf } from '../../src/report/picture.ts'
import { describeBox } from '../../src/report/svg/boxes.ts'
import { hasBrowser, launch, open } from '../support/browser.ts'
import { measuredOf, timed, transposed } from '../support/staged.ts'

const EVIL = `"><img src=x onerror=alert(1)><script>alert(2)</script>&'</style>`

function report(unit = 'us', region = 'vision'): Report {
  const make = (encode: number) => {
    const measured = measuredOf({
      ranks: 3,
      microbatches: 4,
      stages: [0, 1, 2].map(() => ({ forward: 10, backward: 20, activation: 1e9 })),
      encoder: { forward: encode, backward: 8 },
      capacity: [9e9, 9e9, 9e9]
    })
    const { problem, schedule } = transposed(measured)
    const picture = pictureOf(problem, schedule, [{ rank: 1, start: 50, end: 66, cause: 'waiting for encoder' }])
    return { ...picture, unit, boxes: picture.boxes.map(box => ({ ...box, region })) }
  }
  const schedules = [
    { id: 'inline', title: `fused ${region}`, picture: make(9), facts: [{ name: 'makespan', value: '1' }] },
    { id: 'optimum', title: 'best', picture: make(3), facts: [] },
    { id: 'other', title: 'other', picture: make(5), facts: [] }
  ]
  return {
    title: `Report ${region}`,
    lead: [`faster than ${region}`],
    tables: [
      {
        caption: 'Families',
        head: ['family', 'makespan'],
        rows: [
          ['inline', '10'],
          ['other', '12'],
          ['x', region]
        ]
      }
    ],
    details: [],
    schedules,
    before: 'inline',
    after: 'optimum',
    charts: [],
    notes: ['bubble over makespan = idle / (P x makespan)']
  }
}

describe('htmlReport', () => {
  it('is one file that loads nothing', () => {
    const html = htmlReport(report())
    expect(html).not.toMatch(/\b(src|href)=|url\((?!#)|@import|fetch\(|XMLHttpRequest|console\./)
    expect(html).toContain('default-src &#39;none&#39;')
    expect(html).toContain(sourceHash(SCRIPT))
  })

  it('has no inline style or handler, which its policy would forbid', () => {
    expect(htmlReport(report()).replace(SCRIPT, '')).not.toMatch(/<[^>]*\s(style|on[a-z]+)=/)
  })

  it('escapes every text', () => {
    const html = htmlReport(report(EVIL, EVIL))
    expect(html.match(/<script/g)).toHaveLength(1)
    expect(html.match(/<img/g)).toBeNull()
  })
})

describe.skipIf(!hasBrowser)('htmlReport in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser?.close())

  it('shows before against after, and switches by table and keyboard', async () => {
    const { page, noise } = await open(browser, htmlReport(report()))
    const visible = () => page.locator('figure.schedule:visible figcaption strong').allTextContents()
    expect(await visible()).toEqual(['Before: inline', 'After: optimum'])
    await page.getByRole('button', { name: 'other' }).click()
    expect(await visible()).toEqual(['Before: inline', 'After: other'])
    await page.keyboard.press('x')
    expect(await visible()).toEqual(['Before: other', 'After: inline'])
    await page.getByLabel('Before').focus()
    await page.keyboard.press('Home')
    expect(await visible()).toEqual(['inline'])
    expect(noise).toEqual([])
  })

  it('says what an event is on hover and by keyboard', async () => {
    const { page, noise } = await open(browser, htmlReport(report()))
    const details = page.locator('#details')
    const shown = page.locator('figure.schedule:visible').first()
    const svg = shown.locator('svg.gantt')
    const { picture } = report().schedules[0]
    /** Points at the middle of an interval of a rank's row. */
    const point = async ({ rank, start, end }: { rank: number; start: number; end: number }, horizon: number) => {
      const data = await svg.evaluate(element => ({
        ...(element as unknown as { dataset: Record<string, string> }).dataset
      }))
      const x = Number(data.left) + (((start + end) / 2) * Number(data.plot)) / horizon
      await svg.hover({ position: { x, y: Number(data.top) + rank * Number(data.pitch) + 5 } })
    }
    const horizon = Math.max(...report().schedules.map(schedule => schedule.picture.makespan))
    for (const box of picture.boxes.slice(0, 6)) {
      await point(box, horizon)
      expect(await details.textContent()).toBe(describeBox(box, picture))
    }
    await point(picture.idle[0], horizon)
    expect(await details.textContent()).toContain('waiting for encoder')
    expect(await page.locator('rect.now').count()).toBe(0)
    await page.keyboard.press('Escape')
    await shown.locator('.scroll').focus()
    await page.keyboard.press('ArrowRight')
    const first = await details.textContent()
    await page.keyboard.press('ArrowRight')
    expect(await details.textContent()).not.toBe(first)
    await page.keyboard.press('ArrowDown')
    expect(await details.textContent()).toContain('rank 1')
    expect(await page.locator('rect.now').count()).toBe(1)
    expect(noise).toEqual([])
  })

  it('reads every event back as it was, overlapped pairs included', async () => {
    const stages = [0, 1, 2, 3].map(() => ({ forward: 5, backward: { input: 4, weight: 3 } }))
    const order = familyById('dualpipev')!.apply(measuredOf({ ranks: 2, microbatches: 6, stages }))
    if (order.kind !== 'order') throw new Error(order.reason)
    const picture = pictureOf(order.problem, timed(order.problem, order.sequences))
    expect(picture.boxes.filter(box => box.half).length).toBeGreaterThan(6)
    const schedules = [{ id: 'dualpipev', title: 'pairs', picture, facts: [] }]
    const { page, noise } = await open(
      browser,
      htmlReport({ ...report(), schedules, before: 'dualpipev', after: 'dualpipev' })
    )
    const said: (string | null)[] = []
    await page.locator('.scroll').first().focus()
    const ranks = [0, 1].map(rank => picture.boxes.filter(box => box.rank === rank))
    for (const _ of ranks[0]) {
      await page.keyboard.press('ArrowRight')
      said.push(await page.locator('#details').textContent())
    }
    expect(said).toEqual(ranks[0].map(box => describeBox(box, picture)))
    expect(noise).toEqual([])
  })

  it('zooms time, with labels on their events', async () => {
    const { page, noise } = await open(browser, htmlReport(report()))
    const svg = page.locator('figure.schedule:visible svg.gantt').first()
    const before = await svg.locator('.labels text').count()
    await page.keyboard.press('+')
    await page.getByRole('button', { name: 'Zoom in' }).click()
    expect(await page.locator('#zoom').textContent()).toBe('225 %')
    const data = await svg.evaluate(element => ({
      ...(element as unknown as { dataset: Record<string, string> }).dataset
    }))
    const { picture } = report().schedules[0]
    const horizon = Math.max(...report().schedules.map(schedule => schedule.picture.makespan))
    const middle = (box: Box) => (((box.start + box.end) / 2) * Number(data.plot) * 2.25) / horizon
    const middlesOfBoxes = picture.boxes.map(middle)
    const labels = await svg
      .locator('.labels text')
      .evaluateAll(texts => texts.map(text => Number(text.getAttribute('x'))))
    expect(labels.length).toBeGreaterThan(10)
    for (const x of labels) expect(Math.min(...middlesOfBoxes.map(at => Math.abs(at - x)))).toBeLessThan(0.01)
    await page.keyboard.press('0')
    expect(await page.locator('#zoom').textContent()).toBe('100 %')
    expect(await svg.locator('.labels text').count()).toBe(before)
    expect(noise).toEqual([])
  })

  it('runs nothing that a name smuggles in, and asks for nothing', async () => {
    const { page, noise } = await open(browser, htmlReport(report(EVIL, EVIL)))
    await page
      .locator('figure.schedule:visible svg.gantt')
      .first()
      .hover({ position: { x: 80, y: 85 } })
    expect(await page.locator('#details').textContent()).toContain('of microbatch')
    expect(await page.locator('img').count()).toBe(0)
    expect(noise).toEqual([])
  })

  it('forbids scripts that are not its own', async () => {
    const html = htmlReport(report()).replace('</main>', '<script>document.title = "changed"</script></main>')
    const { page, noise } = await open(browser, html)
    expect(await page.title()).toBe('Report vision')
    expect(noise.join()).toContain('Content Security Policy')
  })

  it('prints every schedule, without controls', async () => {
    const { page, noise } = await open(browser, htmlReport(report()))
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('figure.schedule:visible').count()).toBe(3)
    expect(await page.locator('.controls:visible').count()).toBe(0)
    const pdf = await page.pdf({ format: 'A4', landscape: true })
    expect(pdf.subarray(0, 4).toString()).toBe('%PDF')
    expect(noise).toEqual([])
  })

  it('shows everything when scripts are off', async () => {
    const page = await browser.newPage({ javaScriptEnabled: false })
    await page.setContent(htmlReport(report()))
    expect(await page.locator('figure.schedule:visible').count()).toBe(3)
  })
})
