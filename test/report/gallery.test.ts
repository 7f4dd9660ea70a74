import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compareSchedules } from '../../src/compare/compare.ts'
import { idleOf } from '../../src/compare/metrics.ts'
import { familyById } from '../../src/heuristics/index.ts'
import { parseInstance } from '../../src/instance/index.ts'
import { pictureOf } from '../../src/report/picture.ts'
import { gantt } from '../../src/report/svg/gantt.ts'
import { CAUSE_WORDS } from '../../src/schedule/idle.ts'

const root = resolve(import.meta.dirname, '../..')
const page = readFileSync(resolve(root, 'docs/gallery.md'), 'utf8')
const figures = [...page.matchAll(/\]\(figures\/([^)]+)\)/g)].map(([, file]) => file)

describe('gallery', () => {
  it('shows every figure that the script drew, and no other', () => {
    expect([...new Set(figures)].sort()).toEqual(readdirSync(resolve(root, 'docs/figures')).sort())
    expect(figures.length).toBeGreaterThan(7)
    expect(readFileSync(resolve(root, 'README.md'), 'utf8')).toContain('docs/gallery.md')
  })

  it('is what the code draws today (`npm run gallery` writes it)', () => {
    const text = readFileSync(resolve(root, 'instances/smoke/frozen-4x8-e15.yaml'), 'utf8')
    const parsed = parseInstance(text, 'yaml')
    if (!parsed.ok) throw new Error('the instance has faults')
    const families = ['inline', 'transpose-full'].map(id => familyById(id)!)
    const { schedules } = compareSchedules(parsed.measured, { families })
    const horizon = Math.max(...schedules.map(row => row.document.makespan))
    for (const row of schedules) {
      const idle = idleOf(row).map(one => ({ ...one, cause: CAUSE_WORDS[one.cause] }))
      const picture = pictureOf(row.problem, row.schedule, idle)
      const file = resolve(root, `docs/figures/frozen-4x8-e15-${row.id}.svg`)
      expect(existsSync(file)).toBe(true)
      expect(readFileSync(file, 'utf8')).toBe(`${gantt(picture, { title: `${row.id}: ${row.title}`, horizon })}\n`)
    }
  })
})
