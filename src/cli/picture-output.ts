import { fail } from '../base/fault.ts'
import { htmlReport } from '../report/html/report.ts'
import { type Picture, pictureOf, pictureOfDocument } from '../report/picture.ts'
import { gantt, summary } from '../report/svg/gantt.ts'
import { fromDocument, type ScheduleDocument } from '../schedule/document.ts'
import { problemOfDocument } from '../schedule/document-problem.ts'
import { CAUSE_WORDS, idleIntervals } from '../schedule/idle.ts'
import type { Measured } from '../schedule/measured.ts'
import { verify } from '../verify/verify.ts'
import { type Conversion, converted, refused } from './conversion.ts'
import type { Io } from './io.ts'
import { instanceFor, loadOrder, timeOrder } from './order-input.ts'

/** What `convert` draws instead of writing for a runtime. */
export const PICTURES: readonly string[] = ['svg', 'html']

type PictureOptions = {
  readonly to: string | undefined
  readonly from: string | undefined
  readonly instance: string | undefined
}

/**
 * Draws a schedule. With its instance (given, or inside the result) the picture has memory curves, critical path and
 * causes of idle time, and an illegal schedule is refused; alone it has the events only.
 */
export async function drawPicture(io: Io, path: string, options: PictureOptions): Promise<Conversion> {
  const { document, measured } = await loadTimed(io, path, options)
  const verdict = measured ? verify(measured, document) : undefined
  if (verdict && !verdict.legal) return refused(verdict.violations)
  const picture = measured ? fullPicture(measured, document) : pictureOfDocument(document)
  const title = measured?.name ?? 'schedule'
  return converted(options.to === 'svg' ? `${gantt(picture, { title })}\n` : page(picture, title))
}

function fullPicture(measured: Measured, document: ScheduleDocument): Picture {
  const problem = problemOfDocument(measured, document)
  const schedule = fromDocument(problem, document)
  const idle = idleIntervals(problem, schedule).map(one => ({ ...one, cause: CAUSE_WORDS[one.cause] }))
  return pictureOf(problem, schedule, idle)
}

function page(picture: Picture, title: string): string {
  return htmlReport({
    title,
    lead: [summary(picture)],
    tables: [],
    details: [],
    schedules: [{ id: 'schedule', title, picture, facts: [] }],
    after: 'schedule',
    charts: [],
    notes: ['makespan: the latest end of any event, broadcast or reduction, counted from 0.']
  })
}

async function loadTimed(
  io: Io,
  path: string,
  { from, instance }: PictureOptions
): Promise<{ document: ScheduleDocument; measured?: Measured }> {
  const { order, document, text } = await loadOrder(io, path, from)
  const measured = (await instanceFor(io, text, instance))?.measured
  if (measured) return { document: document ?? timeOrder(measured, order), measured }
  if (document) return { document }
  return fail('NEEDS_TIMES', path, undefined, 'the order has no times', 'Give --instance FILE to time it.')
}
