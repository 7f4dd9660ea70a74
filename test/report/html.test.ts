import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { htmlReport, sourceHash } from '../../src/report/html/report.ts'
import { SCRIPT } from '../../src/report/html/script.ts'
import type { Report } from '../../src/report/html/types.ts'
import { pictureOf } from '../../src/report/picture.ts'
import { hasBrowser, launch, open } from '../support/browser.ts'
import { measuredOf, transposed } from '../support/staged.ts'

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

/** Runs in the page: where elements are, in pixels. */
function middles(elements: { getBoundingClientRect(): { x: number; width: number } }[]) {
  return elements.map(element => {
    const { x, width } = element.getBoundingClientRect()
    return { middle: x + width / 2, width }
  })
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
    await shown.locator('.event').nth(2).hover()
    expect(await details.textContent()).toContain('of microbatch')
    await shown.locator('.idle').first().hover()
    expect(await details.textContent()).toContain('waiting for encoder')
    await page.keyboard.press('Escape')
    await shown.locator('.scroll').focus()
    await page.keyboard.press('ArrowRight')
    const first = await details.textContent()
    await page.keyboard.press('ArrowRight')
    expect(await details.textContent()).not.toBe(first)
    await page.keyboard.press('ArrowDown')
    expect(await details.textContent()).toContain('rank 1')
    expect(await page.locator('.event.now').count()).toBe(1)
    expect(noise).toEqual([])
  })

  it('zooms time without moving labels off their events', async () => {
    const { page, noise } = await open(browser, htmlReport(report()))
    await page.keyboard.press('+')
    await page.getByRole('button', { name: 'Zoom in' }).click()
    expect(await page.locator('#zoom').textContent()).toBe('225 %')
    const svg = page.locator('figure.schedule:visible svg.gantt').first()
    const boxes = await svg.locator('.event').evaluateAll(middles)
    const labels = await svg.locator('.texts text[data-full]').evaluateAll(middles)
    const shown = boxes.filter((_, i) => labels[i].width > 0)
    const off = boxes.filter((box, i) => labels[i].width > 0 && Math.abs(box.middle - labels[i].middle) > 1.5)
    expect(shown.length).toBeGreaterThan(10)
    expect(off).toEqual([])
    await page.keyboard.press('0')
    expect(await page.locator('#zoom').textContent()).toBe('100 %')
    expect(noise).toEqual([])
  })

  it('runs nothing that a name smuggles in, and asks for nothing', async () => {
    const { page, noise } = await open(browser, htmlReport(report(EVIL, EVIL)))
    await page.locator('figure.schedule:visible .event').first().hover()
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
