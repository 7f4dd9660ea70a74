import type { Compared, RowSchedule } from '../compare/compare.ts'
import { idleOf } from '../compare/metrics.ts'
import { orderOfDocument, writerById } from '../formats/index.ts'
import { comparisonReport } from '../report/html/comparison.ts'
import { htmlReport } from '../report/html/report.ts'
import { pictureOf } from '../report/picture.ts'
import type { RunnableFile } from '../report/text/verdict.ts'
import { hasEncoderParts } from '../schedule/foreign.ts'
import { CAUSE_WORDS } from '../schedule/idle.ts'
import { checkOrder } from '../verify/transport/check.ts'
import type { Io } from './io.ts'

/** Formats in which the best schedule is written beside the page, as far as they can express it. */
const RUNNABLE = ['schedule', 'hyper-parallel', 'torch-csv'] as const

/** Writes the page of a comparison, and beside it the best schedule in every format that can say it. */
export async function writePage(io: Io, output: string, compared: Compared): Promise<readonly RunnableFile[]> {
  const best = compared.schedules.find(schedule => schedule.id === 'optimum' || schedule.id === 'best')
  const files = best ? await writeRunnable(io, output, best) : []
  const pictures = compared.schedules.map(schedule => ({
    id: schedule.id,
    title: schedule.title,
    picture: pictureOf(
      schedule.problem,
      schedule.schedule,
      idleOf(schedule).map(idle => ({ ...idle, cause: CAUSE_WORDS[idle.cause] }))
    )
  }))
  await io.write(output, htmlReport(comparisonReport(compared.comparison, pictures, files.map(withoutFolder))))
  return files
}

/** The files lie beside the page, so the page names them without their folder. */
function withoutFolder({ path, format }: RunnableFile): RunnableFile {
  return { path: path.replace(/^.*[/\\]/, ''), format }
}

async function writeRunnable(io: Io, output: string, { document }: RowSchedule): Promise<RunnableFile[]> {
  const stem = output.replace(/\.[^./\\]*$/, '')
  const order = orderOfDocument(document)
  const written: RunnableFile[] = []
  for (const format of RUNNABLE) {
    const writer = writerById(format)
    if (!writer || (writer.runs && (hasEncoderParts(order) || checkOrder(order).violations.length > 0))) continue
    const result = writer.write({ order, document })
    if (!result.ok) continue
    for (const { suffix, text } of result.files) {
      const ending = format === 'torch-csv' ? 'csv' : 'json'
      const path = suffix === '' ? `${stem}.${format}.${ending}` : `${stem}.${format}${suffix}`
      await io.write(path, text)
      if (suffix === '') written.push({ path, format })
    }
  }
  return written
}
