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

type Opened = { readonly page: Page; readonly noise: string[] }

const pages = new WeakMap<Browser, { readonly page: Page; html: string; readonly noise: string[] }>()

/** The given content in the browser's one page, and everything that it asks for, logs or fails at from now on. */
export async function open(browser: Browser, html: string): Promise<Opened> {
  const opened = pages.get(browser) ?? (await firstPage(browser))
  opened.html = html
  opened.noise.length = 0
  await opened.page.emulateMedia({ media: null })
  await opened.page.goto(PAGE)
  return opened
}

async function firstPage(browser: Browser) {
  const page = await browser.newPage({ viewport: { width: 1300, height: 900 } })
  page.setDefaultTimeout(20_000)
  const opened = { page, html: '', noise: [] as string[] }
  const { noise } = opened
  page.on('console', message => noise.push(`console: ${message.text()}`))
  page.on('pageerror', error => noise.push(`error: ${error.message}`))
  page.on('dialog', dialog => {
    noise.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  await page.route('**/*', route => {
    if (route.request().url() === PAGE)
      return route.fulfill({ contentType: 'text/html; charset=utf-8', body: opened.html })
    noise.push(`request: ${route.request().url()}`)
    return route.abort()
  })
  pages.set(browser, opened)
  return opened
}

/** An address that only the test answers. */
const PAGE = 'http://report.test/'
