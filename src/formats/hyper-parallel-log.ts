import { groupBy, range } from '../base/arrays.ts'
import type { Action, Position } from '../schedule/foreign.ts'
import { orderOfSteps } from './hyper-parallel-order.ts'
import { actionsOfStep, type Step } from './hyper-parallel-steps.ts'
import { LIMITS, MAX_FAULTS } from './limits.ts'
import { linesOf } from './rows.ts'
import { type Reader, type ReadResult, type TextFault, textFault } from './types.ts'

/** A line of the log: `rank=<r> step=<i>/<n> MetaStep(...)`, whatever the logger puts before it. */
const LINE = /rank=(\d{1,6}) step=(\d{1,9})\/(\d{1,9}) (?=MetaStep\()/
const NEARLY = /rank=\d+ step=|\bstep=\d+\/\d+|MetaStep\(|StepType\./
/** A step as it prints itself; those inside it follow behind. */
const STEP =
  /MetaStep\(type=(?:MetaStepType|MpipeStepType)\.(\w+), micro_index=(\d{1,6}|None), stage_index=(-?\d{1,6}|None)/g

/**
 * What hyper-parallel's scheduler logs at level DEBUG: the order that ran, one line per step and rank. Other lines are
 * passed over. Of several training steps the longest counts; the others have to agree with it. Its times are those at
 * which the host issued a step, so they are no durations.
 */
export const hyperParallelLogReader: Reader = {
  id: 'hyper-parallel-log',
  title: 'hyper-parallel debug log (the order that ran)',
  detect: text => LINE.test(text.slice(0, 1_048_576)),
  read: text => {
    if (text.length > LIMITS.characters)
      return refused(1, 'TOO_LARGE', text.length, 'the text is larger than 64 MB', 'Keep one training step.')
    const lines = linesOf(text)
    const damaged = lines.flatMap((line, index) => damageOf(line, index + 1) ?? [])
    if (damaged.length > 0) return { ok: false, faults: damaged.slice(0, MAX_FAULTS) }
    const logged = lines.flatMap((line, index) => loggedStep(line, index + 1) ?? [])
    return orderOf([...groupBy(logged, one => one.rank)].sort(([a], [b]) => a - b).map(([, own]) => own))
  }
}

/** A line that was one of the scheduler's, but cannot be read as such: passing it over would lose a step. */
function damageOf(line: string, row: number): TextFault | undefined {
  const near = NEARLY.exec(line)
  if (!near || LINE.test(line)) return undefined
  const advice = 'Write rank=<r> step=<i>/<n> MetaStep(...), or delete the line.'
  return textFault('BAD_LINE', row, near.index + 1, near[0], 'not a whole line of the scheduler', advice)
}

/** One step that a rank logged: its number among `count`, as the log counts. */
type Logged = {
  readonly rank: number
  readonly index: number
  readonly count: number
  readonly step: Step
  readonly at: Position
}

function loggedStep(line: string, row: number): Logged | undefined {
  const match = LINE.exec(line)
  if (!match) return undefined
  const at = { row, column: match.index + 1 }
  const [first, ...inner] = [...line.slice(match.index).matchAll(STEP)].map(stepOf)
  const [rank, index, count] = match.slice(1).map(Number)
  // What does not print as a step is one of unknown type, to be refused with its place.
  const from = match.index + match[0].length
  const step = first ?? { type: line.slice(from, from + 40), micro: null, stage: null }
  return { rank, index, count, step: inner.length > 0 ? { ...step, sub_steps: inner } : step, at }
}

function stepOf([, type, micro, stage]: RegExpMatchArray): Step {
  const numberOf = (text: string) => (text === 'None' ? null : Number(text))
  return { type, micro: numberOf(micro), stage: numberOf(stage) }
}

function orderOf(ranks: readonly (readonly Logged[])[]): ReadResult {
  const strange = ranks.findIndex(([{ rank }], index) => rank !== index)
  if (ranks.length === 0 || ranks.length > LIMITS.ranks || strange >= 0) {
    const found = strange >= 0 ? `there is no step of rank ${strange}` : `${ranks.length} ranks logged steps`
    const row = ranks[strange]?.[0].at.row ?? 1
    return refused(row, 'RANKS', ranks.length, found, 'Give the lines of one pipeline, ranks 0 .. P-1.')
  }
  const faults: TextFault[] = []
  const runs = ranks.map(own => oneTrainingStep(own, faults))
  const base = Math.min(...runs.map(run => run[0].index))
  const lists = runs.map(run => actionsOf(run, base, faults))
  if (faults.length > 0) return { ok: false, faults: faults.slice(0, MAX_FAULTS) }
  const order = orderOfSteps(
    lists.map(list => list.map(({ action }) => action)),
    lists.map(list => list.map(({ at }) => at))
  )
  const bubbles = lists.flat().filter(({ action }) => action.op === 'bubble').length
  const note = `${bubbles} steps are not in the log: they count as idle.`
  return { ok: true, order: bubbles > 0 ? { ...order, notes: [...order.notes, note] } : order }
}

/** The longest training step of a rank; a new one begins where the number does not grow. */
function oneTrainingStep(own: readonly Logged[], faults: TextFault[]): readonly Logged[] {
  const runs: Logged[][] = []
  for (const one of own) {
    const last = runs[runs.length - 1]
    if (last && one.index > last[last.length - 1].index) last.push(one)
    else runs.push([one])
  }
  const longest = runs.reduce((a, b) => (b.length > a.length ? b : a))
  const known = new Map(longest.map(one => [one.index, one]))
  for (const one of own) {
    const same = known.get(one.index)
    if (same && same.count === one.count && JSON.stringify(same.step) === JSON.stringify(one.step)) continue
    const message = `another training step of rank ${one.rank} ran something else as step ${one.index}`
    faults.push(
      textFault(
        'STEPS_DIFFER',
        one.at.row,
        one.at.column,
        one.step.type,
        message,
        'Keep the lines of one training step.'
      )
    )
  }
  return longest
}

type Placed = { readonly action: Action; readonly at: Position }

/** The actions of a rank in order; numbers that the log leaves out are idle steps. */
function actionsOf(run: readonly Logged[], base: number, faults: TextFault[]): Placed[] {
  const { count, at: start } = run[0]
  if (count > LIMITS.actions || run[run.length - 1].index - base >= count) {
    const message = `step numbers go beyond the ${count} steps that the line states`
    faults.push(textFault('RANGE', start.row, start.column, count, message, 'Keep the lines as they were logged.'))
    return []
  }
  const byIndex = new Map(run.map(one => [one.index, one]))
  return range(count).flatMap((number): Placed[] => {
    const one = byIndex.get(base + number)
    if (!one) return [{ action: { op: 'bubble' }, at: start }]
    const actions = inRange(one.step) ? actionsOfStep(one.step) : 'a micro or stage is out of range'
    if (typeof actions !== 'string') return actions.map(action => ({ action, at: one.at }))
    const advice = 'Keep the lines of the scheduler as they were logged.'
    faults.push(textFault('BAD_STEP', one.at.row, one.at.column, one.step.type, actions, advice))
    return []
  })
}

function inRange({ micro, stage, sub_steps }: Step): boolean {
  const inside = (value: number | null, least: number, most: number) =>
    value === null || (value >= least && value < most)
  return inside(micro, 0, LIMITS.microbatches) && inside(stage, -1, LIMITS.stages) && (sub_steps ?? []).every(inRange)
}

function refused(row: number, code: string, value: unknown, message: string, advice: string): ReadResult {
  return { ok: false, faults: [textFault(code, row, 1, value, message, advice)] }
}
