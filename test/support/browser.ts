import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'

/** Where Debian puts Chromium. */
const CHROMIUM = '/usr/bin/chromium'

/** Whether the browser tests can run here; `.ci/run` installs what they need. */
export const hasBrowser = existsSync(CHROMIUM)

/** Starts the browser without any network. */
export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
}

/** A page with the given content, and everything that it asked for, logged or failed at. */
export async function open(browser: Browser, html: string): Promise<{ readonly page: Page; readonly noise: string[] }> {
  const page = await browser.newPage({ viewport: { width: 1300, height: 900 } })
  page.setDefaultTimeout(10_000)
  const noise: string[] = []
  page.on('console', message => noise.push(`console: ${message.text()}`))
  page.on('pageerror', error => noise.push(`error: ${error.message}`))
  page.on('dialog', dialog => {
    noise.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  await page.route('**/*', route => {
    if (route.request().url() === PAGE) return route.fulfill({ contentType: 'text/html; charset=utf-8', body: html })
    noise.push(`request: ${route.request().url()}`)
    return route.abort()
  })
  await page.goto(PAGE)
  return { page, noise }
}

/** An address that only the test answers. */
const PAGE = 'http://report.test/'
