/** Numbers that configs of a model type leave out, by our names for them. */
export type Defaults = Readonly<Record<string, number>>

/** What text towers of a model type have in common beyond their numbers. */
export type TextFamily = {
  readonly kind: 'softmax' | 'latent' | 'hybrid'
  readonly bias: boolean
  readonly normed: boolean
  readonly gated: boolean
  readonly defaults: Defaults
}

const plain = { kind: 'softmax', normed: false, gated: false } as const
const qwen3: TextFamily = { ...plain, bias: false, normed: true, defaults: { headDim: 128 } }
const hybrid: TextFamily = {
  kind: 'hybrid',
  bias: false,
  normed: true,
  gated: true,
  defaults: { headDim: 256, keyDim: 128, valueDim: 128, kernel: 4, keyHeads: 16, valueHeads: 32, interval: 4 }
}
const latent: TextFamily = {
  kind: 'latent',
  bias: false,
  normed: false,
  gated: false,
  defaults: { queryRank: 1536, kvRank: 512, plainDim: 128, ropeDim: 64, valueDim: 128, denseLayers: 0 }
}

/** Text towers by `model_type`. */
export const TEXT_FAMILIES: Readonly<Record<string, TextFamily>> = {
  llama: { ...plain, bias: false, defaults: {} },
  qwen2: { ...plain, bias: true, defaults: {} },
  qwen3,
  qwen3_moe: qwen3,
  qwen3_5_text: hybrid,
  qwen3_5_moe_text: hybrid,
  deepseek_v3: latent,
  kimi_k2: latent
}

/** Vision towers: defaults that published configs leave out (all checked against the full files of the same models). */
export type VisionFamily = {
  readonly gated: boolean
  readonly scaleNorm: boolean
  readonly tiles?: { readonly side: number; readonly maxTiles: number }
  readonly maxPixels: number
  readonly minPixels: number
  /** Width inside the projector: its own input, or the width of the text tower. */
  readonly inner: 'input' | 'output'
  readonly defaults: Defaults
}

const QWEN_PIXELS = { minPixels: 56 * 56, maxPixels: 12_845_056 } as const
const qwen3Vision: VisionFamily = {
  gated: false,
  scaleNorm: false,
  minPixels: 65_536,
  maxPixels: 16_777_216,
  inner: 'input',
  defaults: {
    depth: 27,
    hidden: 1152,
    width: 4304,
    heads: 16,
    patch: 16,
    merge: 2,
    temporal: 2,
    channels: 3,
    positions: 2304
  }
}

/** Vision towers by `model_type`. */
export const VISION_FAMILIES: Readonly<Record<string, VisionFamily>> = {
  qwen2_vl: {
    gated: false,
    scaleNorm: false,
    ...QWEN_PIXELS,
    inner: 'input',
    defaults: {
      depth: 32,
      hidden: 1280,
      ratio: 4,
      heads: 16,
      patch: 14,
      merge: 2,
      temporal: 2,
      channels: 3,
      positions: 0
    }
  },
  qwen2_5_vl: {
    gated: true,
    scaleNorm: true,
    ...QWEN_PIXELS,
    inner: 'input',
    defaults: {
      depth: 32,
      hidden: 1280,
      width: 3420,
      heads: 16,
      patch: 14,
      merge: 2,
      temporal: 2,
      channels: 3,
      positions: 0,
      windowPixels: 112,
      fullLayers: 4
    }
  },
  qwen3_vl: qwen3Vision,
  qwen3_vl_moe: qwen3Vision,
  qwen3_5: qwen3Vision,
  qwen3_5_moe: qwen3Vision,
  siglip_vision_model: {
    gated: false,
    scaleNorm: false,
    minPixels: 0,
    maxPixels: 384 * 384,
    tiles: { side: 384, maxTiles: 9 },
    inner: 'input',
    defaults: {
      depth: 27,
      hidden: 1152,
      width: 4304,
      heads: 16,
      patch: 14,
      merge: 1,
      temporal: 1,
      channels: 3,
      side: 384
    }
  },
  intern_vit_6b: {
    gated: false,
    scaleNorm: false,
    minPixels: 0,
    maxPixels: 448 * 448,
    tiles: { side: 448, maxTiles: 12 },
    inner: 'output',
    defaults: { patch: 14, merge: 2, temporal: 1, channels: 3, side: 448, heads: 16 }
  },
  moonvit: {
    gated: false,
    scaleNorm: false,
    minPixels: 0,
    maxPixels: 3_211_264,
    inner: 'input',
    defaults: {
      depth: 27,
      hidden: 1152,
      width: 4304,
      heads: 16,
      patch: 14,
      merge: 2,
      temporal: 1,
      channels: 3,
      positions: 4096
    }
  }
}

/** How a config nests its towers. Empty text or vision: the tower is not part of such models. */
export type Shape = {
  readonly text?: { readonly keys: readonly string[]; readonly family: string }
  readonly vision?: { readonly keys: readonly string[]; readonly family: string; readonly inner?: 'input' | 'output' }
}

const nested = (text: string, vision: string, more: { inner?: 'input' | 'output' } = {}): Shape => ({
  text: { keys: ['text_config', 'llm_config', 'language_config'], family: text },
  vision: { keys: ['vision_config'], family: vision, ...more }
})

/** Model types that can be read, with the layout of their configs. Flat text keys: the file itself is the text tower. */
export const SHAPES: Readonly<Record<string, Shape>> = {
  ...Object.fromEntries(Object.keys(TEXT_FAMILIES).map(type => [type, { text: { keys: [], family: type } }])),
  qwen2_vl: nested('qwen2', 'qwen2_vl'),
  qwen2_5_vl: nested('qwen2', 'qwen2_5_vl'),
  qwen3_vl: nested('qwen3', 'qwen3_vl'),
  qwen3_vl_moe: nested('qwen3_moe', 'qwen3_vl_moe'),
  qwen3_5: nested('qwen3_5_text', 'qwen3_5'),
  qwen3_5_moe: nested('qwen3_5_moe_text', 'qwen3_5_moe'),
  internvl_chat: nested('qwen2', 'intern_vit_6b', { inner: 'output' }),
  llava_onevision: nested('qwen2', 'siglip_vision_model', { inner: 'output' }),
  kimi_k25: nested('kimi_k2', 'moonvit'),
  siglip_vision_model: { vision: { keys: [], family: 'siglip_vision_model' } },
  intern_vit_6b: { vision: { keys: [], family: 'intern_vit_6b' } },
  moonvit: { vision: { keys: [], family: 'moonvit' } }
}

/** Class names that stand in for a missing `model_type`. */
export const CLASSES: Readonly<Record<string, string>> = {
  Qwen2VLForConditionalGeneration: 'qwen2_vl',
  Qwen2_5_VLForConditionalGeneration: 'qwen2_5_vl',
  Qwen3VLForConditionalGeneration: 'qwen3_vl',
  Qwen3VLMoeForConditionalGeneration: 'qwen3_vl_moe',
  Qwen3_5ForConditionalGeneration: 'qwen3_5',
  Qwen3_5MoeForConditionalGeneration: 'qwen3_5_moe',
  InternVLChatModel: 'internvl_chat',
  LlavaOnevisionForConditionalGeneration: 'llava_onevision',
  KimiK25ForConditionalGeneration: 'kimi_k25',
  DeepseekV3ForCausalLM: 'deepseek_v3',
  KimiK2ForCausalLM: 'kimi_k2',
  LlamaForCausalLM: 'llama',
  Qwen2ForCausalLM: 'qwen2',
  Qwen3ForCausalLM: 'qwen3',
  Qwen3MoeForCausalLM: 'qwen3_moe',
  SiglipVisionModel: 'siglip_vision_model'
}
