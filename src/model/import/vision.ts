import type { Resolution, VisionModel, Window } from '../architecture.ts'
import type { VisionFamily } from './defaults.ts'
import { own, type Reader } from './reader.ts'

/** The widths that decide the projector: `text` is the width of the text tower, where there is one. */
export type ProjectorRule = { readonly inner: 'input' | 'output'; readonly text?: number }

/** Reads a vision tower with its projector. */
export function readVision(name: string, reader: Reader, family: VisionFamily, rule: ProjectorRule): VisionModel {
  const hidden = hiddenOf(reader)
  const merge = mergeOf(reader)
  const patch = reader.count('patch', ['patch_size', 'spatial_patch_size'])
  const output = outputOf(reader, hidden, rule)
  const input = hidden * merge * merge
  const window = windowOf(reader, family, patch)
  return {
    name,
    depth: reader.count('depth', ['depth', 'num_hidden_layers', 'num_layers', 'vt_num_hidden_layers']),
    hidden,
    width: widthOf(reader, family, hidden),
    heads: reader.count('heads', ['num_heads', 'num_attention_heads', 'vt_num_attention_heads']),
    gated: family.gated,
    scaleNorm: family.scaleNorm,
    patch,
    temporal: reader.count('temporal', ['temporal_patch_size']),
    channels: reader.count('channels', ['in_channels', 'in_chans', 'num_channels']),
    merge,
    positions: positionsOf(reader, family, patch),
    ...(window ? { window } : {}),
    resolution: resolutionOf(reader, family),
    projector: { input, inner: rule.inner === 'input' ? input : output, output, copies: copiesOf(reader) }
  }
}

/** Qwen2-VL calls the vision width `embed_dim`; its `hidden_size` is the text width. */
function hiddenOf(reader: Reader): number {
  if (isQwen2(reader)) return reader.count('hidden', ['embed_dim'])
  return reader.count('hidden', ['hidden_size', 'vt_hidden_size'])
}

function isQwen2(reader: Reader): boolean {
  return own(reader.json, 'model_type') === 'qwen2_vl' || reader.has('embed_dim')
}

function outputOf(reader: Reader, hidden: number, rule: ProjectorRule): number {
  const keys = isQwen2(reader) ? ['hidden_size'] : ['out_hidden_size', 'llm_hidden_size', 'text_hidden_size']
  if (rule.text === undefined)
    return reader.count('projector.output', keys, { value: hidden, why: 'no text tower given: own width' })
  const stated = keys.map(key => own(reader.json, key)).find(value => typeof value === 'number')
  if (stated !== undefined && stated !== rule.text)
    reader.assume('projector.output', rule.text, `width of the text tower; the vision config says ${stated}`)
  if (stated === undefined) reader.assume('projector.output', rule.text, 'width of the text tower')
  return rule.text
}

function mergeOf(reader: Reader): number {
  const kernel = reader.list('merge_kernel_size')
  if (kernel && typeof kernel[0] === 'number') return kernel[0]
  const ratio = own(reader.json, 'downsample_ratio')
  if (typeof ratio === 'number' && ratio > 0 && ratio <= 1) return Math.round(1 / ratio)
  return reader.count('merge', ['spatial_merge_size'])
}

function widthOf(reader: Reader, family: VisionFamily, hidden: number): number {
  const keys = ['intermediate_size', 'ffn_hidden_size', 'vt_intermediate_size']
  if (reader.has(...keys) || family.defaults.width !== undefined) return reader.count('width', keys)
  return hidden * reader.count('ratio', ['mlp_ratio'])
}

function positionsOf(reader: Reader, family: VisionFamily, patch: number): number {
  if (!family.tiles) {
    const rows = reader.has('init_pos_emb_height')
    if (!rows) return reader.count('positions', ['num_position_embeddings'], undefined, 0)
    return reader.count('rows', ['init_pos_emb_height']) * reader.count('columns', ['init_pos_emb_width'])
  }
  const side = reader.count('side', ['image_size'])
  return Math.floor(side / patch) ** 2
}

function windowOf(reader: Reader, family: VisionFamily, patch: number): Window | undefined {
  if (!reader.has('window_size') && family.defaults.windowPixels === undefined) return undefined
  const pixels = reader.count('windowPixels', ['window_size', 'window_attn_size'])
  const listed = reader.list('fullatt_block_indexes')
  const full = listed ? listed.length : reader.count('fullLayers', ['fullatt_block_count'])
  return { patches: Math.max(1, Math.floor(pixels / patch)) ** 2, fullLayers: full }
}

function resolutionOf(reader: Reader, family: VisionFamily): Resolution {
  if (!family.tiles) return { kind: 'native', minPixels: family.minPixels, maxPixels: family.maxPixels }
  const most = own(reader.json, 'max_dynamic_patch')
  const tiles = typeof most === 'number' && most >= 1 ? most : family.tiles.maxTiles
  const size = own(reader.json, 'image_size')
  return {
    kind: 'tiles',
    side: typeof size === 'number' ? size : family.tiles.side,
    maxTiles: tiles,
    thumbnail: true
  }
}

/** One projector, and one more per deepstack layer. */
function copiesOf(reader: Reader): number {
  return 1 + (reader.list('deepstack_visual_indexes')?.length ?? 0)
}
