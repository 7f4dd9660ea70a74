import { describe, expect, it } from 'vitest'
import { phasesOf } from '../../../src/report/text/derivation.ts'
import { runHere } from '../../cli/memory-io.ts'

describe('derivation', () => {
  it('of <transpose, 1f1b>, trained, at 80 columns', async () => {
    const args = ['derive', '<transpose, 1f1b>', '--ranks', '2', '--microbatches', '3', '--trainable']
    const { code, stdout } = await runHere(args, { columns: 80 })
    expect(code).toBe(0)
    expect(stdout).toMatchInlineSnapshot(`
      "<transpose, 1f1b>  2 ranks x 3 microbatches

      Regions, input to loss
        region   skeleton   layout      weights  placement
        region0  transpose  Replicated  trained  whole on every rank; microbatch m is
                                                 encoded by rank m mod 2
        region1  1f1b       Sharded     trained  stages 0-1, stage s on rank s mod 2

      Seams
        between             forward  backward  because
        region0 -> region1  Gather   Scatter   region0 is trained and needs the
                                               gradient

      Backward gates (Lemma 1; they read the trained bits only, never the skeletons)
                                                                        reduces
        region   runs a backward     sends a gradient upstream          weights
        region0  yes, it is trained  no, nothing before it is trained   yes
        region1  yes, it is trained  yes, region0 before it is trained  yes

      Events
        9 Fwd, 9 Bwd, 6 Coll, 3 Loss, 1 Broadcast, 3 DpReduce, 1 StepBarrier; edges:
        18 activation, 9 gradient, 3 turnaround, 6 sequence, 9 accumulate

      Order per rank (transpose-full; phases divided by "|": prefix, warmup, steady,
        cooldown, suffix)
        rank 0  E0 E2 | F0 F1 | B0 F2 | B1 B2 | EB0 EB2
        rank 1  E1 | F0 | B0 F1 B1 F2 | B2 | EB1

      Phases (events in each) and peak of forwards in flight
                                                                        encodes
        rank  prefix  warmup  steady  cooldown  suffix  peak in flight  microbatches
           0       2       2       2         2       2               2  0, 2
           1       1       1       4         1       1               1  1
      "
    `)
  })

  it('divides an order into its phases', () => {
    const key = (text: string) => {
      const [, kind, microbatch] = /^([A-Z]+)(\d+)$/.exec(text) ?? []
      const stage = kind.startsWith('E') ? -1 : 0
      return { kind: kind as 'F', region: 0, stage, microbatch: Number(microbatch), item: 0, chunk: 0, replica: 0 }
    }
    const split = (text: string) =>
      phasesOf(text.split(' ').map(key)).map(phase => phase.map(event => `${event.kind}${event.microbatch}`).join(' '))
    expect(split('E0 E2 F0 F1 B0 F2 B1 B2 EB0 EB2')).toEqual(['E0 E2', 'F0 F1', 'B0 F2', 'B1 B2', 'EB0 EB2'])
    expect(split('F0 F1')).toEqual(['', 'F0 F1', '', '', ''])
    expect(split('E0 EB0')).toEqual(['E0', '', '', '', 'EB0'])
  })
})
