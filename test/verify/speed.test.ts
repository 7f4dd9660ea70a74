import { expect, it } from 'vitest'
import { sizesOf } from '../../src/prove/durations/counting.ts'
import { graphOfDocument } from '../../src/prove/durations/order-graph.ts'
import { proveOrder } from '../../src/prove/durations/prove-order.ts'
import { bodyOrder, bodySequences } from '../../src/schedule/body.ts'
import { buildProblem } from '../../src/schedule/build.ts'
import { toDocument } from '../../src/schedule/document.ts'
import { evaluate } from '../../src/schedule/evaluate.ts'
import type { Problem } from '../../src/schedule/problem.ts'
import { verify } from '../../src/verify/verify.ts'
import { generateMeasured } from '../support/generate.ts'

const PASSES = 500

/** Encodes as a prefix, their backwards as a suffix, dealt out over the ranks. */
function roundRobin(problem: Problem, body: readonly (readonly number[])[]): number[][] {
  const of = (kind: string, rank: number) =>
    problem.events.filter(e => e.key.kind === kind && e.key.microbatch % problem.ranks === rank).map(e => e.id)
  return body.map((events, rank) => [...of('E', rank), ...events, ...of('EB', rank)])
}

const milliseconds = (run: () => unknown): number => {
  const from = performance.now()
  run()
  return performance.now() - from
}

it('proves 64 ranks x 512 microbatches within 500 longest-path passes, timed and for every duration', async () => {
  const size = { ranks: 64, microbatches: 512, chunks: 1, split: false, skeleton: '1f1b' } as const
  const measured = generateMeasured(3, {
    ...size,
    source: 'transposed',
    trainableSource: true,
    encoderBackward: 'owner'
  })
  const limited = { ...measured, capacity: measured.capacity.map(() => 2 ** 40) }
  const problem = buildProblem(limited)
  const sequences = roundRobin(problem, bodySequences(problem, bodyOrder(limited)))
  const evaluation = evaluate(problem, sequences)
  if (evaluation.kind === 'cycle') throw new Error('the order finishes')
  const document = toDocument(problem, evaluation.schedule)
  const pass = Math.min(...[1, 2, 3].map(() => milliseconds(() => evaluate(problem, sequences))))
  let verdict = verify(limited, document)
  const proof = milliseconds(() => {
    verdict = verify(limited, document)
  })
  expect(verdict.legal).toBe(true)
  expect(document.ranks.flat().length).toBeGreaterThan(65_536)
  expect(proof).toBeLessThan(PASSES * pass)
  const from = performance.now()
  const order = await proveOrder(graphOfDocument(limited, document), { sizes: sizesOf(limited) })
  expect(order.faults).toEqual([])
  expect(performance.now() - from).toBeLessThan(PASSES * pass)
}, 180_000)
