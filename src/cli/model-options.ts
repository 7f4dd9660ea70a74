import { type Fault, FaultError, fail } from '../base/fault.ts'
import { didYouMean } from '../base/suggest.ts'
import { isModelled, readMapping } from '../instance/index.ts'
import { readCounts } from '../model/workload.ts'
import { syntaxOf } from './inputs.ts'
import type { Io } from './io.ts'
import type { Config } from './options.ts'

/** Rows of the option table that `tropipe model` takes. */
export const MODEL_OPTIONS = [
  'config',
  'profile',
  'trainable',
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
export type ModelOptions = Pick<Config, (typeof MODEL_OPTIONS)[number]>

/** Reads a file in the modelled form. @throws FaultError NOT_MODELLED and whatever is wrong with the text */
export async function readModelled(path: string, io: Io): Promise<Record<string, unknown>> {
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

/** The modelled form that the options stand for. @throws FaultError MISSING_OPTION and what is wrong with them */
export async function mappingOf(options: ModelOptions, io: Io): Promise<Record<string, unknown>> {
  const { config, hardware, ranks, microbatches } = options
  const missing = Object.entries({ config, hardware, ranks, microbatches }).filter(([, value]) => value === undefined)
  if (missing.length > 0)
    fail(
      'MISSING_OPTION',
      missing.map(([name]) => `--${name}`).join(', '),
      undefined,
      missing.length === 1 ? 'the option is missing' : 'the options are missing',
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

/** Where the modelled form keeps what an option says, the longer places first. */
const PLACES: readonly (readonly [place: string, flag: string])[] = [
  ['parallel.microbatchSize', '--microbatch-size'],
  ['parallel.sequence', '--sequence'],
  ['parallel.layers', '--cut'],
  ['parallel.chunks', '--chunks'],
  ['parallel.tp', '--tp'],
  ['parallel.cp', '--cp'],
  ['parallel.dp', '--dp'],
  ['parallel.ep', '--ep'],
  ['cost.recompute', '--recompute'],
  ['cost.efficiency', '--efficiency'],
  ['hardware.preset', '--hardware'],
  ['hardware.', '--set '],
  ['hardware', '--hardware'],
  ['workload', '--workload'],
  ['ranks', '--ranks'],
  ['microbatches', '--microbatches'],
  ['model', '--config'],
  ['config', '--config'],
  ['vision', '--vision']
]

/** Faults of a modelled form that options made, at the options. */
export function atOptions(faults: readonly Fault[]): Fault[] {
  return faults.map(fault => {
    const [place, flag] = PLACES.find(([place]) => fault.path.startsWith(place)) ?? ['', '']
    return { ...fault, path: flag + fault.path.slice(place.length).replace(/^\./, ': ') }
  })
}

/** A plain name out of a path. */
export function nameOf(path: string): string {
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
const DRAWN = ['laion', 'video']

async function workloadOf(options: ModelOptions, io: Io): Promise<Record<string, unknown>> {
  const { workload } = options
  if (DRAWN.includes(workload)) return { kind: workload }
  if (SPREADS.includes(workload)) return given({ kind: workload, visualTokens: options.visualTokens })
  return { kind: 'counts', counts: readCounts(await countsText(workload, io)) }
}

/** The file of counts; a plain word that names no file is a misspelt kind. @throws FaultError WORKLOAD, FILE_READ */
async function countsText(workload: string, io: Io): Promise<string> {
  try {
    return await io.read(workload)
  } catch (error) {
    if (!(error instanceof FaultError) || !/^\w+$/.test(workload)) throw error
    const advice = `${didYouMean(workload, [...SPREADS, ...DRAWN])} Or give the path of a file of visual tokens.`
    return fail('WORKLOAD', '--workload', workload, `"${workload}" is neither a kind of workload nor a file`, advice)
  }
}

function trainOf(parts: readonly string[]): Record<string, boolean> {
  const known = ['vision', 'projector', 'text', 'none']
  const wrong = parts.filter(part => !known.includes(part))
  if (wrong.length > 0)
    fail('TRAIN', '--train', wrong.join(', '), `there is no part "${wrong[0]}"`, didYouMean(wrong[0], known))
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
