import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sum } from '../../src/base/arrays.ts'
import { FaultError } from '../../src/base/fault.ts'
import { importMindSpeed, isMindSpeed } from '../../src/model/import/mindspeed.ts'
import { loadInstance } from '../../src/model/load.ts'
import { textParameters, visionParameters } from '../../src/model/parameters.ts'

const shared = resolve(import.meta.dirname, '../../../shared/data/mindspeed-mm')

/** Written for this test in the shape of MindSpeed-MM's model.json, sizes of Qwen2.5-VL-72B. */
function modelJson(vision: unknown, text: unknown) {
  return {
    model_id: 'qwen2_5vl',
    image_encoder: {
      vision_encoder: {
        num_layers: 32,
        hidden_size: 1280,
        ffn_hidden_size: 3456,
        num_attention_heads: 16,
        gated_linear_unit: true,
        patch_size: 14,
        spatial_merge_size: 2,
        temporal_patch_size: 2,
        in_channels: 3,
        normalization: 'RMSNorm',
        window_attn_size: 112,
        fullatt_block_indexes: [7, 15, 23, 31],
        pipeline_num_layers: vision,
        freeze: true
      },
      vision_projector: { hidden_size: 8192, ffn_hidden_size: 5120, freeze: true }
    },
    text_decoder: {
      num_layers: 80,
      hidden_size: 8192,
      ffn_hidden_size: 29568,
      num_attention_heads: 64,
      num_query_groups: 8,
      add_qkv_bias: true,
      gated_linear_unit: true,
      vocab_size: 152064,
      untie_embeddings_and_output_weights: true,
      pipeline_num_layers: text
    }
  }
}

const eight = [32, 0, 0, 0, 0, 0, 0, 0]

function faults(json: ReturnType<typeof modelJson>) {
  try {
    importMindSpeed(json)
  } catch (error) {
    if (error instanceof FaultError) return error.faults
    throw error
  }
  return []
}

describe('MindSpeed-MM model.json', () => {
  it('has the sizes of the published model', () => {
    const { architecture, cuts, frozen } = importMindSpeed(modelJson(eight, [6, 11, 11, 11, 11, 11, 11, 8]))
    expect(textParameters(architecture.text!).total).toBe(72_706_203_648)
    const { tower, projector } = visionParameters(architecture.vision!)
    expect((tower + projector) / 1e6).toBeCloseTo(704.6, 0)
    expect([sum(cuts.text!), sum(cuts.vision!), cuts.chunks]).toEqual([80, 32, 1])
    expect(frozen).toEqual({ vision: true, projector: true })
  })

  it('checks the sums of its cuts, which MindSpeed-MM itself does not (P12)', () => {
    const [fault] = faults(modelJson(eight, [6, 11, 11, 11, 11, 11, 11, 7]))
    expect([fault.code, fault.message]).toEqual(['CUT_SUM', '79 of 80 layers placed'])
    expect(faults(modelJson([31, 0, 0, 0, 0, 0, 0, 0], [6, 11, 11, 11, 11, 11, 11, 8]))[0].message).toBe(
      '31 of 32 layers placed'
    )
    expect(faults(modelJson([32, 0, 0, 0], [6, 25, 25, 24]))).toEqual([])
    expect(faults(modelJson(eight, [6, 25, 25, 24]))[0].code).toBe('CUT_LENGTH')
  })

  it('reads the two-dimensional form chunk after chunk', () => {
    const vision = [
      [10, 10, 10, 2],
      [0, 0, 0, 0]
    ]
    const text = [
      [0, 0, 0, 10],
      [20, 20, 20, 10]
    ]
    const { cuts } = importMindSpeed(modelJson(vision, text))
    expect([cuts.chunks, cuts.text]).toEqual([2, [0, 0, 0, 10, 20, 20, 20, 10]])
    expect(faults(modelJson(vision, [[40], [20, 20]]))[0].code).toBe('CUT_SHAPE')
    expect(faults(modelJson('x', [80]))[0].code).toBe('CUT_SHAPE')
  })

  it('its cut becomes the cut of the instance', () => {
    const loaded = loadInstance(
      JSON.stringify({
        format: 'tropipe.instance/1',
        name: 'qwen72b',
        ranks: 8,
        microbatches: 16,
        model: modelJson(eight, [6, 11, 11, 11, 11, 11, 11, 8]),
        parallel: { tp: 4, dp: 4, sequence: 2048 },
        hardware: 'ascend-910c'
      }),
      'json'
    )
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults))
    const [first, second] = loaded.document.regions[1].stages.map(one => one.forward as number)
    expect(second / first).toBeCloseTo(11 / 6, 3)
  })

  it.skipIf(!existsSync(shared))('reads real files with their cuts', () => {
    const read = [
      'examples_qwen2.5vl_model_72b.json',
      'examples_qwen2.5vl_model_7b.json',
      'examples_mindspore_qwen3vl_model_8B.json'
    ]
      .map(file => JSON.parse(readFileSync(resolve(shared, file), 'utf8')))
      .filter(isMindSpeed)
      .map(json => importMindSpeed(json))
    expect(read.map(one => one.cut)).toEqual([
      [6, 11, 11, 11, 11, 11, 11, 8],
      [12, 16],
      [6, 10, 10, 10]
    ])
    expect(read.map(one => textParameters(one.architecture.text!).total)).toEqual([
      72_706_203_648, 7_615_616_512, 8_190_735_360
    ])
  })
})
