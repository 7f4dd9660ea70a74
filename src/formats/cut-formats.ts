import type { Fault } from '../base/fault.ts'
import type { Cut } from './cut.ts'
import { cutOfLayout, layoutFaults, layoutOfCut, parseLayout } from './megatron-layout.ts'
import { readMindspeed, writeMindspeed } from './mindspeed-mm.ts'
import { refuse, type WriteResult } from './types.ts'

/** A cut that was read, or every fault. */
export type CutResult =
  | { readonly ok: true; readonly cut: Cut }
  | { readonly ok: false; readonly faults: readonly Fault[] }

/** Reads and writes the cut of a model; a layout string says nothing of ranks, so they are given. */
export type CutFormat = {
  readonly id: string
  readonly title: string
  readonly detect: (text: string) => boolean
  readonly read: (text: string, ranks: number | undefined) => CutResult
  readonly write: (cut: Cut) => WriteResult
}

const megatronLayout: CutFormat = {
  id: 'megatron-layout',
  title: 'Megatron --pipeline-model-parallel-layout string',
  detect: text => /^\s*E[Etm|L(),*\d]*\s*$/.test(text.slice(0, 10_000)),
  read: (text, ranks) => {
    const parsed = parseLayout(text)
    if (!parsed.ok) return parsed
    const size = ranks ?? parsed.stages.length
    const faults = layoutFaults(parsed.stages, { ranks: size })
    return faults.length > 0 ? { ok: false, faults } : { ok: true, cut: cutOfLayout(parsed.stages, size) }
  },
  write: cut => {
    const written = layoutOfCut(cut)
    if (!written.ok) return written
    return { ok: true, files: [{ suffix: '', text: `${written.text}\n` }], notes: written.notes }
  }
}

const mindspeedMm: CutFormat = {
  id: 'mindspeed-mm',
  title: 'MindSpeed-MM pipeline_num_layers (part of model.json) and the weight converter lists',
  detect: text => text.includes('"pipeline_num_layers"'),
  read: (text, ranks) => {
    const result = readMindspeed(text)
    if (!result.ok || ranks === undefined || result.cut.ranks === ranks) return result
    const message = `the lists are for ${result.cut.ranks} ranks, not ${ranks}`
    return refuse('RANKS', '--ranks', ranks, message, 'Leave --ranks out.') as CutResult
  },
  write: cut => {
    const written = writeMindspeed(cut)
    if (!written.ok) return written
    const files = [
      { suffix: '', text: written.modelJson },
      { suffix: '.converter.txt', text: written.converter }
    ]
    return { ok: true, files, notes: written.notes }
  }
}

/** Everything that reads and writes cuts. */
export const CUT_FORMATS: readonly CutFormat[] = [megatronLayout, mindspeedMm]
