import { range, sum } from '../../base/arrays.ts'
import type { Fault } from '../../base/fault.ts'
import type { Layer, TextModel, VisionModel } from '../architecture.ts'
import type { Imported } from './huggingface.ts'
import { isObject, type Json, type Notes, own, Reader, throwFaults } from './reader.ts'

/** Layers per stage in execution order (chunk after chunk), as the file has them. */
export type MindSpeedCut = {
  readonly text?: readonly number[]
  readonly vision?: readonly number[]
  /** Stages per rank of the two-dimensional form. */
  readonly chunks: number
}

/** A MindSpeed-MM model with its cuts. `cut` is the text cut, where the file has one. */
export type MindSpeedModel = Imported & {
  readonly cut?: readonly number[]
  readonly cuts: MindSpeedCut
  readonly frozen: { readonly vision: boolean; readonly projector: boolean }
}

/** Whether a parsed file is a MindSpeed-MM `model.json`. */
export function isMindSpeed(json: unknown): json is Json {
  return isObject(json) && (isObject(own(json, 'text_decoder')) || isObject(own(json, 'image_encoder')))
}

/**
 * Reads a MindSpeed-MM `model.json`: sizes, freeze flags and `pipeline_num_layers`. The sums of the cuts are checked
 * (MindSpeed-MM itself checks their length only): CUT_SUM, CUT_LENGTH, CUT_SHAPE.
 */
export function importMindSpeed(json: Json, name = String(own(json, 'model_id') ?? 'mindspeed-mm')): MindSpeedModel {
  const notes: Notes = { faults: [], assumptions: [] }
  const decoder = object(json, 'text_decoder')
  const encoder = object(json, 'image_encoder')
  const tower = encoder && object(encoder, 'vision_encoder')
  const projector = encoder && object(encoder, 'vision_projector')
  const text = decoder && readDecoder(name, decoder, notes)
  const vision = tower && readEncoder(name, tower, projector, text?.hidden, notes)
  const cuts = readCuts(decoder, tower, text, vision, notes.faults)
  throwFaults(notes)
  return {
    architecture: { name, ...(text ? { text } : {}), ...(vision ? { vision } : {}) },
    assumptions: notes.assumptions,
    ...(cuts.text ? { cut: cuts.text } : {}),
    cuts,
    frozen: {
      vision: tower !== undefined && own(tower, 'freeze') === true,
      projector: projector !== undefined && own(projector, 'freeze') === true
    }
  }
}

function object(json: Json, key: string): Json | undefined {
  const value = own(json, key)
  return isObject(value) ? value : undefined
}

function readDecoder(name: string, json: Json, notes: Notes): TextModel {
  const reader = new Reader(json, { path: 'text_decoder', field: 'text', type: 'mindspeed-mm' }, notes)
  const hidden = reader.count('hidden', ['hidden_size'])
  const heads = reader.count('heads', ['num_attention_heads'])
  const headDim = reader.count('headDim', ['kv_channels'], { value: Math.floor(hidden / heads), why: 'hidden / heads' })
  const experts = reader.has('num_moe_experts', 'num_experts')
  const attention: Layer['attention'] = {
    kind: 'softmax',
    heads,
    kvHeads: reader.count('kvHeads', ['num_query_groups'], { value: heads, why: 'absent: plain multi-head' }),
    headDim,
    gated: false,
    bias: reader.flag(['add_qkv_bias'], false),
    normed: reader.flag(['qk_layernorm', 'use_qk_norm'], false)
  }
  const feedForward: Layer['feedForward'] = experts
    ? {
        kind: 'experts',
        experts: reader.count('experts', ['num_moe_experts', 'num_experts']),
        active: reader.count('activeExperts', ['moe_router_topk']),
        width: reader.count('expertWidth', ['moe_ffn_hidden_size', 'moe_intermediate_size', 'ffn_hidden_size']),
        sharedWidth: reader.has('moe_shared_expert_intermediate_size')
          ? reader.count('sharedWidth', ['moe_shared_expert_intermediate_size'], undefined, 0)
          : 0,
        sharedGate: reader.flag(['moe_shared_expert_gate'], false)
      }
    : {
        kind: 'dense',
        width: reader.count('width', ['ffn_hidden_size']),
        gated: reader.flag(['gated_linear_unit'], true)
      }
  const layers = range(Math.min(1024, reader.count('layers', ['num_layers']))).map(() => ({ attention, feedForward }))
  const tied = !reader.flag(['untie_embeddings_and_output_weights'], true)
  return { name, hidden, vocabulary: reader.count('vocabulary', ['vocab_size']), tied, layers, predictions: 0 }
}

function readEncoder(
  name: string,
  json: Json,
  projector: Json | undefined,
  text: number | undefined,
  notes: Notes
): VisionModel {
  const reader = new Reader(
    json,
    { path: 'image_encoder.vision_encoder', field: 'vision', type: 'mindspeed-mm' },
    notes
  )
  const inner = new Reader(
    projector ?? {},
    { path: 'image_encoder.vision_projector', field: 'vision.projector', type: 'mindspeed-mm' },
    notes
  )
  const hidden = reader.count('hidden', ['hidden_size'])
  const patch = reader.count('patch', ['patch_size'])
  const merge = reader.count('merge', ['spatial_merge_size'], { value: 1, why: 'absent: no merging' })
  const input = hidden * merge * merge
  const output = inner.count('output', ['hidden_size'], { value: text ?? hidden, why: 'width of the text tower' })
  const windowed = reader.has('window_attn_size')
  const full = reader.list('fullatt_block_indexes')
  return {
    name,
    depth: reader.count('depth', ['num_layers']),
    hidden,
    width: reader.count('width', ['ffn_hidden_size', 'intermediate_size']),
    heads: reader.count('heads', ['num_attention_heads']),
    gated: reader.flag(['gated_linear_unit'], false),
    scaleNorm: own(json, 'normalization') === 'RMSNorm',
    patch,
    temporal: reader.count('temporal', ['temporal_patch_size'], { value: 1, why: 'absent: single frames' }),
    channels: reader.count('channels', ['in_channels'], { value: 3, why: 'colour images' }),
    merge,
    positions: 0,
    ...(windowed
      ? {
          window: {
            patches: Math.max(1, Math.floor(reader.count('windowPixels', ['window_attn_size']) / patch)) ** 2,
            fullLayers: full?.length ?? 0
          }
        }
      : {}),
    resolution: { kind: 'native', minPixels: 56 * 56, maxPixels: 12_845_056 },
    projector: {
      input,
      inner: inner.count('inner', ['ffn_hidden_size'], { value: input, why: 'its own input width' }),
      output,
      copies: 1 + (reader.list('deepstack_visual_indexes')?.length ?? 0)
    }
  }
}

function readCuts(
  decoder: Json | undefined,
  tower: Json | undefined,
  text: TextModel | undefined,
  vision: VisionModel | undefined,
  faults: Fault[]
): MindSpeedCut {
  const words = cutOf(decoder, 'text_decoder.pipeline_num_layers', text?.layers.length, faults)
  const seen = cutOf(tower, 'image_encoder.vision_encoder.pipeline_num_layers', vision?.depth, faults)
  if (words && seen && words.flat.length !== seen.flat.length)
    faults.push({
      code: 'CUT_LENGTH',
      path: 'image_encoder.vision_encoder.pipeline_num_layers',
      value: seen.flat.length,
      message: `the vision list has ${seen.flat.length} stages, the text list ${words.flat.length}`,
      advice: 'Both lists need one entry per stage (ranks x chunks).'
    })
  return {
    ...(words ? { text: words.flat } : {}),
    ...(seen ? { vision: seen.flat } : {}),
    chunks: words?.chunks ?? seen?.chunks ?? 1
  }
}

function cutOf(json: Json | undefined, path: string, layers: number | undefined, faults: Fault[]) {
  const value = json && own(json, 'pipeline_num_layers')
  if (value === undefined || layers === undefined) return undefined
  const rows = Array.isArray(value) && value.every(Array.isArray) ? (value as unknown[][]) : [value]
  const isList = rows.every(
    row => Array.isArray(row) && row.every(one => Number.isInteger(one) && (one as number) >= 0)
  )
  if (!isList || new Set(rows.map(row => (row as unknown[]).length)).size !== 1) {
    faults.push({
      code: 'CUT_SHAPE',
      path,
      value: JSON.stringify(value).slice(0, 120),
      message: 'a cut is a list of layers per rank, or one such list per chunk, all of the same length',
      advice: 'Write [6, 11, ...] or [[3, 4, ...], [3, 4, ...]].'
    })
    return undefined
  }
  const flat = (rows as number[][]).flat()
  const placed = sum(flat)
  if (placed !== layers)
    faults.push({
      code: 'CUT_SUM',
      path,
      value: `[${flat.join(', ')}]`,
      message: `${placed} of ${layers} layers placed`,
      advice: `The entries must add up to ${layers}.`
    })
  return { flat, chunks: rows.length }
}
