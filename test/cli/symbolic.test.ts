import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import type { Io } from '../../src/cli/io.ts'
import { buildProgram } from '../../src/cli/program.ts'
import { regimesFor } from '../../src/cli/symbolic.ts'
import { sketch } from '../support/measured.ts'

/** Runs the command line in this process and returns what it prints. */
async function tropipe(...args: readonly string[]): Promise<string> {
  let printed = ''
  const io = {
    style: { columns: 200, colour: false },
    out: (text: string) => {
      printed += text
    },
    err: () => {},
    read: (path: string) => readFile(resolve(import.meta.dirname, '../..', path), 'utf8')
  } as unknown as Io
  await buildProgram(COMMANDS, io, () => {}).parseAsync(args, { from: 'user' })
  return printed
}

const SIZE = ['--ranks', '2', '--microbatches', '2'] as const

describe('derive --closed-form', () => {
  it('prints terms with durations under which each rules, for people', async () => {
    const text = await tropipe('derive', '<transpose, 1f1b>', ...SIZE, '--closed-form')
    expect(text).toContain('the largest of 3 sums')
    expect(text).toMatch(/3f \+ 3b \+ 2c \+ e0 +f=1/)
    expect(text).toContain('In general (c = 0, frozen encoder)')
  })

  it('prints one document with --json, whose witnesses single out their terms', async () => {
    const document = JSON.parse(
      await tropipe('derive', '<transpose, 1f1b>', ...SIZE, '--trainable', '--closed-form', '--json')
    )
    expect(document.format).toBe('tropipe.closed-form/1')
    expect(Object.keys(document.names)).toEqual(['f', 'b', 'c', 'g', 'x', 'e0', 'e1', 'd0', 'd1'])
    type Shown = { counts: Record<string, number>; witness: Record<string, number> }
    const value = (of: Shown, at: Shown) =>
      Object.entries(of.counts).reduce((sum, [name, count]) => sum + count * (at.witness[name] ?? 0), 0)
    const terms: Shown[] = document.terms
    expect(terms.length).toBeGreaterThan(3)
    for (const term of terms) {
      for (const other of terms) if (other !== term) expect(value(other, term)).toBeLessThan(value(term, term))
    }
  })

  it('follows the owner rule and the place of the backward', async () => {
    const size = ['--ranks', '2', '--microbatches', '3', '--closed-form']
    expect(await tropipe('derive', '<transpose, 1f1b>', ...size)).toContain('e0 + e2')
    const min = await tropipe('derive', '<transpose, 1f1b>', ...size, '--overflow', 'min')
    expect(min).not.toContain('In general')
    const first = await tropipe('derive', '<transpose, 1f1b>', ...size, '--trainable', '--backward', 'first-rank')
    expect(first).toContain('d2')
  })

  it('knows GPipe and 1F1B in general', async () => {
    expect(await tropipe('derive', '<gpipe>', ...SIZE, '--closed-form')).toContain('(M + P - 1)(f + b) + 2(P - 1)c')
    expect(await tropipe('derive', '<1f1b>', ...SIZE, '--closed-form')).toContain('(c = 0): (M + P - 1)(f + b)')
  })
})

describe('derive --json', () => {
  it('has placement, seams, gates, events, typed edges with the order in them, phases and peaks', async () => {
    const document = JSON.parse(await tropipe('derive', '<transpose, 1f1b>', ...SIZE, '--trainable', '--json'))
    expect(document.format).toBe('tropipe.derivation/1')
    const types = new Set(document.edges.map((edge: { type: string }) => edge.type))
    expect([...types].sort()).toEqual(['accumulate', 'activation', 'gradient', 'sequence', 'turnaround'])
    expect(
      document.order[0].map((e: { kind: string; microbatch: number }) => `${e.kind}${e.microbatch}`).join(' ')
    ).toBe('E0 F0 F1 B0 B1 EB0')
    expect(document.phases[0]).toEqual({ prefix: 1, warmup: 2, steady: 0, cooldown: 2, suffix: 1 })
    expect(document.inFlight).toEqual([2, 1])
  })
})

describe('derive with explicit inputs', () => {
  it('takes owners one by one', async () => {
    const size = ['--ranks', '2', '--microbatches', '3']
    const text = await tropipe('derive', '<transpose, 1f1b>', ...size, '--owners', '1,1,0')
    expect(text).toContain('microbatches are encoded by ranks 1 1 0')
    expect(text).toContain('rank 1  E0 E1 |')
    await expect(tropipe('derive', '<transpose, 1f1b>', ...size, '--owners', '1,1')).rejects.toThrow(/BAD_OWNERS/)
    await expect(tropipe('derive', '<transpose, 1f1b>', ...size, '--owners', '0,1,2')).rejects.toThrow(/BAD_OWNERS/)
  })

  it('takes owners by a rule that reads durations, from an instance only', async () => {
    const file = 'instances/smoke/frozen-4x8-e15.yaml'
    expect(await tropipe('derive', file, '--owners', 'greedy')).toContain('encoded by ranks 3 2 3 1 2 3 0 1')
    expect(await tropipe('derive', file, '--owners', 'optimal')).toMatch(/encoded by ranks( \d){8}/)
    const size = ['--ranks', '2', '--microbatches', '3', '--owners', 'greedy']
    await expect(tropipe('derive', '<transpose, 1f1b>', ...size)).rejects.toThrow(/NO_DURATIONS/)
  })

  it('takes a bidirectional feed', async () => {
    const text = await tropipe('derive', '<dualpipe>', '--ranks', '4', '--microbatches', '8', '--feed', 'bidirectional')
    expect(text).toContain('twice: stage s on rank s for the first half of the microbatches')
    await expect(tropipe('derive', '<dualpipe>', '--ranks', '4', '--microbatches', '8')).rejects.toThrow(/MISSING_FEED/)
  })
})

describe('regimes', () => {
  it('says which term rules and where another takes over', async () => {
    const text = await tropipe('regimes', 'instances/smoke/frozen-4x8-e15.yaml')
    expect(text).toContain('Now: 376 ticks = 11f + 11b + 16c + e0 + e4, what rank 0 encodes before its body')
    expect(text).toMatch(/from 47 on +10f \+ 10b \+ 14c \+ g \+ e1 +microbatch 1 arriving late at stage 0/)
    expect(text).toContain('Encoder against slack')
    expect(text).toMatch(/Steady period of the body: [\d.]+ ticks per microbatch, the eigenvalue of one round of 1/)
  })

  it('prints one document with --json', async () => {
    const document = JSON.parse(await tropipe('regimes', 'instances/smoke/frozen-4x8-e15.yaml', '--json'))
    expect(document).toMatchObject({ format: 'tropipe.regimes/1', P: 4, M: 8, makespan: 376 })
    expect(Math.max(...document.terms.map((term: { ticks: number }) => term.ticks))).toBe(376)
    expect(document.scales[0].regimes[0].from).toEqual([0, 1])
  })

  it('refuses backbones that vary between microbatches', () => {
    expect(() => regimesFor(sketch({ ranks: 2, microbatches: 2, encoder: 3, forward: [1, 2] }))).toThrow(/NOT_UNIFORM/)
  })

  it('names each stage where stages differ', () => {
    const measured = sketch({ ranks: 2, microbatches: 2, encoder: 3, forward: 4 })
    const [first, ...others] = measured.regions[1].stages
    const slow = first.map(slab => ({ ...slab, forward: slab.forward.map(() => 9) }))
    const regions = [measured.regions[0], { ...measured.regions[1], stages: [slow, ...others] }]
    const { form, ticks } = regimesFor({ ...measured, regions })
    expect(form.names).toContain('f0')
    expect(form.names).toContain('b1')
    // E0, F0 on rank 0, then rank 1 in a row: F0 B0 F1 B1, then B1 on rank 0.
    expect(ticks).toBe(3 + 9 + (4 + 20 + 4 + 20) + 20)
  })
})
