import { fail } from '../../base/fault.ts'
import { parseCsv } from './csv.ts'
import { readKernelDetails, readStageTimes, readStepTrace, tableKind } from './tables.ts'
import { readTrace } from './trace.ts'
import type { ProfileFile, ProfilePart } from './types.ts'

/** Reads one file of a profile, whatever it is; `order` is its place among the files, the rank where nothing else says. */
export function readProfileFile(file: ProfileFile, order: number): ProfilePart {
  if (/^\s*[[{]/.test(file.text)) return readTrace(file)
  const [header = []] = parseCsv(file.text.slice(0, 20_000))
  switch (tableKind(header)) {
    case 'stage-times':
      return readStageTimes(file)
    case 'step-trace':
      return readStepTrace(file, order)
    case 'kernel-details':
      return readKernelDetails(file, order)
    case undefined:
      return fail(
        'PROFILE_UNKNOWN',
        file.name,
        header.slice(0, 6).join(','),
        'this is no profile that can be read',
        'Give a PyTorch or Ascend trace (JSON), step_trace_time.csv, kernel_details.csv, or a CSV kind,stage,microbatch,duration.'
      )
  }
}

/** All files of a profile together. */
export function readProfile(files: readonly ProfileFile[]): ProfilePart {
  const parts = files.map(readProfileFile)
  return {
    spans: parts.flatMap(part => part.spans),
    totals: parts.flatMap(part => part.totals),
    notes: parts.flatMap(part => part.notes)
  }
}
