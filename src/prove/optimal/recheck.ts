import type { BodyOrder } from '../../algebra/orders/body.ts'
import type { Encoded } from '../../encoding/encoded.ts'
import {
  encodeOwnerMilp,
  encodeOwnerSmt,
  encodePlacementMilp,
  encodePlacementSmt,
  type Milp,
  modelHash,
  type Smt,
  textHash,
  writeSmt2
} from '../../encoding/index.ts'
import type { Host } from '../../host/port.ts'
import { bodySequences } from '../../schedule/body.ts'
import { buildProblem } from '../../schedule/build.ts'
import type { Certificate, Evidence } from '../../schedule/certificate.ts'
import type { Measured, Tick } from '../../schedule/measured.ts'
import { latencyRelaxation } from '../../schedule/relax.ts'
import { runBackend } from '../../solvers/index.ts'
import { recheckBound } from './bounds.ts'
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
  readonly bodyOrder: BodyOrder | undefined
  readonly timeLimitMs: number
}

/** Checks every piece of evidence of a certificate, one after the other. */
export async function recheckEvidence(of: Case, evidence: readonly Evidence[]): Promise<EvidenceCheck[]> {
  const checks: EvidenceCheck[] = []
  for (const item of evidence) {
    if (item.kind === 'bound') checks.push(boundCheck(of, item))
    else if (item.kind === 'smt-unsat') checks.push(await unsatCheck(of, item))
    else checks.push(await solverCheck(of, item))
  }
  return checks
}

function boundCheck(of: Case, bound: Extract<Evidence, { kind: 'bound' }>): EvidenceCheck {
  const { confirmed, detail } = recheckBound(frameOf(of.measured, of.bodyOrder, of.problem === 'joint'), bound)
  return {
    evidence: `bound ${bound.name}`,
    ticks: bound.ticks,
    status: confirmed ? 'confirmed' : 'contradicted',
    by: 'integer arithmetic, from the instance',
    detail
  }
}

/** The decision model of a makespan, built anew: the text of a certificate must be the same to speak of this instance. */
function decisionModel({ measured, problem, bodyOrder }: Case, at: Tick): Encoded<Smt> | undefined {
  if (!bodyOrder) return undefined
  const graph = latencyRelaxation(buildProblem(measured))
  const body = bodySequences(graph, bodyOrder)
  const encode = problem === 'owner' ? encodeOwnerSmt : encodePlacementSmt
  return encode(graph, body, at, measured.communication.model)
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
  const own = decisionModel(of, item.at)
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

async function solverCheck(of: Case, item: Extract<Evidence, { kind: 'solver-bound' }>): Promise<EvidenceCheck> {
  const evidence = `solver-bound of ${item.engine.name}`
  const open = (detail: string): EvidenceCheck => ({ evidence, ticks: 0, status: 'open', by: '', detail })
  const horizon = Number(/horizon (\d+)/.exec(item.options)?.[1] ?? Number.NaN)
  if (!of.bodyOrder || !Number.isSafeInteger(horizon))
    return open('its model cannot be built again from what it states')
  const graph = latencyRelaxation(buildProblem(of.measured))
  const encode = of.problem === 'owner' ? encodeOwnerMilp : encodePlacementMilp
  const encoded: Encoded<Milp> = encode(graph, bodySequences(graph, of.bodyOrder), horizon)
  if (modelHash(encoded.model) !== item.modelHash)
    return { ...open('the model of this instance has another hash'), status: 'contradicted' }
  const other = MILP_ENGINES.find(id => !item.engine.name.toLowerCase().startsWith(id)) ?? 'glpk'
  const outcome = await runBackend(of.host, other, { model: encoded.model, timeLimitMs: of.timeLimitMs, seed: 4711 })
  const by = `${outcome.engine.name} ${outcome.engine.version}, model re-solved`
  const none = outcome.stop === 'proved' && outcome.status === 'infeasible'
  const bound = none
    ? horizon + 1
    : outcome.claimedBound === undefined
      ? undefined
      : encoded.boundTicks(outcome.claimedBound)
  if (bound === undefined) return { ...open(`it stopped with ${outcome.status ?? outcome.stop}`), by }
  const detail = `it says ${bound}, claimed ${item.bound}`
  if (bound >= item.bound) return { evidence, ticks: item.bound, status: 'confirmed', by, detail }
  return { evidence, ticks: 0, status: outcome.stop === 'proved' ? 'contradicted' : 'open', by, detail }
}
