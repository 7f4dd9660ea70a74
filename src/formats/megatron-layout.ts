import { range, sum } from '../base/arrays.ts'
import type { Fault } from '../base/fault.ts'
import type { Cut } from './cut.ts'
import { type TextFault, textFault } from './types.ts'

/** What one pipeline stage of a layout holds: letters E (embedding), t (decoder layer), m (MTP layer), L (loss). */
export type LayoutStage = { readonly E: number; readonly t: number; readonly m: number; readonly L: number }

export type LayoutResult =
  | { readonly ok: true; readonly stages: readonly LayoutStage[] }
  | { readonly ok: false; readonly faults: readonly TextFault[] }

const MOST_LETTERS = 100_000

type Letter = { readonly letter: string; readonly column: number }

/**
 * Parses Megatron's `--pipeline-model-parallel-layout`: commas are cosmetic, `(...)*n` and `x*n` repeat (`x` any
 * character, `|` included), `|` ends a stage; empty stages are allowed. Only the grammar: see `layoutFaults`.
 */
export function parseLayout(text: string): LayoutResult {
  const clean = text.trim()
  const letters = expand(clean)
  if (!Array.isArray(letters)) return { ok: false, faults: [letters as TextFault] }
  const wrong = (letters as readonly Letter[]).find(({ letter }) => !'EtmL|'.includes(letter))
  if (wrong)
    return { ok: false, faults: [fault(wrong.column, wrong.letter, `"${wrong.letter}" is no letter of a layout`)] }
  const stages = (letters as readonly Letter[])
    .map(({ letter }) => letter)
    .join('')
    .split('|')
  return { ok: true, stages: stages.map(countLetters) }
}

function fault(column: number, value: string, message: string): TextFault {
  return textFault(
    'BAD_LAYOUT',
    1,
    column,
    value,
    message,
    'Letters are E, t, m and L; | ends a stage; x*n and (...)*n repeat.'
  )
}

function countLetters(stage: string): LayoutStage {
  const count = (letter: string) => stage.split(letter).length - 1
  return { E: count('E'), t: count('t'), m: count('m'), L: count('L') }
}

/** The letters with repetitions written out, or the fault. */
function expand(text: string): readonly Letter[] | TextFault {
  const out: Letter[] = []
  for (let at = 0; at < text.length; ) {
    const letter = text[at]
    const column = at + 1
    if (letter === ',') {
      at++
      continue
    }
    const end = letter === '(' ? text.indexOf(')', at) : at
    const repeat = end < 0 ? null : /^,*\*,*(\d{1,6})/.exec(text.slice(end + 1, end + 24))
    if (letter === '(') {
      const inner = end < 0 ? '(' : text.slice(at + 1, end)
      if (inner.includes('(')) return fault(column, letter, 'a parenthesis without its end, or one inside another')
      if (!repeat) return fault(column, letter, 'a parenthesis must be repeated: (...)*n')
    }
    const body = letter === '(' ? expand(text.slice(at + 1, end)) : [{ letter, column }]
    if (!Array.isArray(body)) return shifted(body as TextFault, at + 1)
    const times = repeat ? Number(repeat[1]) : 1
    if (times < 1) return fault(column, letter, 'a repetition of 0')
    if (out.length + times * body.length > MOST_LETTERS)
      return fault(column, letter, `more than ${MOST_LETTERS} letters`)
    for (let i = 0; i < times; i++) out.push(...(body as readonly Letter[]))
    at = end + 1 + (repeat ? repeat[0].length : 0)
  }
  return out
}

function shifted(inner: TextFault, by: number): TextFault {
  return { ...inner, column: inner.column + by, path: `row 1, column ${inner.column + by}` }
}

/** What the runtime is configured for, as far as it is known. */
export type LayoutSize = { readonly ranks: number; readonly layers?: number; readonly mtpLayers?: number }

/**
 * What stock Megatron refuses of a layout: stages must fill the ranks; E first and L last, one each; all t, if their
 * number is known; MTP layers in one stage, after all t, in the last chunk of a rank other than the first (or the very
 * last stage).
 */
export function layoutFaults(stages: readonly LayoutStage[], size: LayoutSize): Fault[] {
  const faults: Fault[] = []
  const add = (code: string, value: unknown, message: string, advice: string) =>
    faults.push({ code, path: 'layout', value, message, advice })
  const total = (letter: keyof LayoutStage) => sum(stages.map(stage => stage[letter]))
  if (stages.length % size.ranks !== 0)
    add(
      'STAGES',
      stages.length,
      `${stages.length} stages do not fill ${size.ranks} ranks evenly`,
      'Add or remove a stage bar.'
    )
  if (total('E') !== 1 || stages[0].E !== 1)
    add('EMBEDDING', total('E'), 'there must be one E, at the very start', 'Start with E.')
  const last = stages[stages.length - 1]
  if (total('L') !== 1 || last.L !== 1) {
    const why =
      total('L') > 1
        ? 'a split loss needs an extension that stock Megatron lacks'
        : 'there must be one L, at the very end'
    add('LOSS', total('L'), why, 'End with one L.')
  }
  if (size.layers !== undefined && total('t') !== size.layers)
    add(
      'LAYERS',
      total('t'),
      `${total('t')} of ${size.layers} layers placed`,
      'Make the number of t the number of layers.'
    )
  if (size.mtpLayers !== undefined && total('m') !== size.mtpLayers)
    add(
      'LAYERS',
      total('m'),
      `${total('m')} of ${size.mtpLayers} MTP layers placed`,
      'Make the number of m that of the MTP layers.'
    )
  return [...faults, ...mtpFaults(stages, size.ranks)]
}

function mtpFaults(stages: readonly LayoutStage[], ranks: number): Fault[] {
  const holders = range(stages.length).filter(stage => stages[stage].m > 0)
  if (holders.length === 0) return []
  const [stage] = holders
  const lastText = stages.findLastIndex(({ t }) => t > 0)
  const inLastChunk = stage >= stages.length - ranks
  if (holders.length === 1 && stage >= lastText && inLastChunk && (stage % ranks !== 0 || stage === stages.length - 1))
    return []
  const message = 'the MTP layers must be in one stage, after all t, in the last chunk of a rank other than the first'
  return [
    {
      code: 'MTP',
      path: 'layout',
      value: holders,
      message,
      advice: 'Move all m into the last stage, or the one before.'
    }
  ]
}

/** Prints a layout in the shortest of the obvious ways: runs of letters as `t*n`, runs of equal stages as `(...|)*n`. */
export function printLayout(stages: readonly LayoutStage[]): string {
  const texts = stages.map(stageText)
  let out = ''
  for (let at = 0; at < texts.length; ) {
    let end = at
    while (end + 1 < texts.length && texts[end + 1] === texts[at]) end++
    const isEnd = end === texts.length - 1
    const repeated = end - at + (isEnd ? 0 : 1)
    out +=
      repeated > 1
        ? texts[at] === ''
          ? `|*${repeated}`
          : `(${texts[at]}|)*${repeated}`
        : `${texts[at]}|`.repeat(repeated)
    if (isEnd) out += texts[end]
    at = end + 1
  }
  return out
}

function stageText({ E, t, m, L }: LayoutStage): string {
  const run = (letter: string, count: number) => (count > 2 ? `${letter}*${count}` : letter.repeat(count))
  return run('E', E) + run('t', t) + run('m', m) + run('L', L)
}

/** The text layers of a layout as a cut over P ranks. */
export function cutOfLayout(stages: readonly LayoutStage[], ranks: number): Cut {
  const perStage = stages.map(stage => stage.t)
  return { ranks, stages: stages.length, modules: [{ name: 'text', layers: sum(perStage), perStage }] }
}

/** A cut as a layout string, or why Megatron cannot express it: encoders have no letter. */
export function layoutOfCut(
  cut: Cut
): { ok: true; text: string; notes: readonly string[] } | { ok: false; faults: Fault[] } {
  const encoder = cut.modules.find(module => module.name !== 'text' && sum(module.perStage) > 0)
  const text = cut.modules.find(module => module.name === 'text')
  if (encoder || !text) {
    const message = encoder ? `a layout has no letter for ${encoder.name} layers` : 'there are no text layers'
    return {
      ok: false,
      faults: [
        {
          code: 'NOT_EXPRESSIBLE',
          path: 'layout',
          value: encoder?.name,
          message,
          advice: 'Place encoders by the model code (Megatron), or export to mindspeed-mm.'
        }
      ]
    }
  }
  const stages = text.perStage.map((t, stage) => ({
    E: stage === 0 ? 1 : 0,
    t,
    m: 0,
    L: stage === cut.stages - 1 ? 1 : 0
  }))
  const faults = layoutFaults(stages, { ranks: cut.ranks, layers: text.layers })
  if (faults.length > 0) return { ok: false, faults }
  return { ok: true, text: printLayout(stages), notes: layoutNotes(cut) }
}

function layoutNotes(cut: Cut): string[] {
  const chunks = cut.stages / cut.ranks
  const notes = [
    'Do not give --num-layers-per-virtual-pipeline-stage or --num-virtual-stages-per-pipeline-rank with a layout.'
  ]
  if (chunks > 1 && cut.ranks === 2)
    notes.push(
      'Two ranks with several chunks: keep --overlap-p2p-communication on, since both neighbours are the same peer.'
    )
  return notes
}

/**
 * Whether Megatron takes N as `--microbatch-group-size-per-virtual-pipeline-stage`: P <= N <= M, and what M leaves over N
 * is nothing or at least P. A text says why not.
 */
export function groupSizeFault(ranks: number, microbatches: number, group: number): string | undefined {
  if (group < ranks || group > microbatches) return `the group must be ${ranks} .. ${microbatches}`
  const rest = microbatches % group
  return rest === 0 || rest >= ranks
    ? undefined
    : `the last group would have ${rest} microbatches, fewer than ${ranks} ranks`
}
