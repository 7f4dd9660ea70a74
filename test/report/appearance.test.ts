import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compareSchedules } from '../../src/compare/compare.ts'
import { idleOf } from '../../src/compare/metrics.ts'
import { familyById } from '../../src/heuristics/index.ts'
import { comparisonReport } from '../../src/report/html/comparison.ts'
import { htmlReport } from '../../src/report/html/report.ts'
import { sweepReport } from '../../src/report/html/sweep.ts'
import { pictureOf } from '../../src/report/picture.ts'
import { CAUSE_WORDS } from '../../src/schedule/idle.ts'
import { hasBrowser, launch, open } from '../support/browser.ts'
import { measuredOf } from '../support/staged.ts'

const measured = measuredOf({
  name: 'a-model',
  ranks: 4,
  microbatches: 8,
  stages: [0, 1, 2, 3].map(() => ({ forward: 10, backward: 20, activation: 1e9, output: 1e6 })),
  encoder: { forward: 15, backward: 12, trainable: true, activation: 2e8, output: 1e6 },
  communication: { send: 1, gather: 1, scatter: 1 },
  capacity: [64e9, 64e9, 64e9, 64e9]
})
const families = ['inline', '1f1b', 'gpipe', 'transpose-full', 'transpose-greedy'].map(id => familyById(id)!)
const { comparison, schedules } = compareSchedules(measured, { families })
const pictures = schedules.map(schedule => ({
  id: schedule.id,
  title: schedule.title,
  events: schedule.document.ranks.flat().length,
  makespan: schedule.document.makespan,
  picture: () =>
    pictureOf(
      schedule.problem,
      schedule.schedule,
      idleOf(schedule).map(idle => ({ ...idle, cause: CAUSE_WORDS[idle.cause] }))
    )
}))
const points = [2, 4].flatMap(ranks =>
  [0.5, 1].map(encoder => ({ point: { ranks, encoder }, encoderShare: encoder / 8, comparison }))
)
const PAGES = [
  ['a comparison', htmlReport(comparisonReport(comparison, pictures))],
  ['a sweep', htmlReport(sweepReport('Sweep: a-model', points))]
] as const

/** Texts outside of coloured boxes, which stand on the page or on a part of it with a colour of its own. */
const TEXTS =
  'h1, h2, .lead li, caption, th, td, td button, .marks li, .notes li, .facts dt, .facts dd, figcaption, .details, label, button, ' +
  'svg .left text, svg .right text, svg .header text, svg .legend text, svg.chart text'

type Contrast = { readonly text: string; readonly ratio: number }
const { contrasts } = (await import('../support/contrasts.js' as string)) as {
  contrasts: (texts: string) => Contrast[]
}

describe.skipIf(!hasBrowser).each(PAGES)('the page of %s', (_, html) => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser?.close())

  it('is as wide as the window, and what is wider scrolls in its own box', async () => {
    const { page } = await open(browser, html)
    for (const width of [1280, 400]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
      const widths = await page.evaluate<number[]>(
        "[...document.querySelectorAll('svg')].map(svg => svg.getBoundingClientRect().width)"
      )
      expect(Math.min(...widths.filter(Boolean))).toBeGreaterThan(600)
    }
  })

  it.each(['light', 'dark'] as const)('can be read in %s', async colorScheme => {
    const { page } = await open(browser, html)
    await page.emulateMedia({ colorScheme })
    const found = await page.evaluate(contrasts, TEXTS)
    expect(found.length).toBeGreaterThan(60)
    expect(found.filter(({ ratio }) => ratio < 4.5)).toEqual([])
    const paper = await page.evaluate("getComputedStyle(document.querySelector('svg rect')).fill")
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(paper)
  })
})
