import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { runHere } from './memory-io.ts'

/** Each sentence on one line. */
const wide = (args: readonly string[]) => runHere(args, { columns: 1000 })

const root = fileURLToPath(new URL('../../instances/', import.meta.url))
const bundled = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.yaml'))
  .sort()

describe('three sentences in one command, for every bundled instance', () => {
  const folder = mkdtempSync(join(tmpdir(), 'verdict-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  let [answered, proved] = [0, 0]

  it.each(bundled)('%s', async path => {
    const stem = join(folder, path.replaceAll('/', '-'))
    const page = `${stem}.html`
    const { code, stdout } = await wide([
      'compare',
      join(root, path),
      ...['--families', 'inline,1f1b,transpose-full,transpose-greedy', '--time-limit', '1s', '--html', page, '--quiet']
    ])
    expect(code).toBe(0)
    expect(statSync(page).size).toBeLessThan(600_000)
    const lead = readFileSync(page, 'utf8')
    if (!/Here is the file to run it/.test(stdout)) {
      // Proven to have none, or none within a second.
      expect(stdout).toMatch(
        /^(It is proven that no schedule .* exists: .*rank \d.*|No schedule was found .*: unknown)\.$/m
      )
      return
    }
    answered++
    if (/^It is proven/m.test(stdout)) proved++
    expect(stdout).toMatch(
      /^The (optimum|best schedule found) is ([\d.]+ % (faster|slower) than \S+ \(.* to .*\)|no faster than .*)\.$/m
    )
    expect(stdout).toMatch(/^It is (proven|not proven): no schedule of problem "placement" takes less than .*\.$/m)
    const file = /^Here is the file to run it: (\S+)/m.exec(stdout)?.[1] as string
    expect(lead).toContain('Here is the file to run it: ')
    const check = await runHere(['prove', file, '--instance', join(root, path)])
    expect(check.stdout).toMatch(/^legal:/)
  })

  it('holds for nearly all of them, most proven', () => {
    expect(bundled.length).toBeGreaterThanOrEqual(19)
    expect(answered).toBeGreaterThanOrEqual(bundled.length - 2)
    expect(proved).toBeGreaterThanOrEqual(8)
  })
})
