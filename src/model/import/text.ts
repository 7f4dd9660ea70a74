import { range } from '../../base/arrays.ts'
import type { Attention, FeedForward, Layer, TextModel } from '../architecture.ts'
import type { TextFamily } from './defaults.ts'
import { own, type Reader } from './reader.ts'

const MOST_LAYERS = 1024

/** Reads a text tower. `tied` comes from the outer config where the inner one does not say. */
export function readText(name: string, reader: Reader, family: TextFamily, tied: boolean): TextModel {
  const hidden = reader.count('hidden', ['hidden_size'])
  const depth = reader.count('layers', ['num_hidden_layers'])
  const vocabulary = reader.count('vocabulary', ['vocab_size'])
  if (depth > MOST_LAYERS) {
    reader.notes.faults.push({
      code: 'CONFIG_VALUE',
      path: `${reader.path}num_hidden_layers`,
      value: depth,
      message: `${depth} layers are more than the ${MOST_LAYERS} that can be read`,
      advice: 'Check num_hidden_layers.'
    })
    return { name, hidden, vocabulary, tied, layers: [], predictions: 0 }
  }
  const attention = attentionOf(reader, family, hidden, depth)
  const feedForward = feedForwardOf(reader, depth)
  const layers: Layer[] = range(depth).map(index => ({
    attention: attention(index),
    feedForward: feedForward(index)
  }))
  return {
    name,
    hidden,
    vocabulary,
    tied: reader.flag(['tie_word_embeddings'], tied),
    layers,
    predictions: predictionsOf(reader)
  }
}

function predictionsOf(reader: Reader): number {
  if (!reader.has('num_nextn_predict_layers', 'mtp_num_hidden_layers')) return 0
  return reader.count('predictions', ['num_nextn_predict_layers', 'mtp_num_hidden_layers'], undefined, 0)
}

function attentionOf(reader: Reader, family: TextFamily, hidden: number, depth: number): (layer: number) => Attention {
  const heads = reader.count('heads', ['num_attention_heads'])
  if (family.kind === 'latent') {
    const latent: Attention = {
      kind: 'latent',
      heads,
      queryRank: reader.count('queryRank', ['q_lora_rank'], undefined, 0),
      kvRank: reader.count('kvRank', ['kv_lora_rank']),
      plainDim: reader.count('plainDim', ['qk_nope_head_dim']),
      ropeDim: reader.count('ropeDim', ['qk_rope_head_dim']),
      valueDim: reader.count('valueDim', ['v_head_dim'])
    }
    return () => latent
  }
  const softmax: Attention = {
    kind: 'softmax',
    heads,
    kvHeads: reader.count('kvHeads', ['num_key_value_heads'], { value: heads, why: 'absent: plain multi-head' }),
    headDim: headDimOf(reader, family, hidden, heads),
    gated: reader.flag(['attn_output_gate'], family.gated),
    bias: reader.flag(['attention_bias'], family.bias),
    normed: family.normed
  }
  if (family.kind === 'softmax') return () => softmax
  const delta: Attention = {
    kind: 'delta',
    keyHeads: reader.count('keyHeads', ['linear_num_key_heads']),
    valueHeads: reader.count('valueHeads', ['linear_num_value_heads']),
    keyDim: reader.count('keyDim', ['linear_key_head_dim']),
    valueDim: reader.count('valueDim', ['linear_value_head_dim']),
    kernel: reader.count('kernel', ['linear_conv_kernel_dim'])
  }
  const isFull = fullLayers(reader, depth)
  return layer => (isFull(layer) ? softmax : delta)
}

function headDimOf(reader: Reader, family: TextFamily, hidden: number, heads: number): number {
  if (reader.has('head_dim') || family.defaults.headDim !== undefined) return reader.count('headDim', ['head_dim'])
  return reader.count('headDim', ['head_dim'], { value: Math.floor(hidden / heads), why: 'hidden / heads' })
}

function fullLayers(reader: Reader, depth: number): (layer: number) => boolean {
  const types = reader.list('layer_types')
  if (types) {
    if (types.length !== depth)
      reader.notes.faults.push({
        code: 'CONFIG_VALUE',
        path: `${reader.path}.layer_types`,
        value: types.length,
        message: `layer_types lists ${types.length} layers, num_hidden_layers says ${depth}`,
        advice: 'Give one entry per layer.'
      })
    return layer => types[layer] === 'full_attention'
  }
  const interval = reader.count('interval', ['full_attention_interval'])
  return layer => (layer + 1) % interval === 0
}

function feedForwardOf(reader: Reader, depth: number): (layer: number) => FeedForward {
  const experts = ['num_experts', 'n_routed_experts', 'num_local_experts']
  if (!reader.has(...experts)) {
    const dense: FeedForward = { kind: 'dense', width: reader.count('width', ['intermediate_size']), gated: true }
    return () => dense
  }
  const width = reader.count('expertWidth', ['moe_intermediate_size'])
  const sparse: FeedForward = {
    kind: 'experts',
    experts: reader.count('experts', experts),
    active: reader.count('activeExperts', ['num_experts_per_tok']),
    width,
    sharedWidth: sharedWidthOf(reader, width),
    sharedGate: reader.has('shared_expert_intermediate_size')
  }
  const isDense = denseLayers(reader, depth)
  if (!range(depth).some(isDense)) return () => sparse
  const dense: FeedForward = { kind: 'dense', width: reader.count('width', ['intermediate_size']), gated: true }
  return layer => (isDense(layer) ? dense : sparse)
}

function sharedWidthOf(reader: Reader, width: number): number {
  if (reader.has('shared_expert_intermediate_size'))
    return reader.count('sharedWidth', ['shared_expert_intermediate_size'], undefined, 0)
  return reader.has('n_shared_experts') ? reader.count('sharedExperts', ['n_shared_experts'], undefined, 0) * width : 0
}

function denseLayers(reader: Reader, _depth: number): (layer: number) => boolean {
  const first = reader.has('first_k_dense_replace')
    ? reader.count('denseLayers', ['first_k_dense_replace'], undefined, 0)
    : 0
  const step = reader.has('decoder_sparse_step') ? reader.count('sparseStep', ['decoder_sparse_step']) : 1
  const only = own(reader.json, 'mlp_only_layers')
  const listed = new Set(Array.isArray(only) ? only : [])
  return layer => layer < first || (layer + 1) % step !== 0 || listed.has(layer)
}
