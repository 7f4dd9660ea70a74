import { groupBy, maximum, range, sum } from '../../base/arrays.ts'
import type { Encoded } from '../../encoding/encoded.ts'
import { type Milp, modelHash, type Smt, textHash, writeSmt2 } from '../../encoding/index.ts'
import type { Cp } from '../../encoding/model/types.ts'
import type { Host } from '../../host/port.ts'
import { strategyOf } from '../../optimize/strategies.ts'
import type { Objective } from '../../optimize/types.ts'
import { bodyOrder } from '../../schedule/body.ts'
import type { Bound, Certificate, Evidence } from '../../schedule/certificate.ts'
import { evaluateBackbone } from '../../schedule/closed-form.ts'
import type { Measured, Tick } from '../../schedule/measured.ts'
import { type Outcome, runBackend } from '../../solvers/index.ts'
import { rulesOf } from '../../verify/rules.ts'
import type { EncodeRules } from '../../verify/source-rules.ts'
import { injectionsUpTo, withInjection } from './any-injection.ts'
import { type BoundCheck, recheckBound, someRuleReaches } from './bounds.ts'
import { frameOf } from './frame.ts'
import { readSmt2 } from './smt-text.ts'

/** One piece of evidence, looked at again. `ticks` is the lower bound that it supports. */
export type EvidenceCheck = {
  readonly evidence: string
  readonly ticks: Tick
  /** `contradicted`: it is false as it stands; `open`: a limit came first, or nothing here can tell. */
  readonly status: 'confirmed' | 'contradicted' | 'open'
  readonly by: string
  readonly detail: string
}

/** What a certificate is checked against. */
export type Case = {
  readonly host: Host
  readonly measured: Measured
  readonly problem: Certificate['problem']
  readonly objective: Objective
  readonly timeLimitMs: number
}

/** Checks every piece of evidence of a certificate, one after the other; the same text is run once. */
export async function recheckEvidence(of: Case, evidence: readonly Evidence[]): Promise<EvidenceCheck[]> {
  const known = new Map<string, EvidenceCheck>()
  const checks: EvidenceCheck[] = []
  for (const item of evidence) {
    const key = item.kind === 'smt-unsat' ? `${item.at} ${item.textHash} ${item.text}` : undefined
    const check = (key === undefined ? undefined : known.get(key)) ?? (await checkOf(of, item))
    if (key !== undefined) known.set(key, check)
    checks.push(check)
  }
  return checks
}

async function checkOf(of: Case, item: Evidence): Promise<EvidenceCheck> {
  switch (item.kind) {
    case 'bound':
      return boundCheck(of, item)
    case 'smt-unsat':
      return unsatCheck(of, item)
    case 'solver-bound':
      return solverCheck(of, item)
  }
}

async function boundCheck(of: Case, bound: Bound): Promise<EvidenceCheck> {
  const evidence = `bound ${bound.name}`
  const check = bound.name === 'every-injection' ? await injectionCheck(of, bound.ticks) : namedCheck(of, bound)
  const by = 'integer arithmetic, from the instance'
  if (!check) return { evidence, ticks: 0, status: 'open', by, detail: 'the time limit came first' }
  return {
    evidence,
    ticks: bound.ticks,
    status: check.confirmed ? 'confirmed' : 'contradicted',
    by,
    detail: check.detail
  }
}

function namedCheck({ measured, problem, objective }: Case, bound: Bound): BoundCheck {
  if (objective === 'spill') return spillCheck(measured, bound)
  if (problem === 'joint') return recheckBound(frameOf(measured, undefined, { split: true }), bound)
  if (problem !== 'reorder') return recheckBound(frameOf(measured, bodyOrder(measured)), bound)
  // What holds whatever the order of the body holds for every injection order.
  const free = recheckBound(frameOf(measured, undefined), bound)
  return free.confirmed ? free : recheckBound(frameOf(measured, bodyOrder(measured), { anyInjection: true }), bound)
}

/** One tick less spill: the encodes do not fit the slack of all ranks, or the longest fits no rank. */
function spillCheck(measured: Measured, { name, ticks }: Bound): BoundCheck {
  if (name !== 'spill') return { confirmed: false, detail: `"${name}" says nothing about spill` }
  const { task } = strategyOf(measured, { problem: 'owner', objective: 'spill' })
  const slack = evaluateBackbone(task.problem, task.body)?.warmupSlack ?? task.body.map(() => 0)
  const { source } = rulesOf(measured)
  const tasks = range(measured.microbatches).flatMap(m => (source?.works[m] ? taskTicks(source.encodes(m)) : []))
  const room = sum(slack.map(idle => Math.max(0, idle + ticks - 1)))
  const longest = maximum(tasks)
  const confirmed = ticks === 0 || sum(tasks) > room || longest > maximum(slack) + ticks - 1
  const detail = `with ${ticks - 1} of spill, ${sum(tasks)} ticks of encodes, the longest ${longest}, would have to fit ${room}`
  return { confirmed, detail: ticks === 0 ? 'nothing spills less than 0' : detail }
}

/** Forward ticks of each encoder task of a microbatch: the chunks of an item share a rank. */
function taskTicks(encodes: readonly EncodeRules[]): Tick[] {
  return [...groupBy(encodes, encode => encode.item).values()].map(chunks =>
    sum(chunks.map(chunk => chunk.forwardTicks))
  )
}

/** Most injection orders that are looked at one by one. */
const MOST_INJECTIONS = 5_040

/** Each injection order by itself; undefined where time ran out. */
async function injectionCheck(
  { measured, problem, host, timeLimitMs }: Case,
  ticks: Tick
): Promise<BoundCheck | undefined> {
  const orders = problem === 'reorder' ? injectionsUpTo(rulesOf(measured), MOST_INJECTIONS) : undefined
  if (!orders) return { confirmed: false, detail: 'there are too many injection orders to look at each' }
  const until = host.now() + timeLimitMs
  const body = bodyOrder(measured)
  for (const order of orders) {
    if (host.now() > until) return undefined
    if (!someRuleReaches(frameOf(measured, withInjection(body, order)), ticks))
      return { confirmed: false, detail: `no rule says ${ticks} of the order ${order.join(', ')}` }
  }
  return { confirmed: true, detail: `each of ${orders.length} injection orders takes ${ticks} by some rule` }
}

async function unsatCheck(of: Case, item: Extract<Evidence, { kind: 'smt-unsat' }>): Promise<EvidenceCheck> {
  const evidence = `smt-unsat at ${item.at}`
  const wrong = (detail: string): EvidenceCheck => ({
    evidence,
    ticks: 0,
    status: 'contradicted',
    by: 'its text',
    detail
  })
  if (textHash(item.text) !== item.textHash) return wrong('the text does not have the hash that is stated')
  const own = strategyOf(of.measured, of).task.encodeDecision?.(item.at)
  if (!own)
    return { evidence, ticks: 0, status: 'open', by: '', detail: 'no decision model of this problem is known here' }
  if (writeSmt2(own.model) !== item.text) return wrong('the text is not about this instance and makespan')
  const model = readSmt2(item.text)
  if (!model || writeSmt2(model) !== item.text) return wrong('the text cannot be read back')
  const ticks = (Math.floor(item.at / own.unit) + 1) * own.unit
  const answers = [await askZ3(of, model), ...(await askNative(of, item.text))]
  const by = answers.map(answer => answer.by).join(' and ')
  const detail = answers.map(answer => `${answer.by}: ${answer.said}`).join('; ')
  if (answers.some(answer => answer.said === 'sat')) return { evidence, ticks: 0, status: 'contradicted', by, detail }
  const proved = answers.some(answer => answer.said === 'unsat')
  return { evidence, ticks: proved ? ticks : 0, status: proved ? 'confirmed' : 'open', by, detail }
}

type Said = { readonly by: string; readonly said: string }

async function askZ3({ host, timeLimitMs }: Case, model: Smt): Promise<Said> {
  const outcome = await runBackend(host, 'z3', { model, timeLimitMs, seed: 4711 })
  return { by: `${outcome.engine.name} ${outcome.engine.version}, text re-run`, said: outcome.status ?? outcome.stop }
}

/** Native SMT solvers on PATH, as second opinions. */
const NATIVE = [
  { program: 'cvc5', args: ['--lang', 'smt2'] },
  { program: 'z3', args: ['-smt2', '-in'] },
  { program: 'yices-smt2', args: [] }
]

async function askNative({ host, timeLimitMs }: Case, text: string): Promise<Said[]> {
  const { processes } = host
  if (!processes) return []
  const said: Said[] = []
  for (const { program, args } of NATIVE) {
    const command = await processes.find(program)
    if (command === undefined) continue
    const result = await processes.run({ command, args, stdin: text, timeoutMs: timeLimitMs })
    const word = /^(sat|unsat|unknown)$/m.exec(result.stdout)?.[1]
    said.push({ by: `native ${program}`, said: word ?? result.end })
  }
  return said
}

/** Engines that may confirm each other's integer models. */
const MILP_ENGINES = ['highs', 'glpk'] as const

/** The model must be that of this instance; then an engine that did not state the bound has to find it too. */
async function solverCheck(of: Case, item: Extract<Evidence, { kind: 'solver-bound' }>): Promise<EvidenceCheck> {
  const evidence = `solver-bound of ${item.engine.name}`
  const open = (detail: string): EvidenceCheck => ({ evidence, ticks: 0, status: 'open', by: '', detail })
  const horizon = Number(/horizon (\d+)/.exec(item.options)?.[1] ?? Number.NaN)
  const { encodeMilp, encodeCp, encodeDecision } = strategyOf(of.measured, of).task
  if ((!encodeMilp && !encodeCp) || !Number.isSafeInteger(horizon))
    return open('its model cannot be built again from what it states')
  const models = [encodeMilp, encodeCp].map(encode => encode?.(horizon))
  const encoded = models.find(one => one !== undefined && modelHash(one.model) === item.modelHash)
  if (!encoded) return { ...open('the model of this instance has another hash'), status: 'contradicted' }
  const words: Word[] = []
  if (encoded.model.kind === 'milp') words.push(await askMilp(of, encoded as Encoded<Milp>, item.engine.name, horizon))
  const agreed = () => words.some(({ bound }) => bound !== undefined && bound >= item.bound)
  if (!agreed() && encodeDecision) words.push(await askBelow(of, encodeDecision(item.bound - 1), item.bound))
  const by = words.map(word => word.by).join(' and ')
  const detail = words.map(word => `${word.said}, claimed ${item.bound}`).join('; ')
  if (agreed()) return { evidence, ticks: item.bound, status: 'confirmed', by, detail }
  const denied = words.some(word => word.final)
  return { evidence, ticks: 0, status: denied ? 'contradicted' : 'open', by, detail }
}

/** What an engine says of a bound; `final` where it shows that less is possible. */
type Word = { readonly by: string; readonly said: string; readonly bound: Tick | undefined; readonly final: boolean }

async function askMilp(of: Case, encoded: Encoded<Milp | Cp>, engine: string, horizon: Tick): Promise<Word> {
  const other = MILP_ENGINES.find(id => !engine.toLowerCase().startsWith(id)) ?? 'glpk'
  const outcome = await runBackend(of.host, other, { model: encoded.model, timeLimitMs: of.timeLimitMs, seed: 4711 })
  const by = `${named(outcome)}, model re-solved`
  const none = outcome.stop === 'proved' && outcome.status === 'infeasible'
  const claimed = outcome.claimedBound === undefined ? undefined : encoded.boundTicks(outcome.claimedBound)
  const bound = none ? horizon + 1 : claimed
  const said = bound === undefined ? `it stopped with ${outcome.status ?? outcome.stop}` : `it says ${bound}`
  return { by, said, bound, final: bound !== undefined && outcome.stop === 'proved' }
}

/** Z3 on the question whether anything less than the bound exists. */
async function askBelow(of: Case, { model, unit }: Encoded<Smt>, bound: Tick): Promise<Word> {
  const outcome = await runBackend(of.host, 'z3', { model, timeLimitMs: of.timeLimitMs, seed: 4711 })
  const proved = outcome.status === 'unsat' ? (Math.floor((bound - 1) / unit) + 1) * unit : undefined
  const said =
    proved === undefined ? `below ${bound} it stopped with ${outcome.status ?? outcome.stop}` : `it says ${proved}`
  return { by: `${named(outcome)}, asked for less`, said, bound: proved, final: outcome.status === 'sat' }
}

function named({ engine }: Outcome): string {
  return `${engine.name} ${engine.version}`
}
