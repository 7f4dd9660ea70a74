import { fail } from '../../base/fault.ts'
import { reflow } from '../../base/wrap.ts'
import { nodeHost } from '../../host/node/index.ts'
import { LIMITS } from '../../instance/limits.ts'
import { checkResult, checkStatements, claimOfResult } from '../../prove/certificate.ts'
import { proveFamily, type Range } from '../../prove/family.ts'
import { familyDocument } from '../../prove/family-document.ts'
import { proveForeignOrder } from '../../prove/foreign.ts'
import { proveOptimal } from '../../prove/optimal.ts'
import { proveDocumentOrder } from '../../prove/order.ts'
import { type Proof, proveSchedule } from '../../prove/schedule.ts'
import { familyProofText } from '../../report/text/family-proof.ts'
import { releaseSolvers } from '../../solvers/index.ts'
import { defineCommand } from '../command.ts'
import { checkLimit } from '../derivation.ts'
import { EXIT, type ExitCode } from '../exit.ts'
import { loadInstance } from '../inputs.ts'
import { type Io, printDocument } from '../io.ts'
import type { Config } from '../options.ts'
import { instanceFor, loadOrder } from '../order-input.ts'

type Options = Pick<
  Config,
  | 'instance'
  | 'from'
  | 'allDurations'
  | 'optimal'
  | 'family'
  | 'rankRange'
  | 'microbatchRange'
  | 'timeLimit'
  | 'json'
  | 'output'
>

/** `tropipe prove`: legality, deadlock and optimality, or the counterexample. */
export const prove = defineCommand({
  details:
    'A tropipe.schedule/1 needs --instance; a tropipe.result/1 carries its own. An order of another tool (--from, or recognised by its text) has no times: it is proved for every duration. With --family SPEC no file is read: every size in the ranges is proved. Exit code 0 proved, 1 refuted, 3 undecided.',
  options: [
    'instance',
    'from',
    'allDurations',
    'optimal',
    'family',
    'rankRange',
    'microbatchRange',
    'timeLimit',
    'json',
    'output'
  ],
  examples: [
    'tropipe prove schedule.json --instance instances/smoke/frozen-4x8-e6.yaml',
    'tropipe prove result.json --optimal',
    'tropipe prove order.csv --from torch-csv',
    'tropipe prove --family "<transpose, 1f1b>" --ranks 2..8 --microbatches 1..16'
  ],
  idle: ({ options }) => [
    options.family === undefined
      ? { options: ['rankRange', 'microbatchRange'], why: 'it is a size of --family' }
      : { options: ['instance', 'from', 'allDurations', 'optimal'], why: 'a family is proved without a file' },
    ...(options.optimal ? [{ options: ['allDurations'] as const, why: '--optimal is another strength' }] : [])
  ],
  run: async ({ operands: [path], options, io }) => {
    const host = nodeHost()
    try {
      if (options.family !== undefined && path !== undefined)
        fail('USAGE', 'FILE', path, 'a family is proved without a file', 'Leave out FILE, or --family.')
      if (options.family !== undefined) return await runFamily(options.family, options, io, host)
      if (path === undefined) fail('USAGE', 'FILE', undefined, 'nothing to prove', 'Give a FILE, or --family SPEC.')
      return await report(await proofOf(path, options, io, host), options, io)
    } finally {
      await releaseSolvers(host)
    }
  }
})

async function proofOf(path: string, options: Options, io: Io, host: ReturnType<typeof nodeHost>): Promise<Proof> {
  const { document, order, text } = await loadOrder(io, path, options.from)
  const { columns } = io.style
  const limits = { host, timeLimitMs: options.timeLimit, columns }
  if (!document) {
    if (options.optimal)
      fail('NO_CERTIFICATE', path, undefined, 'an order has no certificate', 'Give a tropipe.result/1.')
    const instance = options.instance === undefined ? undefined : await loadInstance(io, options.instance)
    return proveForeignOrder(order, { ...limits, ...(instance ? { measured: instance.measured } : {}) })
  }
  const instance = await instanceFor(io, text, options.instance)
  if (!instance) {
    const advice = 'Give --instance FILE.'
    return fail('MISSING_INSTANCE', '--instance', undefined, 'a schedule alone does not say what is legal', advice)
  }
  const { measured } = instance
  const result = resultIn(text)
  if (result) checkResult(result, measured, document)
  if (result && !options.optimal) checkStatements(result)
  if (options.optimal) {
    if (!result)
      return fail('NO_CERTIFICATE', 'certificate', undefined, 'the file has no certificate', 'Give a tropipe.result/1.')
    const { certificate, objective } = claimOfResult(result)
    return proveOptimal(measured, document, certificate, { ...limits, objective })
  }
  return options.allDurations
    ? proveDocumentOrder(measured, document, limits)
    : proveSchedule(measured, document, {}, columns)
}

/** The result that a file is, rather than a schedule alone. */
function resultIn(text: string): object | undefined {
  const { certificate, ...rest } = JSON.parse(text)
  return certificate === undefined ? undefined : { certificate, ...rest }
}

async function report({ document, text }: Proof, { json, output }: Options, io: Io): Promise<ExitCode> {
  if (json || output !== undefined) await printDocument(io, document, output)
  if (!json) io.out(reflow(text, io.style.columns))
  if (!document.legal || document.optimal?.status === 'refuted') return EXIT.no
  return document.optimal?.status === 'undecided' ? EXIT.limit : EXIT.done
}

async function runFamily(spec: string, options: Options, io: Io, host: ReturnType<typeof nodeHost>): Promise<ExitCode> {
  const sizes: [Range | undefined, Range | undefined] = [options.rankRange, options.microbatchRange]
  const [ranks, microbatches] = sizes
  if (!ranks || !microbatches)
    fail('MISSING_SIZE', '--family', spec, 'a family needs its sizes', 'Give --ranks a..b and --microbatches c..d.')
  checkLimit('--ranks', ranks.to, LIMITS.ranks)
  checkLimit('--microbatches', microbatches.to, LIMITS.microbatches)
  const family = await proveFamily(spec, ranks, microbatches, {
    host,
    timeLimitMs: options.timeLimit,
    onMember: (done, all) => {
      if (io.rewritable && (done === all || done % 10 === 0)) io.err(`\r${done} of ${all}${done === all ? '\n' : ''}`)
    }
  })
  const document = familyDocument(family)
  if (options.json || options.output !== undefined) await printDocument(io, document, options.output)
  if (!options.json) io.out(familyProofText(document, io.style))
  return family.proved ? EXIT.done : EXIT.no
}
