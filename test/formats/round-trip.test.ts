import { describe, expect, it } from 'vitest'
import { range } from '../../src/base/arrays.ts'
import { orderOfDocument } from '../../src/formats/document-order.ts'
import { detectFormat, type ReadResult, readerById, WRITERS, type Writer } from '../../src/formats/index.ts'
import { type Action, computeOnly, type ForeignOrder, listsTransfers, type Run } from '../../src/schedule/foreign.ts'
import { checkOrder } from '../../src/verify/transport/check.ts'
import { sampleSchedules } from './orders.ts'

function orderOf(result: ReadResult): ForeignOrder {
  if (!result.ok) throw new Error(`${result.faults[0].path}: ${result.faults[0].message}`)
  return result.order
}

/** What has to survive a round trip. */
const meaning = ({ ranks, microbatches, stages, stageToRank, owners, encoderBackward }: ForeignOrder) => ({
  ranks,
  microbatches,
  stages,
  stageToRank,
  owners,
  encoderBackward
})

const samples = sampleSchedules(range(24), { maxRanks: 4, maxMicrobatches: 6 })

function written(
  writer: Writer,
  order: ForeignOrder,
  document?: (typeof samples)[number]['document']
): string | undefined {
  const result = writer.write({ order, ...(document ? { document } : {}) })
  return result.ok ? result.files[0].text : undefined
}

const readable = WRITERS.filter(writer => readerById(writer.id))

describe.each(readable.map(writer => [writer.id, writer] as const))('%s', (id, writer) => {
  const applied = samples.flatMap(sample => {
    const text = written(writer, orderOfDocument(sample.document), sample.document)
    return text === undefined ? [] : [{ sample, text }]
  })

  it('writes enough of the sample schedules', () => {
    expect(applied.length).toBeGreaterThan(40)
  })

  it('is found out by its text', () => {
    for (const { text } of applied) expect(detectFormat(text)?.id).toBe(readerById(id)?.id)
  })

  it('read(write(x)) keeps what runs, in its order', () => {
    for (const { sample, text } of applied) {
      const before = orderOfDocument(sample.document)
      const after = orderOf(readerById(id)!.read(text))
      expect(sortedOwnBackwards(computeOnly(after).ranks), sample.name).toEqual(sortedOwnBackwards(before.ranks))
    }
  })

  it('read(write(x)) == x for what was read, and the text stays the same', () => {
    for (const { text } of applied) {
      const result = readerById(id)!.read(text)
      const order = orderOf(result)
      const again = written(writer, order, result.ok ? result.document : undefined)
      expect(again).toBe(text)
      expect(meaning(orderOf(readerById(id)!.read(again!)))).toEqual(meaning(order))
    }
  })

  it('what is written is legal on every transport', () => {
    for (const { sample, text } of applied) {
      const order = orderOf(readerById(id)!.read(text))
      const verdict = checkOrder(order, { transports: ['buffered', 'rendezvous'] })
      expect(verdict.violations, sample.name).toEqual([])
    }
  })

  it('survives byte order mark, CRLF and blank last lines', () => {
    const { text } = applied[0]
    for (const changed of [`\uFEFF${text}`, text.replaceAll('\n', '\r\n'), `${text}\n\n`]) {
      expect(meaning(orderOf(readerById(id)!.read(changed)))).toEqual(meaning(orderOf(readerById(id)!.read(text))))
    }
  })
})

/** The hyper-parallel runtime folds the encoder's backward of rank 0's microbatches: compare these as sets. */
function sortedOwnBackwards(ranks: readonly (readonly Action[])[]) {
  const isFolded = (action: Action) => action.op === 'run' && action.kind === 'EB'
  const [first, ...rest] = ranks
  const folded = first.filter(isFolded).map(action => (action as Run).microbatch)
  return [first.filter(action => !isFolded(action)), folded.sort((a, b) => a - b), ...rest]
}

describe('samples', () => {
  it('cover the families that need no layer counts', () => {
    expect(new Set(samples.map(sample => sample.family)).size).toBeGreaterThan(15)
    expect(samples.filter(({ document }) => listsTransfers(orderOfDocument(document)))).toEqual([])
  })
})
