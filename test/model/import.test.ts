import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FaultError } from '../../src/base/fault.ts'
import { importHuggingFace, joinTowers } from '../../src/model/import/huggingface.ts'
import { textParameters, visionParameters } from '../../src/model/parameters.ts'

const shared = resolve(import.meta.dirname, '../../../shared/data')
const load = (path: string) => JSON.parse(readFileSync(path, 'utf8'))
const own = (name: string) => importHuggingFace(load(resolve(import.meta.dirname, 'configs', name)), name)
const example = (name: string) =>
  importHuggingFace(load(resolve(import.meta.dirname, '../../examples/configs', name)), name)

function faultsOf(run: () => unknown) {
  try {
    run()
  } catch (error) {
    if (error instanceof FaultError) return error.faults
    throw error
  }
  return []
}

/** Parameter counts as published with the weights (safetensors totals). */
const PUBLISHED: readonly (readonly [file: string, total: number])[] = [
  ['Qwen2-VL-7B-Instruct.json', 8_291_375_616],
  ['Qwen2.5-VL-7B-Instruct.json', 8_292_166_656],
  ['Qwen3-8B.json', 8_190_735_360],
  ['Qwen3-30B-A3B.json', 30_532_122_624],
  ['Llama3-70B.veomni.json', 70_553_706_496]
]

function total(imported: ReturnType<typeof importHuggingFace>): number {
  const { text, vision } = imported.architecture
  const seen = vision ? visionParameters(vision) : { tower: 0, projector: 0 }
  return (text ? textParameters(text).total : 0) + seen.tower + seen.projector
}

describe.skipIf(!existsSync(shared))('Hugging Face configs', () => {
  const folder = resolve(shared, 'hf-configs')

  it('reads all 18 reference files', () => {
    const files = readdirSync(folder)
    const read = files.filter(file => importHuggingFace(load(resolve(folder, file)), file).architecture)
    expect(files.length).toBe(18)
    expect(read.length).toBe(18)
  })

  it('counts parameters to the last one where the published total is known', () => {
    for (const [file, expected] of PUBLISHED)
      expect([file, total(importHuggingFace(load(resolve(folder, file))))]).toEqual([file, expected])
  })

  it('reports what Qwen2-VL leaves out', () => {
    const { assumptions } = importHuggingFace(load(resolve(folder, 'Qwen2-VL-7B-Instruct.json')))
    const fields = assumptions.map(one => one.field)
    for (const field of ['depth', 'hidden', 'ratio', 'heads', 'merge', 'temporal'])
      expect(fields).toContain(`vision.${field}`)
    expect(assumptions.every(one => one.why.length > 0)).toBe(true)
  })
})

describe('configs written for this project', () => {
  it('InternVL: nested llm_config, tiles, pixel shuffle', () => {
    const { text, vision } = own('internvl3-78b.json').architecture
    expect(text?.layers.length).toBe(80)
    expect(vision).toMatchObject({ depth: 45, hidden: 3200, merge: 2, positions: 1024 })
    expect(vision?.projector).toEqual({ input: 12800, inner: 8192, output: 8192, copies: 1 })
    expect(vision?.resolution).toEqual({ kind: 'tiles', side: 448, maxTiles: 12, thumbnail: true })
    expect((visionParameters(vision!).tower + visionParameters(vision!).projector) / 1e9).toBeCloseTo(5.71, 1)
  })

  it('LLaVA-OneVision: SigLIP without merging, two-layer projector of the text width', () => {
    const { text, vision } = own('llava-onevision-7b.json').architecture
    expect(textParameters(text!).total).toBe(7_615_616_512)
    expect(vision).toMatchObject({ depth: 27, merge: 1, positions: 729 })
    expect(vision?.projector).toEqual({ input: 1152, inner: 3584, output: 3584, copies: 1 })
  })

  it('Kimi-K2.5: latent attention, 384 experts, own names in the vision tower', () => {
    const { text, vision } = own('kimi-k2.5.json').architecture
    expect(textParameters(text!).total / 1e9).toBeCloseTo(1026.4, 0)
    expect(textParameters(text!).active / 1e9).toBeCloseTo(32.86, 1)
    expect(vision).toMatchObject({ depth: 27, hidden: 1152, width: 4304, merge: 2, positions: 4096 })
  })

  it('a separate vision tower takes the width of the text tower', () => {
    const joined = joinTowers(example('deepseek-v3.json'), example('qwen2-vl-vit.json'))
    expect(joined.architecture.vision?.projector).toMatchObject({ input: 5120, output: 7168 })
    expect(joined.assumptions.map(one => one.field)).toContain('vision.projector.output')
    expect(example('qwen2.5-vl-7b.json').architecture.vision).toMatchObject({
      width: 3420,
      window: { patches: 64, fullLayers: 4 }
    })
  })
})

describe('bad configs', () => {
  const codes = (json: unknown) => faultsOf(() => importHuggingFace(json)).map(fault => fault.code)

  it('what is not a model says what to give', () => {
    expect(codes([1, 2])).toEqual(['MODEL_NOT_A_CONFIG'])
    expect(codes({ tokenizer_class: 'X', model_max_length: 1 })).toEqual(['MODEL_NOT_A_CONFIG'])
    expect(codes({ model_type: 'resnet' })).toEqual(['MODEL_NOT_A_CONFIG'])
    expect(faultsOf(() => importHuggingFace({ a: 1 }))[0].advice).toContain('config.json')
  })

  it('an unknown architecture is refused with what was understood', () => {
    const [fault] = faultsOf(() =>
      importHuggingFace({
        model_type: 'mamba9',
        num_hidden_layers: 12,
        hidden_size: 64,
        text_config: { vocab_size: 9 }
      })
    )
    expect(fault.code).toBe('MODEL_UNKNOWN')
    expect(fault.message).toContain('num_hidden_layers 12, hidden_size 64, text_config.vocab_size 9')
    expect(fault.advice).toContain('qwen2_5_vl')
    expect(codes({ model_type: '__proto__', hidden_size: 4 })).toEqual(['MODEL_UNKNOWN'])
  })

  it('wrong and missing numbers come in one report', () => {
    const faults = faultsOf(() =>
      importHuggingFace({ model_type: 'llama', hidden_size: -1, num_hidden_layers: 2.5, num_attention_heads: 'x' })
    )
    expect(faults.map(fault => [fault.code, fault.path])).toEqual([
      ['CONFIG_VALUE', 'hidden_size'],
      ['CONFIG_VALUE', 'num_hidden_layers'],
      ['CONFIG_MISSING', 'vocab_size'],
      ['CONFIG_VALUE', 'num_attention_heads'],
      ['CONFIG_MISSING', 'intermediate_size']
    ])
  })

  it('sizes that contradict each other', () => {
    const base = { model_type: 'llama', hidden_size: 64, num_hidden_layers: 2, vocab_size: 10, intermediate_size: 8 }
    expect(codes({ ...base, num_attention_heads: 8, num_key_value_heads: 3 })).toEqual(['CONFIG_VALUE'])
    const experts = { num_attention_heads: 8, num_experts: 4, num_experts_per_tok: 8, moe_intermediate_size: 4 }
    expect(codes({ ...base, ...experts })).toEqual(['CONFIG_VALUE'])
  })

  it('never fails in another way, whatever is in the file', () => {
    const base = load(resolve(import.meta.dirname, 'configs/kimi-k2.5.json'))
    const values = [null, -1, 0, 1e30, 1.5, 'x', [], {}, true]
    let refused = 0
    let tried = 0
    for (const path of ['', 'text_config', 'vision_config']) {
      const place = path ? base[path] : base
      for (const key of Object.keys(place))
        for (const value of values) {
          const changed = path ? { ...base, [path]: { ...place, [key]: value } } : { ...base, [key]: value }
          tried++
          if (faultsOf(() => importHuggingFace(changed)).length > 0) refused++
        }
    }
    expect(tried).toBeGreaterThan(250)
    expect(refused).toBeGreaterThan(100)
  })
})
