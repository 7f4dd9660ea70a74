import { describe, expect, it } from 'vitest'
import { hyperParallelReader } from '../../src/formats/hyper-parallel.ts'
import { torchCsvReader } from '../../src/formats/torch-csv.ts'
import { proveForeignOrder } from '../../src/prove/foreign.ts'
import { sharedFiles, sharedText } from '../formats/shared.ts'

const golden = sharedFiles('hyperparallel-golden')
const csv = sharedFiles('torch-csv')

describe.skipIf(golden.length === 0)('orders of the hyper-parallel runtime, for every duration', () => {
  it.each(golden)('%s: legal, with the activations in flight that its own metrics state', async name => {
    const text = sharedText('hyperparallel-golden', name)
    const read = hyperParallelReader.read(text)
    if (!read.ok) throw new Error(read.faults[0].message)
    const { document } = await proveForeignOrder(read.order)
    expect(document).toMatchObject({ legal: true, violations: [] })
    const stated: number[] = JSON.parse(text).metrics.peak_inflight_micro_chunks_per_rank
    // The stored metric lets an overlapped backward end before its forward begins; here both are live at once.
    const overlapped = name.includes('overlapbf') ? 1 : 0
    expect(document.everyDuration?.inFlight).toEqual(stated.map(count => count + overlapped))
  })
})

describe.skipIf(csv.length === 0)('PyTorch schedules, for every duration', () => {
  it.each(csv)('%s: legal', async name => {
    const read = torchCsvReader.read(sharedText('torch-csv', name))
    if (!read.ok) throw new Error(read.faults[0].message)
    const { document } = await proveForeignOrder(read.order)
    expect(document).toMatchObject({ legal: true, violations: [] })
    expect(document.everyDuration?.needed).toContain('send')
  })
})
