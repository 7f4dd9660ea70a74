import { describe, expect, it } from 'vitest'
import { sum } from '../../src/base/arrays.ts'
import { type Cut, cutFaults, emptyStages } from '../../src/formats/cut.ts'
import {
  cutOfLayout,
  groupSizeFault,
  type LayoutStage,
  layoutFaults,
  layoutOfCut,
  parseLayout,
  printLayout
} from '../../src/formats/megatron-layout.ts'
import { readMindspeed, writeMindspeed } from '../../src/formats/mindspeed-mm.ts'
import { seededRandom } from '../support/generate.ts'
import { hasShared, sharedFiles, sharedText } from './shared.ts'

function stagesOf(text: string): readonly LayoutStage[] {
  const result = parseLayout(text)
  if (!result.ok) throw new Error(result.faults[0].message)
  return result.stages
}

const total = (stages: readonly LayoutStage[], letter: keyof LayoutStage) => sum(stages.map(stage => stage[letter]))

describe('Megatron layout strings', () => {
  it.each([
    ['Et*2|(t*2|)*34,t*3|(t*2|)*3,tL', 8, 40, 80],
    ['Et|(tt|)*30L', 16, 32, 61],
    ['E,(t)*13|(t)*14,L', 2, 2, 27],
    ['Et*3|(tt|)*29,m|L', 8, 32, 61],
    ['E|(t|)*3,m|m||L', 8, 8, 3],
    ['E|t*3|(t|)*5mL', 8, 8, 8],
    ['E||t|L', 4, 4, 1]
  ])('%s', (text, ranks, stages, layers) => {
    const parsed = stagesOf(text)
    expect([parsed.length, total(parsed, 't'), parsed.length % ranks]).toEqual([stages, layers, 0])
  })

  it('the last rank of the 61 layer layout holds two layers and the loss', () => {
    expect(stagesOf('Et|(tt|)*30L').slice(-2)).toEqual([
      { E: 0, t: 2, m: 0, L: 0 },
      { E: 0, t: 0, m: 0, L: 1 }
    ])
  })

  it('a split loss is refused for stock Megatron', () => {
    const stages = stagesOf('E|(t|)*10m|m|m|LL|LL')
    expect([stages.length, total(stages, 't'), total(stages, 'm'), total(stages, 'L')]).toEqual([16, 10, 3, 4])
    expect(layoutFaults(stages, { ranks: 8 }).map(fault => fault.code)).toEqual(['LOSS', 'MTP'])
  })

  it.each([
    ['E|(tt)|L', 3],
    ['E|(t(t)*2)*3|L', 3],
    ['E|t x|L', 4],
    ['E|(tt|L', 3],
    ['E|v*3|L', 3],
    ['E|t*0|L', 3],
    ['E|t*999999|L', 3],
    ['Et)|L', 3]
  ])('refuses %s at its character', (text, column) => {
    const result = parseLayout(text)
    expect(result.ok ? [] : [result.faults[0].row, result.faults[0].column]).toEqual([1, column])
  })

  it('prints what parses back to the same stages', () => {
    const random = seededRandom(11)
    for (let round = 0; round < 300; round++) {
      const count = random.int(1, 12)
      const stages = Array.from({ length: count }, (_, k) => ({
        E: k === 0 ? 1 : 0,
        t: random.int(0, 3) === 0 ? random.int(0, 9) : 2,
        m: k === count - 1 ? random.int(0, 2) : 0,
        L: k === count - 1 ? 1 : 0
      }))
      expect(stagesOf(printLayout(stages))).toEqual(stages)
    }
    for (const text of ['Et*2|(t*2|)*34,t*3|(t*2|)*3,tL', 'Et|(tt|)*30L', 'E||||t|L'])
      expect(stagesOf(printLayout(stagesOf(text)))).toEqual(stagesOf(text))
  })

  it('a cut becomes a layout, layers conserved', () => {
    const cut: Cut = { ranks: 4, stages: 4, modules: [{ name: 'text', layers: 30, perStage: [8, 8, 7, 7] }] }
    const written = layoutOfCut(cut)
    if (!written.ok) throw new Error(written.faults[0].message)
    expect(written.text).toBe('Et*8|t*8|t*7|t*7L')
    expect(cutOfLayout(stagesOf(written.text), 4)).toEqual(cut)
    const lost = layoutOfCut({ ...cut, modules: [{ name: 'text', layers: 30, perStage: [7, 7, 7, 7] }] })
    expect(lost.ok ? '' : lost.faults[0].message).toBe('28 of 30 layers placed')
  })

  it('an encoder has no letter; two ranks with chunks are warned', () => {
    const vision: Cut = {
      ranks: 2,
      stages: 2,
      modules: [
        { name: 'vision', layers: 3, perStage: [3, 0] },
        { name: 'text', layers: 4, perStage: [2, 2] }
      ]
    }
    expect(layoutOfCut(vision)).toMatchObject({ ok: false, faults: [{ code: 'NOT_EXPRESSIBLE' }] })
    const two = layoutOfCut({ ranks: 2, stages: 4, modules: [{ name: 'text', layers: 4, perStage: [1, 1, 1, 1] }] })
    expect(two.ok && two.notes.join()).toMatch(/overlap-p2p/)
  })

  it.each([
    [4, false],
    [5, true],
    [6, true],
    [8, false],
    [10, true],
    [3, false],
    [11, false]
  ])('group of %i microbatches for P=4, M=10: %s', (group, legal) => {
    expect(groupSizeFault(4, 10, group) === undefined).toBe(legal)
  })
})

describe('MindSpeed-MM lists', () => {
  const text = (vision: unknown, llm: unknown, layers = [32, 80]) =>
    JSON.stringify({
      image_encoder: { vision_encoder: { num_layers: layers[0], pipeline_num_layers: vision, freeze: true } },
      text_decoder: { num_layers: layers[1], pipeline_num_layers: llm }
    })

  it.each([
    [[32, 0, 0, 0, 0, 0, 0, 0], [6, 11, 11, 11, 11, 11, 11, 8], 8, 8],
    [[32, 0, 0, 0], [6, 25, 25, 24], 4, 4],
    [
      [
        [10, 10, 10, 2],
        [0, 0, 0, 0],
        [0, 0, 0, 0]
      ],
      [
        [0, 0, 0, 8],
        [8, 8, 8, 8],
        [8, 8, 12, 12]
      ],
      4,
      12
    ]
  ])('reads %j with %j', (vision, llm, ranks, stages) => {
    const result = readMindspeed(text(vision, llm))
    if (!result.ok) throw new Error(result.faults[0].message)
    expect([result.cut.ranks, result.cut.stages]).toEqual([ranks, stages])
    const written = writeMindspeed(result.cut)
    if (!written.ok) throw new Error(written.faults[0].message)
    expect(readMindspeed(written.modelJson)).toEqual(result)
    expect(JSON.parse(written.modelJson)).toEqual(JSON.parse(text(vision, llm)))
    const rows = (list: unknown) => JSON.stringify(Array.isArray((list as unknown[])[0]) ? list : [list])
    expect(written.converter).toBe(`vit_pp_layers ${rows(vision)}\nllm_pp_layers ${rows(llm)}\n`)
  })

  it.each([
    ['sum', [32, 0], [6, 11], 'LAYERS'],
    ['length', [32, 0], [40, 20, 20], 'LIST_LENGTH'],
    ['depth', [16, 16], [40, 40], 'DEPTH'],
    [
      'ragged',
      [[16, 16], [0]],
      [
        [20, 20],
        [20, 20]
      ],
      'TYPE'
    ],
    ['negative', [33, -1], [40, 40], 'TYPE']
  ])('refuses a wrong %s with row and column', (_, vision, llm, code) => {
    const result = readMindspeed(text(vision, llm))
    expect(result.ok ? [] : result.faults.map(fault => fault.code)).toContain(code)
    expect(result.ok ? {} : result.faults[0]).toMatchObject({ row: 1, column: expect.any(Number) })
  })

  it('lost layers are named', () => {
    const result = readMindspeed(text([32, 0, 0, 0], [7, 7, 7, 7], [32, 30]))
    expect(result.ok ? '' : result.faults[0].message).toBe('28 of 30 text layers placed')
  })

  it.skipIf(!hasShared)('reads the configurations from outside', () => {
    const files = sharedFiles('mindspeed-mm').filter(name => name.endsWith('.json'))
    expect(files.length).toBeGreaterThan(2)
    for (const name of files) {
      const result = readMindspeed(sharedText('mindspeed-mm', name))
      if (!result.ok) throw new Error(`${name}: ${result.faults[0].message}`)
      const written = writeMindspeed(result.cut)
      expect(written.ok && readMindspeed(written.modelJson)).toMatchObject({ ok: true, cut: result.cut })
    }
  })
})

describe('cuts', () => {
  it('name the stages without layers', () => {
    const cut: Cut = { ranks: 4, stages: 4, modules: [{ name: 'text', layers: 5, perStage: [2, 2, 1, 0] }] }
    expect(emptyStages(cut)).toEqual([3])
    expect(cutFaults(cut)).toEqual([])
    expect(cutFaults({ ...cut, ranks: 3 }).map(fault => fault.code)).toEqual(['STAGES'])
  })
})
