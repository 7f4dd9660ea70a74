import { type Fault, FaultError, fail } from '../../base/fault.ts'
import { unitSentence } from '../../hardware/explain.ts'
import { nodeHost } from '../../host/node/index.ts'
import { isModelled, readMapping, type Syntax, writeInstance } from '../../instance/index.ts'
import { checkModelled, type ModelledDocument } from '../../instance/modelled-schema.ts'
import { toModelDocument } from '../../model/document.ts'
import { expandResolved } from '../../model/load.ts'
import type { Modelled } from '../../model/modelled.ts'
import { hardwareOf, resolvePlan } from '../../model/resolve.ts'
import { readCounts } from '../../model/workload.ts'
import { withBestCuts } from '../../optimize/model-cuts.ts'
import { modelText } from '../../report/text/model.ts'
import { releaseSolvers } from '../../solvers/index.ts'
import { defineCommand } from '../command.ts'
import { EXIT } from '../exit.ts'
import { syntaxOf } from '../inputs.ts'
import { type Io, printDocument } from '../io.ts'
import type { Config } from '../options.ts'

const OPTIONS = [
  'config',
  'vision',
  'hardware',
  'set',
  'ranks',
  'microbatches',
  'tensor',
  'context',
  'data',
  'expert',
  'chunks',
  'sequence',
  'microbatchSize',
  'train',
  'recompute',
  'efficiency',
  'split',
  'workload',
  'visualTokens',
  'cut',
  'timeLimit',
  'seed',
  'json',
  'output'
] as const
type Given = Pick<Config, (typeof OPTIONS)[number]>

/** `tropipe model`: from a model config, hardware and a workload to a measured instance. */
export const model = defineCommand({
  name: 'model',
  summary: 'turn a model config, hardware and a workload into an instance, number by number',
  details:
    'Reads a Hugging Face config.json or a MindSpeed-MM model.json (--config), or an instance in the modelled form (FILE). -o writes the measured instance that solve and compare take; --json prints a tropipe.model/1 document.',
  operands: [{ name: 'FILE', help: 'an instance in the modelled form, in place of the options', optional: true }],
  options: OPTIONS,
  examples: [
    'tropipe model --config examples/configs/qwen2.5-vl-7b.json --hardware ascend-910c --ranks 8 --microbatches 16 -o qwen.yaml',
    'tropipe model --config qwen3.5-9b.json --hardware ascend-910c --ranks 8 --microbatches 16 --cut best -o best.yaml',
    'tropipe model --config deepseek-v3.json --vision qwen2-vl-vit.json --hardware cloudmatrix384 --ranks 8 --microbatches 64 --tp 8 --dp 8 --ep 64'
  ],
  run: async ({ operands: [file], options, io }) => {
    const mapping = file === undefined ? await mappingOf(options, io) : await readModelled(file, io)
    const checked = checkModelled(mapping)
    if (!checked.ok) throw new FaultError(checked.faults)
    const modelled = await expand(checked.document, options, io)
    const { output } = options
    if (output !== undefined) await io.write(output, writeInstance(modelled.document, syntaxOfOutput(output)))
    if (options.json) await printDocument(io, toModelDocument(modelled))
    else io.out(modelText(viewOf(modelled, hardwareOf(checked.document.hardware)), io.style))
    if (output !== undefined && !options.json) io.out(`\nwrote ${output}\n`)
    return EXIT.done
  }
})

/** The measured instance, with the best cuts where they are asked for. */
async function expand(document: ModelledDocument, { cut, timeLimit }: Given, io: Io): Promise<Modelled> {
  const resolved = resolvePlan(document)
  if (cut !== 'best') return expandResolved(document, resolved)
  const host = nodeHost()
  io.err('searching the best cuts\n')
  try {
    const best = await withBestCuts(resolved.plan, host, { timeLimitMs: timeLimit })
    return expandResolved(document, { plan: best.plan, assumptions: [...resolved.assumptions, ...best.assumptions] })
  } finally {
    await releaseSolvers(host)
  }
}

function viewOf(modelled: Modelled, hardware: ReturnType<typeof hardwareOf>) {
  const { document, counts, flopsPerToken, assumptions, derivations, warnings } = modelled
  const name = `${document.name}: ${document.ranks} ranks, ${document.microbatches} microbatches, ${document.schedule}`
  return {
    name,
    hardware: `${hardware.title}: ${unitSentence(hardware)}`,
    counts,
    flopsPerToken,
    assumptions,
    derivations,
    warnings
  }
}

function syntaxOfOutput(path: string): Syntax {
  return /\.json$/i.test(path) ? 'json' : 'yaml'
}

async function readModelled(path: string, io: Io): Promise<Record<string, unknown>> {
  const text = await io.read(path)
  const reading = readMapping(text, syntaxOf(path, text))
  if (!reading.ok) throw new FaultError(reading.faults as readonly Fault[])
  const value = reading.value as Record<string, unknown>
  if (!isModelled(value as never))
    fail(
      'NOT_MODELLED',
      path,
      Object.keys(value).slice(0, 8).join(', '),
      'the file has no model, parallel, hardware or workload',
      'It is measured already: give it to `tropipe solve`; or give a config with --config.'
    )
  return value
}

/** The modelled form that the options stand for. */
async function mappingOf(options: Given, io: Io): Promise<Record<string, unknown>> {
  const { config, hardware, ranks, microbatches } = options
  const missing = Object.entries({ config, hardware, ranks, microbatches }).filter(([, value]) => value === undefined)
  if (missing.length > 0)
    fail(
      'MISSING_OPTION',
      missing.map(([name]) => `--${name}`).join(', '),
      undefined,
      `${missing.map(([name]) => `--${name}`).join(', ')} must be given`,
      'Or give a FILE in the modelled form.'
    )
  return {
    format: 'tropipe.instance/1',
    name: nameOf(config!),
    ranks,
    microbatches,
    model: await readConfig(config!, io),
    ...(options.vision ? { vision: await readConfig(options.vision, io) } : {}),
    hardware: options.set ? { preset: hardware, ...numbersOf(options.set) } : hardware,
    parallel: given({
      tp: options.tensor,
      cp: options.context,
      dp: options.data,
      ep: options.expert,
      chunks: options.chunks,
      sequence: options.sequence,
      microbatchSize: options.microbatchSize,
      layers: options.cut === 'best' ? undefined : options.cut
    }),
    train: trainOf(options.train),
    cost: given({ recompute: options.recompute, efficiency: options.efficiency, split: options.split }),
    workload: await workloadOf(options, io),
    seed: options.seed
  }
}

function given(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

function nameOf(path: string): string {
  const base = path
    .split(/[\\/]/)
    .pop()!
    .replace(/\.[^.]*$/, '')
  const plain = base.replace(/[^A-Za-z0-9_.-]+/g, '-').replace(/^[^A-Za-z]+/, '')
  return plain.slice(0, 64) || 'model'
}

async function readConfig(path: string, io: Io): Promise<unknown> {
  const reading = readMapping(await io.read(path), 'json')
  if (!reading.ok) {
    const [first] = reading.faults
    fail(
      'MODEL_NOT_A_CONFIG',
      path,
      undefined,
      `this is not a model config: ${first.message}`,
      "Give the model's config.json, or a MindSpeed-MM model.json."
    )
  }
  return reading.value
}

const SPREADS = ['uniform', 'packed', 'fixed', 'heavy', 'mixed']

async function workloadOf(options: Given, io: Io): Promise<Record<string, unknown>> {
  const { workload } = options
  if (workload === 'laion' || workload === 'video') return { kind: workload }
  if (SPREADS.includes(workload)) return given({ kind: workload, visualTokens: options.visualTokens })
  return { kind: 'counts', counts: readCounts(await io.read(workload)) }
}

function trainOf(parts: readonly string[]): Record<string, boolean> {
  const known = ['vision', 'projector', 'text', 'none']
  const wrong = parts.filter(part => !known.includes(part))
  if (wrong.length > 0)
    fail('TRAIN', '--train', wrong.join(', '), `there is no part "${wrong[0]}"`, `Use some of ${known.join(', ')}.`)
  return {
    vision: parts.includes('vision'),
    projector: parts.includes('projector') || parts.includes('vision'),
    text: parts.includes('text')
  }
}

function numbersOf(settings: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    settings.map(setting => {
      const [key, text] = setting.split('=')
      const value = Number(text)
      if (text === undefined || text === '' || !Number.isFinite(value))
        fail(
          'SETTING',
          '--set',
          setting,
          `"${setting}" is not NAME=NUMBER`,
          'Write e.g. --set memoryGiB=48,moeLlm=0.25.'
        )
      return [key, value]
    })
  )
}
