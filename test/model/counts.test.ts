import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ActivationRule, layerActivationBytes } from '../../src/model/activations.ts'
import type { Attention, FeedForward, Layer, TextModel, VisionModel } from '../../src/model/architecture.ts'
import { textFlopsPerToken, visionFlops, visionForward } from '../../src/model/flops.ts'
import { textParameters, visionParameters } from '../../src/model/parameters.ts'

const table = resolve(import.meta.dirname, '../../../shared/data/models.json')

// biome-ignore lint/suspicious/noExplicitAny: rows of a foreign table
type Row = Record<string, any>

/** Towers built from the reference table's sizes alone. */
function textOf(row: Row): TextModel {
  const softmax: Attention = {
    kind: 'softmax',
    heads: row.heads,
    kvHeads: row.kv_heads,
    headDim: row.head_dim,
    gated: row.gdn !== null,
    bias: false,
    normed: false
  }
  const latent: Attention | undefined = row.mla && {
    kind: 'latent',
    heads: row.heads,
    queryRank: row.mla.q,
    kvRank: row.mla.kv,
    plainDim: row.mla.nope,
    ropeDim: row.mla.rope,
    valueDim: row.mla.v
  }
  const delta: Attention | undefined = row.gdn && {
    kind: 'delta',
    keyHeads: row.gdn.nk,
    valueHeads: row.gdn.nv,
    keyDim: row.gdn.kd,
    valueDim: row.gdn.vd,
    kernel: row.gdn.conv
  }
  const isGpt = row.name.startsWith('GPT')
  const dense: FeedForward = { kind: 'dense', width: row.ffn, gated: !isGpt }
  const experts: FeedForward | undefined = row.moe && {
    kind: 'experts',
    experts: row.moe.E,
    active: row.moe.k,
    width: row.moe.ffn,
    sharedWidth: row.moe.shared_ffn ?? 0,
    sharedGate: false
  }
  const layers: Layer[] = Array.from({ length: row.layers }, (_, index) => ({
    attention: delta && (index + 1) % row.gdn.freq !== 0 ? delta : (latent ?? softmax),
    feedForward: index < row.dense_layers ? dense : experts!
  }))
  return { name: row.name, hidden: row.hidden, vocabulary: row.vocab, tied: isGpt, layers, predictions: 0 }
}

function visionOf(row: Row): VisionModel {
  const input = row.hidden * row.merge ** 2
  return {
    name: row.name,
    depth: row.depth,
    hidden: row.hidden,
    width: row.ffn,
    heads: row.heads,
    gated: row.gated_mlp,
    scaleNorm: false,
    patch: row.patch,
    temporal: row.temporal_patch,
    channels: 3,
    merge: row.merge,
    positions: 0,
    ...(row.window ? { window: { patches: (row.window / row.patch) ** 2, fullLayers: row.full_attn_layers } } : {}),
    resolution: { kind: 'native', minPixels: 0, maxPixels: 1e6 },
    projector: { input, inner: input, output: row.out_hidden, copies: 1 }
  }
}

function within(value: number, expected: number, share: number): boolean {
  return Math.abs(value - expected) <= share * expected
}

describe.skipIf(!existsSync(table))('against the reference table of models', () => {
  // The body of a skipped block is read all the same.
  const rows = existsSync(table) ? (Object.values(JSON.parse(readFileSync(table, 'utf8'))) as Row[]) : []
  const texts = rows.filter(row => row.vocab)
  const visions = rows.filter(row => row.depth)

  it('covers every row', () => {
    expect(texts.length).toBe(16)
    expect(visions.length).toBe(8)
    expect(texts.length + visions.length).toBe(rows.length)
  })

  it('parameters and FLOPs per token of every text tower within 1 %', () => {
    const wrong = texts.filter(row => {
      const text = textOf(row)
      const parameters = textParameters(text)
      const fits = [
        within(parameters.total, row.params_total, 0.01),
        within(parameters.active, row.params_active, 0.01),
        ...['4096', '8192', '32768'].map(length =>
          within(textFlopsPerToken(text, Number(length)), row.fwd_flops_per_token_at[length], 0.01)
        )
      ]
      return fits.includes(false)
    })
    expect(wrong.map(row => row.name)).toEqual([])
  })

  it('parameters and FLOPs per patch of every vision tower within 1 %', () => {
    const wrong = visions.filter(row => {
      const vision = visionOf(row)
      const { tower, projector } = visionParameters(vision)
      const flops = visionFlops(vision)
      return !(
        within(tower + projector, row.params, 0.01) &&
        within(flops.tower + flops.projector, row.fwd_linear_flops_per_patch, 0.01) &&
        flops.pair === row.attn_pair_flops_per_layer
      )
    })
    expect(wrong.map(row => row.name)).toEqual([])
  })
})

const plain: Layer = {
  attention: { kind: 'softmax', heads: 16, kvHeads: 16, headDim: 64, gated: false, bias: false, normed: false },
  feedForward: { kind: 'dense', width: 4096, gated: false }
}
const [s, h, a] = [2048, 1024, 16]
const alone = { tensor: 1, sequenceParallel: false, context: 1 }
const kept = (rule: ActivationRule, spread = alone) => layerActivationBytes(plain, h, s, s, spread, rule)

describe('activations', () => {
  it('equal the published formulas for a plain layer', () => {
    const none = { recompute: 'none', flash: false } as const
    expect(kept(none)).toBe(s * h * (34 + (5 * a * s) / h))
    expect(kept(none, { tensor: 4, sequenceParallel: false, context: 1 })).toBe(
      s * h * (10 + 24 / 4 + (5 * a * s) / (h * 4))
    )
    expect(kept(none, { tensor: 4, sequenceParallel: true, context: 1 })).toBe(((s * h) / 4) * (34 + (5 * a * s) / h))
    expect(kept({ recompute: 'selective', flash: false }, { tensor: 4, sequenceParallel: true, context: 1 })).toBe(
      (34 * s * h) / 4
    )
    expect(kept({ recompute: 'none', flash: true })).toBe(s * h * (18 + (4 * 4096) / h))
    expect(kept({ recompute: 'full', flash: true })).toBe(2 * s * h)
    expect(kept({ recompute: 'none', flash: true }, { tensor: 1, sequenceParallel: false, context: 4 })).toBe(
      (34 * s * h) / 4
    )
  })

  it('a DeepSeek-V3 layer keeps what dry runs on Ascend report, within 20 %', () => {
    const layer: Layer = {
      attention: {
        kind: 'latent',
        heads: 128,
        queryRank: 1536,
        kvRank: 512,
        plainDim: 128,
        ropeDim: 64,
        valueDim: 128
      },
      feedForward: { kind: 'experts', experts: 256, active: 8, width: 2048, sharedWidth: 2048, sharedGate: false }
    }
    // MB per layer and microbatch: TP4 at 4k 673, TP8 at 8k 738 (hardware notes C2).
    for (const [tensor, length, measured] of [
      [4, 4096, 673],
      [8, 8192, 738]
    ]) {
      const spread = { tensor, sequenceParallel: true, context: 1 }
      const bytes = layerActivationBytes(layer, 7168, length, length, spread, { recompute: 'none', flash: true })
      expect(within(bytes / 1e6, measured, 0.2), `${bytes / 1e6} MB`).toBe(true)
    }
  })
})

describe('vision work', () => {
  const vision: VisionModel = {
    ...visionOf({
      name: 'v',
      hidden: 8,
      merge: 2,
      depth: 4,
      ffn: 16,
      heads: 2,
      patch: 14,
      temporal_patch: 2,
      out_hidden: 6
    }),
    window: { patches: 16, fullLayers: 1 }
  }

  it('attention is per image: windowed layers stay linear', () => {
    const one = visionForward(vision, [100]).tower
    const two = visionForward(vision, [50, 50]).tower
    // Only the full layer gains: 4h * (100^2 - 2 * 50^2).
    expect(one - two).toBe(4 * 8 * (100 * 100 - 2 * 50 * 50))
    expect(visionForward(vision, []).tower).toBe(0)
    expect(visionForward(vision, [8]).tower - 8 * visionFlops(vision).tower).toBe(4 * 8 * 4 * 64)
  })
})
