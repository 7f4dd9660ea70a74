import { groupBy, sum } from '../base/arrays.ts'
import { wrap } from '../base/wrap.ts'
import { NOT_USED, type SolveResult } from '../optimize/types.ts'
import type { Style } from '../report/text/style.ts'
import { grid } from '../report/text/table.ts'
import type { Evidence } from '../schedule/certificate.ts'
import { digits, type Scale, timeText } from '../schedule/quantities.ts'

/** Why an answer is trusted: what was checked, what proves the bound and how that can be checked again, what was tried and what not. */
export function explanationText({ answer, instance, attempts }: SolveResult, style: Style): string {
  const { lowerBound, evidence } = answer.certificate
  const proofs = [...groupBy(evidence, item => evidenceText(item, instance))].flatMap(([text, [item, ...again]]) => [
    `- ${again.length === 0 ? text : `${text} ${again.length + 1} runs came to this.`}`,
    ...termLines(item, instance)
  ])
  const paragraphs = [
    'point' in answer
      ? `The schedule: ${sum(answer.point.document.ranks.map(events => events.length))} events, accepted by a checker that shares no code with the search or the solvers. It re-derives from the instance which events there must be, their ranks, lengths and order, what waits for what, the memory of every rank at every tick, and the makespan.`
      : 'There is no schedule to check.',
    evidence.length === 0
      ? `The bound of ${timeText(lowerBound, instance)} needs no proof.`
      : `The bound: no schedule of this problem is shorter than ${timeText(lowerBound, instance)}, because of`,
    ...proofs,
    verdict(answer, instance),
    'To check all of it again from the file alone: tropipe solve ... --json -o result.json, then tropipe prove result.json --optimal'
  ]
  const tried = attempts.filter(({ result }) => !result.startsWith(NOT_USED))
  const skipped = attempts.filter(({ result }) => result.startsWith(NOT_USED))
  return [
    'Why this answer is trusted',
    ...paragraphs.map(text => wrap(text, style.columns, /^(- | )/.test(text) ? '    ' : '  ', '  ')),
    '\nWhat was tried',
    grid(
      ['by', 'result', 'ms'],
      tried.map(({ by, result, wallMs }) => [by, result, digits(Math.round(wallMs))]),
      style,
      ['left', 'left', 'right']
    ).trimEnd(),
    `\n${wrap(skipped.length > 0 ? 'What was not used, and why' : noneSkipped(answer), style.columns)}`,
    ...skipped.map(({ result }) => wrap(result.slice(NOT_USED.length), style.columns, '    ', '  ')),
    ''
  ].join('\n')
}

/** Why no solver was left out for a reason of its own. */
function noneSkipped({ status }: SolveResult['answer']): string {
  return status === 'optimal' || status === 'infeasible'
    ? 'No exact solver was left out: none was needed, or one was asked for by name.'
    : 'No exact solver was left out: one was asked for by name, or the time was up before any could start.'
}

function evidenceText(evidence: Evidence, scale: Scale): string {
  switch (evidence.kind) {
    case 'bound':
      return `the ${evidence.name} bound, ${timeText(evidence.ticks, scale)}, a sum of integers that holds for every schedule:`
    case 'smt-unsat': {
      const engines = evidence.engines.map(({ name, version }) => `${name} ${version}`).join(' and ')
      return `${engines}: the question "is there a schedule of at most ${timeText(evidence.at, scale)}?" (text ${evidence.textHash.slice(0, 12)}, kept in the result) is unsatisfiable.`
    }
    case 'solver-bound': {
      const who = `${evidence.engine.name} ${evidence.engine.version}`
      const confirmed = evidence.confirmedBy.map(item => evidenceText(item, scale)).join(' ')
      return `${who} on the model ${evidence.modelHash.slice(0, 12)} (${evidence.options}); confirmed by: ${confirmed || 'nothing'}`
    }
  }
}

/** The most terms that are written one by one. */
const MOST_TERMS = 12

function termLines(evidence: Evidence, scale: Scale): string[] {
  if (evidence.kind !== 'bound') return []
  const lines = evidence.terms.map(({ label, ticks }) => `  ${label}: ${timeText(ticks, scale)}`)
  const more = lines.length > MOST_TERMS ? [`  and ${lines.length - MOST_TERMS} more terms`] : []
  return [...lines.slice(0, MOST_TERMS), ...more]
}

function verdict(answer: SolveResult['answer'], scale: Scale): string {
  switch (answer.status) {
    case 'optimal':
      return 'Optimal, because the schedule is as short as the bound.'
    case 'feasible': {
      const { claimedBound } = answer
      const claimed =
        claimedBound === undefined
          ? ''
          : ` One engine alone claims ${timeText(claimedBound, scale)}; that is not used, for nothing else confirms it.`
      return `Feasible, not optimal: between the schedule and the bound nothing is proved.${claimed}`
    }
    case 'infeasible':
      return `Infeasible: ${answer.reason.message}.`
    case 'unknown':
      return 'Unknown: a limit came before any schedule was found.'
  }
}
