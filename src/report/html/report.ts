import { sha256 } from '@noble/hashes/sha2.js'
import { maximum } from '../../base/arrays.ts'
import { gantt } from '../svg/gantt.ts'
import { element, escapeText, text } from '../svg/markup.ts'
import { SCRIPT } from './script.ts'
import { STYLE } from './style.ts'
import type { Report, ReportSchedule, ReportTable } from './types.ts'

/**
 * A self-contained page: tables, every schedule on one time scale, charts. It works offline and without the script;
 * its policy allows no request and no script but its own, by hash; every text from the input is escaped.
 */
export function htmlReport(report: Report): string {
  const body = [
    element('h1', {}, text(report.title)),
    element('ul', { class: 'lead' }, ...report.lead.map(sentence => element('li', {}, text(sentence)))),
    ...report.tables.map(one => table(one, report)),
    report.schedules.length > 0 ? schedules(report) : '',
    report.charts.length > 0 ? charts(report) : '',
    report.details.length > 0 ? element('h2', {}, 'Figures') : '',
    ...report.details.map(one => table(one, report)),
    notes(report)
  ]
  return [
    '<!doctype html>',
    '<html lang="en">',
    head(report.title),
    element('body', {}, element('main', {}, ...body), element('script', {}, SCRIPT)),
    '</html>',
    ''
  ].join('\n')
}

function head(title: string): string {
  const policy = [
    "default-src 'none'",
    `script-src '${sourceHash(SCRIPT)}'`,
    `style-src '${sourceHash(STYLE)}'`,
    "base-uri 'none'",
    "form-action 'none'"
  ].join('; ')
  return [
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${escapeText(policy)}">`,
    '<meta name="referrer" content="no-referrer">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    element('title', {}, text(title)),
    element('style', {}, STYLE),
    '</head>'
  ].join('\n')
}

/** Hash source of a content security policy for the exact text of an inline element. */
export function sourceHash(content: string): string {
  const digest = sha256(new TextEncoder().encode(content))
  return `sha256-${btoa(String.fromCharCode(...digest))}`
}

function table(of: ReportTable, { schedules, after }: Pick<Report, 'schedules' | 'after'>): string {
  const ids = new Set(schedules.map(schedule => schedule.id))
  const wordy = of.head.map((_, column) => column > 0 && !of.rows.some(row => isFigure(row[column])))
  const cell = (value: string, column: number) => {
    if (column === 0 && ids.has(value))
      return element('td', {}, element('button', { type: 'button', 'data-show': value }, text(value)))
    return element('td', { class: column === 0 || isFigure(value) ? undefined : wordsClass(value) }, text(value))
  }
  const rows = of.rows.map(row => element('tr', { class: row[0] === after ? 'best' : undefined }, ...row.map(cell)))
  const heads = of.head.map((name, column) =>
    element('th', { scope: 'col', class: wordy[column] ? 'words' : undefined }, text(name))
  )
  const notes = (of.notes ?? []).map(note => element('li', {}, text(note)))
  return element(
    'div',
    { class: 'wide' },
    element(
      'table',
      {},
      element('caption', {}, text(of.caption)),
      element('thead', {}, element('tr', {}, ...heads)),
      element('tbody', {}, ...rows)
    ),
    notes.length > 0 ? element('ul', { class: 'marks' }, ...notes) : ''
  )
}

/** Long texts may break; short ones stay on one line. */
function wordsClass(value: string): string {
  return value.length > 24 ? 'words' : 'words short'
}

/** Numbers, with their unit, stand right; words stand left. */
function isFigure(value: string): boolean {
  return /^[-+\u2212]?[\d.,]+( [\w%]{1,5}|[x%])?$/.test(value) || value === '-'
}

function schedules(report: Report): string {
  const horizon = maximum(report.schedules.map(schedule => schedule.picture.makespan))
  return element(
    'section',
    { id: 'schedules', 'aria-label': 'Schedules' },
    element('h2', {}, 'Schedules'),
    controls(report),
    element('div', {}, ...report.schedules.map((schedule, index) => figure(schedule, index, horizon))),
    element('p', { class: 'details', id: 'details', 'aria-live': 'polite', hidden: true }, HINT)
  )
}

const HINT = 'Hover over an event, or focus a picture and use the arrow keys, to see what it is.'

function figure({ title, id, picture, facts }: ReportSchedule, index: number, horizon: number): string {
  const svg = gantt(picture, { title: `${id}: ${title}`, horizon, prefix: `gantt-${index}`, compact: true })
  const list = facts.map(fact =>
    element('div', {}, element('dt', {}, text(fact.name)), element('dd', {}, text(fact.value)))
  )
  return element(
    'figure',
    { class: 'schedule', 'data-id': id },
    element(
      'figcaption',
      {},
      element('strong', {}, element('span', { class: 'role' }, ''), text(id)),
      element('dl', { class: 'facts' }, ...list)
    ),
    element('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': `Schedule ${id}` }, svg)
  )
}

function controls(report: Report): string {
  const options = (chosen: string | undefined) =>
    report.schedules.map(({ id }) => element('option', { value: id, selected: id === chosen }, text(id))).join('')
  const select = (id: string, label: string, content: string) =>
    element('label', {}, label, element('select', { id }, content))
  const button = (id: string, label: string, content: string) =>
    element('button', { type: 'button', id, 'aria-label': label }, content)
  const after = report.after ?? report.schedules[0].id
  return element(
    'div',
    { class: 'controls', hidden: true },
    select('before', 'Before', element('option', { value: '' }, 'nothing') + options(report.before)),
    select('after', 'After', options(after)),
    element(
      'span',
      { role: 'group', 'aria-label': 'Zoom' },
      button('out', 'Zoom out', '\u2212'),
      ' ',
      button('fit', 'Fit', 'Fit'),
      ' ',
      button('in', 'Zoom in', '+'),
      ' ',
      element('output', { id: 'zoom' }, '100 %')
    ),
    element(
      'span',
      {},
      '<kbd>+</kbd> <kbd>\u2212</kbd> <kbd>0</kbd> zoom, <kbd>x</kbd> swap, <kbd>\u2190\u2191\u2192\u2193</kbd> walk'
    )
  )
}

function charts(report: Report): string {
  const figures = report.charts.map(chart =>
    element(
      'figure',
      {},
      element('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': chart.caption }, chart.svg),
      element('figcaption', {}, text(chart.caption))
    )
  )
  return element(
    'section',
    { 'aria-label': 'Charts' },
    element('h2', {}, 'Charts'),
    element('div', { class: 'charts' }, ...figures)
  )
}

function notes(report: Report): string {
  if (report.notes.length === 0) return ''
  const items = report.notes.map(note => element('li', {}, text(note)))
  return element(
    'section',
    { 'aria-label': 'Definitions' },
    element('h2', {}, 'Definitions'),
    element('ul', { class: 'notes' }, ...items)
  )
}
