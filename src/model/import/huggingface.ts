import { fail } from '../../base/fault.ts'
import type { Architecture, TextModel, VisionModel } from '../architecture.ts'
import type { Assumption } from '../assumption.ts'
import { CLASSES, SHAPES, type Shape, TEXT_FAMILIES, VISION_FAMILIES } from './defaults.ts'
import { isObject, type Json, type Notes, own, Reader, throwFaults } from './reader.ts'
import { readText } from './text.ts'
import { readVision } from './vision.ts'

/** A model as read, with everything that the file left open. */
export type Imported = { readonly architecture: Architecture; readonly assumptions: readonly Assumption[] }

/**
 * Reads a Hugging Face `config.json` (parsed). Towers may be nested or flat; what is missing is filled from the table
 * of its model type and reported. Throws MODEL_NOT_A_CONFIG, MODEL_UNKNOWN (with what was understood), CONFIG_VALUE,
 * CONFIG_MISSING.
 */
export function importHuggingFace(json: unknown, name?: string): Imported {
  if (!isObject(json)) return notAConfig(json, 'it is not a JSON object')
  const notes: Notes = { faults: [], assumptions: [] }
  const type = typeOf(json, notes)
  const shape = shapeOf(type, json)
  const title = name ?? type
  const text = shape.text && textOf(title, json, shape.text, notes)
  const vision = shape.vision && visionOf(title, json, shape.vision, text?.hidden, notes)
  throwFaults(notes)
  if (text) checkText(text)
  return {
    architecture: { name: title, ...(text ? { text } : {}), ...(vision ? { vision } : {}) },
    assumptions: notes.assumptions
  }
}

function notAConfig(json: unknown, why: string): never {
  const keys = isObject(json) ? Object.keys(json).slice(0, 8).join(', ') : typeof json
  fail(
    'MODEL_NOT_A_CONFIG',
    'config',
    keys,
    `this is not a model config: ${why}`,
    'Give the config.json that lies beside the weights (it has model_type, hidden_size, num_hidden_layers), or a MindSpeed-MM model.json.'
  )
}

const SIGNS = ['hidden_size', 'num_hidden_layers', 'depth', 'text_config', 'llm_config', 'vision_config', 'num_layers']

function typeOf(json: Json, notes: Notes): string {
  const stated = own(json, 'model_type')
  const listed = own(json, 'architectures')
  const className = Array.isArray(listed) ? String(listed[0]) : undefined
  if (className === 'Qwen2VisionTransformerPretrainedModel') return 'qwen2_vl'
  if (typeof stated === 'string') return stated
  if (className && Object.hasOwn(CLASSES, className)) {
    notes.assumptions.push({ field: 'model_type', value: CLASSES[className], why: `from architectures: ${className}` })
    return CLASSES[className]
  }
  if (!SIGNS.some(key => own(json, key) !== undefined))
    return notAConfig(json, 'it has neither model_type nor any layer sizes')
  return className ?? '(none)'
}

function shapeOf(type: string, json: Json): Shape {
  if (!Object.hasOwn(SHAPES, type)) return unknown(type, json)
  const shape = SHAPES[type]
  const isTower = own(json, 'vision_config') === undefined && own(json, 'depth') !== undefined
  if (isTower && shape.vision) return { vision: { ...shape.vision, keys: [] } }
  return shape
}

/** Refuses an unknown architecture, saying what could be read of it. */
function unknown(type: string, json: Json): never {
  const understood = understand(json)
  if (understood.length === 0) notAConfig(json, `its model_type "${type}" is unknown and no layer sizes were found`)
  fail(
    'MODEL_UNKNOWN',
    'config.model_type',
    type,
    `model type "${type}" is not known; understood: ${understood.join(', ')}`,
    `Known: ${Object.keys(SHAPES).join(', ')}. Set model_type to the one with the same layers, if there is one.`
  )
}

const READABLE = [
  'num_hidden_layers',
  'hidden_size',
  'intermediate_size',
  'num_attention_heads',
  'num_key_value_heads',
  'vocab_size',
  'num_experts',
  'n_routed_experts'
]

function understand(json: Json): string[] {
  const flat = READABLE.filter(key => typeof own(json, key) === 'number').map(key => `${key} ${own(json, key)}`)
  const inner = ['text_config', 'llm_config', 'vision_config']
    .map(key => [key, own(json, key)] as const)
    .flatMap(([key, value]) => (isObject(value) ? understand(value).map(one => `${key}.${one}`) : []))
  return [...flat, ...inner]
}

function part(json: Json, keys: readonly string[]): { readonly json: Json; readonly path: string } {
  const key = keys.find(one => isObject(own(json, one)))
  return key === undefined ? { json, path: '' } : { json: json[key] as Json, path: key }
}

function textOf(title: string, json: Json, shape: NonNullable<Shape['text']>, notes: Notes): TextModel {
  const inner = part(json, shape.keys)
  const stated = own(inner.json, 'model_type')
  const family = typeof stated === 'string' && Object.hasOwn(TEXT_FAMILIES, stated) ? stated : shape.family
  const { defaults } = TEXT_FAMILIES[family]
  const reader = new Reader(inner.json, { path: inner.path, field: 'text', type: family }, notes, defaults)
  return readText(title, reader, TEXT_FAMILIES[family], own(json, 'tie_word_embeddings') === true)
}

function visionOf(
  title: string,
  json: Json,
  shape: NonNullable<Shape['vision']>,
  text: number | undefined,
  notes: Notes
): VisionModel {
  const inner = part(json, shape.keys)
  const merged = { ...pick(json, ['downsample_ratio', 'max_dynamic_patch']), ...inner.json }
  const stated = own(inner.json, 'model_type')
  const family = typeof stated === 'string' && Object.hasOwn(VISION_FAMILIES, stated) ? stated : shape.family
  const { defaults, inner: rule } = VISION_FAMILIES[family]
  const reader = new Reader(merged, { path: inner.path, field: 'vision', type: family }, notes, defaults)
  return readVision(title, reader, VISION_FAMILIES[family], {
    inner: shape.inner ?? rule,
    ...(text === undefined ? {} : { text })
  })
}

function pick(json: Json, keys: readonly string[]): Json {
  return Object.fromEntries(keys.filter(key => own(json, key) !== undefined).map(key => [key, json[key]]))
}

/** Sizes that contradict each other make a model that cannot be. */
function checkText(text: TextModel): void {
  const { attention } = text.layers[text.layers.length - 1]
  if (attention.kind === 'softmax' && attention.heads % attention.kvHeads !== 0)
    fail(
      'CONFIG_VALUE',
      'num_key_value_heads',
      attention.kvHeads,
      `${attention.heads} attention heads cannot share ${attention.kvHeads} key-value heads evenly`,
      'num_attention_heads must be a multiple of num_key_value_heads.'
    )
  for (const { feedForward } of text.layers)
    if (feedForward.kind === 'experts' && feedForward.active > feedForward.experts)
      fail(
        'CONFIG_VALUE',
        'num_experts_per_tok',
        feedForward.active,
        `${feedForward.active} active experts of ${feedForward.experts}`,
        'num_experts_per_tok cannot exceed the number of experts.'
      )
}

/** The vision tower of `vision` in front of the text tower of `text`; the projector takes the text width. */
export function joinTowers(text: Imported, vision: Imported): Imported {
  const tower = vision.architecture.vision
  const backbone = text.architecture.text
  if (!tower)
    return fail(
      'MODEL_NO_VISION',
      'vision',
      vision.architecture.name,
      `${vision.architecture.name} has no vision tower`,
      'Give a vision config, or a multimodal one.'
    )
  if (!backbone)
    return fail(
      'MODEL_NO_TEXT',
      'config',
      text.architecture.name,
      `${text.architecture.name} has no text tower`,
      'Give the language model with --config and the vision tower with --vision.'
    )
  const { input, inner, output } = tower.projector
  const projector = { ...tower.projector, output: backbone.hidden, inner: inner === input ? input : backbone.hidden }
  return {
    architecture: {
      name: `${tower.name} + ${backbone.name}`,
      text: backbone,
      vision: { ...tower, projector }
    },
    assumptions: [
      ...text.assumptions,
      ...vision.assumptions.filter(one => one.field !== 'vision.projector.output'),
      ...(output === backbone.hidden
        ? []
        : [{ field: 'vision.projector.output', value: backbone.hidden, why: 'width of the text tower' }])
    ]
  }
}
