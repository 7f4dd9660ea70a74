import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FaultError } from '../../src/base/fault.ts'
import { alphaSeconds, collectiveSeconds, roofline, transferSeconds } from '../../src/hardware/cost.ts'
import { explain, unitSentence } from '../../src/hardware/explain.ts'
import { withOverrides } from '../../src/hardware/overrides.ts'
import { HARDWARE, hardwareByName } from '../../src/hardware/presets.ts'

const shared = resolve(import.meta.dirname, '../../../shared/data')
const die = hardwareByName('ascend-910c')

function codesOf(run: () => unknown): string[] {
  try {
    run()
  } catch (error) {
    if (error instanceof FaultError) return error.faults.map(fault => fault.code)
    throw error
  }
  return []
}

describe('hardware presets', () => {
  it('every number has a source and a confidence, every preset its unit', () => {
    const lines = HARDWARE.flatMap(explain)
    expect(HARDWARE.length).toBe(12)
    expect(lines.length).toBeGreaterThan(250)
    expect(lines.filter(line => !line.source || !line.confidence || line.value.includes('NaN'))).toEqual([])
    expect(HARDWARE.map(one => [one.id, one.deviceUnit])).toMatchInlineSnapshot(`
      [
        [
          "ascend-910c-die",
          "die",
        ],
        [
          "ascend-910c-card",
          "card",
        ],
        [
          "cloudmatrix384",
          "die",
        ],
        [
          "ascend-910c-die-560t",
          "die",
        ],
        [
          "ascend-910b-376t",
          "card",
        ],
        [
          "ascend-910b-313t",
          "card",
        ],
        [
          "ascend-910b-280t",
          "card",
        ],
        [
          "nvidia-a100-sxm-80g",
          "card",
        ],
        [
          "nvidia-h100-sxm",
          "card",
        ],
        [
          "nvidia-h800-sxm",
          "card",
        ],
        [
          "nvidia-h200",
          "card",
        ],
        [
          "nvidia-h20",
          "card",
        ],
      ]
    `)
  })

  it('die and card differ by two in peak, memory and bandwidth', () => {
    const card = hardwareByName('ascend-910c-card')
    expect(card.peakTflops.bf16.value).toBe(2 * die.peakTflops.bf16.value)
    expect(card.memory.nominalGiB.value).toBe(128)
    expect(card.links.node.effectiveGBs.value).toBe(300)
    expect(unitSentence(die)).toBe('device = one die; 2 per card, 16 per node, 768 per supernode of 48 nodes')
    expect(unitSentence(card)).toContain('384 per supernode')
  })

  it.skipIf(!existsSync(shared))('agrees with the reference table', () => {
    const table = JSON.parse(readFileSync(resolve(shared, 'hardware-presets.json'), 'utf8'))
    const ids = Object.keys(table).filter(id => !id.startsWith('_'))
    const checked = ids.map(id => {
      const preset = hardwareByName(id)
      expect(preset.peakTflops.bf16.value).toBe(table[id].peak_tflops.bf16)
      expect(preset.memory.nominalGiB.value).toBe(table[id].hbm.nominal_gib)
      const bandwidth = table[id].hbm.bw_tb_s ? table[id].hbm.bw_tb_s * 1000 : table[id].hbm.bw_tib_s * 1099.511627776
      expect(preset.memory.bandwidthGBs.value).toBeCloseTo(bandwidth, 6)
      return id
    })
    expect(checked.length).toBe(10)
  })

  it('unknown names list what exists', () => {
    expect(() => hardwareByName('ascend-999')).toThrow(/ascend-910c-die, .*nvidia-h20/)
  })
})

describe('overrides', () => {
  it('replace numbers and say so', () => {
    const changed = withOverrides(die, { bf16Tflops: 300, memoryGiB: 32, moeLlm: 0.25 })
    expect(changed.peakTflops.bf16).toMatchObject({ value: 300, source: 'override', note: 'preset: 353.9' })
    expect(changed.memory.safeGiB.value).toBeCloseTo(27.5)
    expect(die.peakTflops.bf16.value).toBe(353.9)
  })

  it('what cannot be right is refused, all at once', () => {
    expect(codesOf(() => withOverrides(die, { memoryGiB: 64e9, vit: 1.2, nodeGBs: -1, cardsPerNode: 1.5 }))).toEqual([
      'HARDWARE_RANGE',
      'HARDWARE_RANGE',
      'HARDWARE_RANGE',
      'HARDWARE_RANGE'
    ])
    expect(() => withOverrides(die, { memoryGiB: 512 })).toThrow(/No card has that much HBM/)
    expect(codesOf(() => withOverrides(die, { usableGiB: 70 }))).toEqual(['HARDWARE_RANGE'])
    expect(codesOf(() => withOverrides(die, { hbm: 3 } as never))).toEqual(['UNKNOWN_KEY'])
  })
})

describe('cost arithmetic', () => {
  it('a transfer is launch, latency and bytes over bandwidth', () => {
    // 58.7 MB over UB in a node: 10.5 us + 0.39 ms (hardware table A3).
    expect(transferSeconds(die, die.links.node, 58.72e6) * 1e3).toBeCloseTo(0.402, 3)
    expect(transferSeconds(die, die.links.node, 0)).toBe(0)
  })

  it('a ring moves (n-1)/n of the tensor, an all-reduce twice', () => {
    const alpha = alphaSeconds(die, die.links.node)
    const gather = collectiveSeconds(die, die.links.node, 'all-gather', 8, 8e8) - alpha
    const reduce = collectiveSeconds(die, die.links.node, 'all-reduce', 8, 8e8) - alpha
    expect(gather).toBeCloseTo(7e8 / 150e9, 9)
    expect(reduce).toBeCloseTo(2 * gather, 9)
    expect(collectiveSeconds(die, die.links.node, 'all-reduce', 1, 8e8)).toBe(0)
  })

  it('stays within the measured all-gather of 16 dies by a third', () => {
    // Per-rank messages of HCCL on A3 dies, microseconds (see SOURCES.hccl).
    const rows = [
      [3.8, 366.6],
      [5, 435.1],
      [8.8, 679],
      [21.4, 1628],
      [40, 3080.2]
    ]
    for (const [megabytes, measured] of rows) {
      const modelled = collectiveSeconds(die, die.links.node, 'all-gather', 16, 16 * megabytes * 1e6) * 1e6
      expect(modelled / measured).toBeGreaterThan(0.95)
      expect(modelled / measured).toBeLessThan(4 / 3)
    }
  })

  it('the roofline is the slower side', () => {
    const compute = roofline(die, 353.9e12, 1, 0.5)
    expect(compute).toEqual({ seconds: 2, bound: 'compute' })
    expect(roofline(die, 1, 1e12, 0.5).bound).toBe('memory')
  })
})
