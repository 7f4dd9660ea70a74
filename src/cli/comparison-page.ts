import type { RowSchedule, Sketched } from '../compare/compare.ts'
import { idleOf } from '../compare/metrics.ts'
import { orderOfDocument, writerById } from '../formats/index.ts'
import { comparisonReport } from '../report/html/comparison.ts'
import { htmlReport } from '../report/html/report.ts'
import { type Picture, pictureOf } from '../report/picture.ts'
import type { RefusedFormat, RunnableFile } from '../report/text/verdict.ts'
import { hasEncoderParts } from '../schedule/foreign.ts'
import { CAUSE_WORDS } from '../schedule/idle.ts'
import { checkOrder } from '../verify/transport/check.ts'
import type { Io } from './io.ts'

/** Formats in which the best schedule is written beside the page, as far as they can express it. */
const RUNNABLE = ['schedule', 'hyper-parallel', 'torch-csv'] as const

/** Files that were written, and the formats that cannot say the schedule. */
export type Runnable = { readonly files: readonly RunnableFile[]; readonly refused: readonly RefusedFormat[] }

const NOTHING: Runnable = { files: [], refused: [] }

/** Writes the page of a comparison, and beside it the best schedule in every format that can say it. */
export async function writePage(io: Io, output: string, compared: Sketched): Promise<Runnable> {
  const best = compared.sketches.find(({ id }) => id === 'optimum' || id === 'best')
  const { files, refused } = best ? await writeRunnable(io, output, best.schedule()) : NOTHING
  const pictures = compared.sketches.map(({ schedule, ...sketch }) => ({ ...sketch, picture: () => drawn(schedule()) }))
  const report = comparisonReport(compared.comparison, pictures, files.map(withoutFolder), refused)
  await io.write(output, htmlReport(report))
  return { files, refused }
}

function drawn(schedule: RowSchedule): Picture {
  const idle = idleOf(schedule).map(one => ({ ...one, cause: CAUSE_WORDS[one.cause] }))
  return pictureOf(schedule.problem, schedule.schedule, idle)
}

/** The files lie beside the page, so the page names them without their folder. */
function withoutFolder({ path, format }: RunnableFile): RunnableFile {
  return { path: path.replace(/^.*[/\\]/, ''), format }
}

async function writeRunnable(io: Io, output: string, { document }: RowSchedule): Promise<Runnable> {
  const stem = output.replace(/\.[^./\\]*$/, '')
  const order = orderOfDocument(document)
  const files: RunnableFile[] = []
  const refused: RefusedFormat[] = []
  for (const format of RUNNABLE) {
    const writer = writerById(format)
    if (!writer || (writer.runs && !hasEncoderParts(order) && checkOrder(order).violations.length > 0)) continue
    if (writer.runs && hasEncoderParts(order)) {
      refused.push({ format, why: 'encoder work of one microbatch in several parts' })
      continue
    }
    const result = writer.write({ order, document })
    if (!result.ok) {
      refused.push({ format, why: result.faults[0].message })
      continue
    }
    for (const { suffix, text } of result.files) {
      const ending = format === 'torch-csv' ? 'csv' : 'json'
      const path = suffix === '' ? `${stem}.${format}.${ending}` : `${stem}.${format}${suffix}`
      await io.write(path, text)
      if (suffix === '') files.push({ path, format })
    }
  }
  return { files, refused }
}
