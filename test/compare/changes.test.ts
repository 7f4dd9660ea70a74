import { describe, expect, it } from 'vitest'
import { range } from '../../src/base/arrays.ts'
import { compareFamilies } from '../../src/compare/compare.ts'
import { FAMILIES, familyById } from '../../src/heuristics/index.ts'
import { comparisonCsv, comparisonMarkdown, comparisonText } from '../../src/report/text/comparison.ts'
import { verdictSentences } from '../../src/report/text/verdict.ts'
import type { Measured } from '../../src/schedule/measured.ts'
import { measuredOf } from '../support/staged.ts'

const instance = (overlap?: Measured['overlap']): Measured => ({
  ...measuredOf({
    ranks: 4,
    microbatches: 10,
    stages: range(4).map(() => ({ forward: 10, backward: { input: 9, weight: 6 } })),
    encoder: { forward: 8, backward: { input: 3, weight: 4 } },
    communication: { send: 1, gather: 1, scatter: 1 }
  }),
  ...(overlap ? { overlap } : {})
})

const notesOf = (measured: Measured) => new Map(compareFamilies(measured).rows.map(row => [row.family, row.notes]))

describe('what families change', () => {
  it('is said for every family that changes the instance, and for no other', () => {
    const notes = notesOf(instance())
    const fused = 'encoder fused into stage 0'
    const halves = 'each backbone slab cut into 2 equal shares, as if a slab could be cut there'
    const folded = 'stages folded back and forth over the ranks'
    expect(notes.get('inline')).toEqual([fused])
    expect(notes.get('zb-1p')).toEqual([fused])
    expect(notes.get('dedicated')).toEqual([
      'encoder alone on rank 0',
      'backbone cut into 3 equal shares, as if it could be cut anywhere'
    ])
    expect(notes.get('dip')).toEqual(['encoder cut into 4 equal segments, one per rank'])
    expect(notes.get('interleaved')).toEqual([fused, halves, 'rounds of 5 microbatches'])
    for (const id of ['zbv', 'v-half', 'v-min', 'wave']) expect(notes.get(id), id).toEqual([fused, halves, folded])
    expect(notes.get('dualpipe')?.slice(0, 2)).toEqual([fused, '2 copies of the model: parameters 2x on every rank'])
    for (const id of ['transpose-full', 'transpose-greedy', 'stock-min', 'optimus', 'encoder-dp', 'nested'])
      expect(notes.get(id), id).toEqual([])
    expect(notes.size).toBe(FAMILIES.length - 2)
  })

  it('includes joined slabs and cuts that the instance states', () => {
    const two = measuredOf({ ranks: 2, microbatches: 4, stages: range(4).map(() => ({ forward: 1, backward: 2 })) })
    expect(notesOf(two).get('1f1b')).toEqual(['2 neighbouring backbone slabs joined into one'])
    const slabs = instance()
      .regions[1].stages.flat()
      .map(slab => ({ ...slab }))
    const cut = notesOf({ ...instance(), inlineBest: slabs, dedicated: slabs.slice(1) })
    expect(cut.get('inline-best')).toEqual([
      'encoder fused into stage 0',
      'backbone in its best cut (cuts of the instance)'
    ])
    expect(cut.get('dedicated')?.[1]).toBe('backbone cut as the instance states (dedicated)')
  })

  it('names the time that overlapped pairs were charged', () => {
    const charged = (overlap?: Measured['overlap']) => notesOf(instance(overlap)).get('dualpipev')?.at(-1)
    expect(charged()).toMatch(/^overlapped F&B pairs charged F \+ B each, no gain/)
    expect(charged({ kind: 'factor', perMillion: 850_000 })).toContain('charged 0.85 x (F + B) each')
    expect(charged({ kind: 'fixed', ticks: 21 })).toContain('charged 21 us each')
  })

  it('stands in the table, the Markdown, the CSV and the document', () => {
    const families = ['inline', 'zbv'].map(id => familyById(id)!)
    const comparison = compareFamilies(instance(), { families })
    const text = comparisonText(comparison, { colour: false, unicode: true, columns: 200 })
    expect(text).toMatch(/inline .* yes {4}a\n/)
    expect(text).toMatch(/zbv .* yes {4}a b c\n/)
    expect(text).toContain('  b: each backbone slab cut into 2 equal shares')
    expect(comparisonMarkdown(comparison)).toContain('- b: each backbone slab cut into 2 equal shares')
    const [head, inline, zbv] = comparisonCsv([comparison]).split('\r\n')
    expect(head).toMatch(/,notes$/)
    expect(inline).toMatch(/,encoder fused into stage 0$/)
    expect(zbv).toContain('equal shares, as if a slab could be cut there; stages folded')
  })

  it('explains a heuristic that is shorter than the optimum of a narrower problem', () => {
    const families = ['inline', 'zbv'].map(id => familyById(id)!)
    const [inline] = compareFamilies(instance(), { families }).rows
    const sentences = verdictSentences(
      compareFamilies(instance(), {
        families,
        optimum: {
          status: 'optimal',
          makespan: inline.makespan - 1,
          lowerBound: inline.makespan - 1,
          problem: 'placement'
        }
      })
    )
    expect(sentences.find(sentence => sentence.startsWith('Of the heuristics'))).toContain('inline comes closest')
    const wider = compareFamilies(instance(), {
      families,
      optimum: {
        status: 'optimal',
        makespan: inline.makespan - 1,
        lowerBound: inline.makespan - 1,
        problem: 'placement'
      }
    })
    expect(comparisonText(wider, { colour: false, unicode: true, columns: 300 })).toContain(
      'gap: (makespan - optimum) / makespan, negative where a wider problem allows less'
    )
    expect(sentences.at(-1)).toMatch(/^Outside of problem "placement", zbv would take .* less \(encoder fused/)
  })
})
