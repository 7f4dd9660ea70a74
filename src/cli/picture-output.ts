import { type Fault, FaultError, fail } from '../base/fault.ts'
import { htmlReport } from '../report/html/report.ts'
import { type Picture, pictureOf, pictureOfDocument } from '../report/picture.ts'
import { gantt, summary } from '../report/svg/gantt.ts'
import { buildProblem } from '../schedule/build.ts'
import { fromDocument, type ScheduleDocument } from '../schedule/document.ts'
import { CAUSE_WORDS, idleIntervals } from '../schedule/idle.ts'
import type { Measured } from '../schedule/measured.ts'
import { verify } from '../verify/verify.ts'
import { EXIT, type ExitCode } from './exit.ts'
import { loadInstance, loadSchedule } from './inputs.ts'
import type { Io } from './io.ts'
import { loadOrder, timeOrder } from './order-input.ts'

/** What `convert` draws instead of writing for a runtime. */
export const PICTURES: readonly string[] = ['svg', 'html']

type PictureOptions = {
  readonly to: string | undefined
  readonly from: string | undefined
  readonly instance: string | undefined
  readonly output: string | undefined
}

/**
 * Draws a schedule. With its instance (given, or inside the result) the picture has memory curves, critical path and
 * causes of idle time, and an illegal schedule is refused; alone it has the events only.
 */
export async function drawPicture(io: Io, path: string, options: PictureOptions): Promise<ExitCode> {
  const { document, measured } = await loadTimed(io, path, options)
  const verdict = measured ? verify(measured, document) : undefined
  if (verdict && !verdict.legal) {
    for (const { code, message, advice } of verdict.violations) io.err(`${code}: ${message}\n  ${advice}\n`)
    return EXIT.no
  }
  const picture = measured ? fullPicture(measured, document) : pictureOfDocument(document)
  const title = measured?.name ?? 'schedule'
  const text = options.to === 'svg' ? `${gantt(picture, { title })}\n` : page(picture, title)
  if (options.output === undefined) io.out(text)
  else await io.write(options.output, text)
  return EXIT.done
}

function fullPicture(measured: Measured, document: ScheduleDocument): Picture {
  const split = document.ranks.some(events => events.some(event => event.kind === 'I'))
  const problem = buildProblem(measured, { split })
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
  const { order, document } = await loadOrder(io, path, from)
  if (instance !== undefined) {
    const { measured } = await loadInstance(io, instance)
    return { document: document ?? timeOrder(measured, order), measured }
  }
  if (!document)
    return fail('NEEDS_TIMES', path, undefined, 'the order has no times', 'Give --instance FILE to time it.')
  const embedded = path === '-' ? undefined : await embeddedInstance(io, path)
  return { document, ...(embedded ? { measured: embedded } : {}) }
}

/** The instance that a result carries along, if the file is one. */
async function embeddedInstance(io: Io, path: string): Promise<Measured | undefined> {
  try {
    return (await loadSchedule(io, path, undefined)).instance.measured
  } catch (error) {
    const missing = (fault: Fault) => fault.code === 'MISSING_INSTANCE'
    if (error instanceof FaultError && error.faults.every(missing)) return undefined
    throw error
  }
}
