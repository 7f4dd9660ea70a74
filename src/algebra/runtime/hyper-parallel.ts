import { fail } from '../../base/fault.ts'
import type { Warmup } from '../orders/body.ts'
import { addLoads, batchTransfers, scanColumns } from './column-scan.ts'
import { interleavedGrid } from './grid.ts'
import { gpipeExecOrder, oneForwardOneBackwardExecOrder } from './plain.ts'
import type { ExecOrder } from './steps.ts'
import { type TransposeOptions, transposeExecOrder } from './transpose.ts'

/** The body that the runtime is asked for. */
export type RuntimeBody =
  | { readonly kind: 'gpipe' }
  | { readonly kind: '1f1b' }
  | {
      readonly kind: 'interleaved'
      readonly chunks: number
      readonly warmup: Warmup
      readonly overlapBackwardForward?: boolean
    }

/** A stock schedule of the runtime: P, M, a body, and a transposed source where there is one. */
export type RuntimeRequest = {
  readonly ranks: number
  readonly microbatches: number
  readonly body: RuntimeBody
  readonly transpose?: Omit<TransposeOptions, 'microbatches'>
}

/**
 * The execution order of the hyper-parallel runtime, step by step as its generator lists it (commits 0e81ad83 for the
 * bodies, 17442365 for the transpose). Overlapped pairs imply batched transfers, as the runtime's `auto` transport does;
 * a transposed schedule never overlaps.
 * @throws FaultError for sizes that are not positive integers
 */
export function runtimeOrder(request: RuntimeRequest): ExecOrder {
  checkSizes(request)
  const { ranks, microbatches, body, transpose } = request
  if (!transpose) return bodyExecOrder(request)
  const plain = body.kind === 'interleaved' ? { ...body, overlapBackwardForward: false } : body
  return transposeExecOrder(bodyExecOrder({ ranks, microbatches, body: plain }), { ...transpose, microbatches })
}

function bodyExecOrder({ ranks, microbatches, body }: RuntimeRequest): ExecOrder {
  switch (body.kind) {
    case 'gpipe':
      return gpipeExecOrder({ ranks, microbatches })
    case '1f1b':
      return oneForwardOneBackwardExecOrder({ ranks, microbatches })
    case 'interleaved': {
      const overlap = body.overlapBackwardForward ?? false
      const grid = interleavedGrid(
        { ranks, microbatches, chunks: body.chunks },
        { warmup: body.warmup, overlapBackwardForward: overlap }
      )
      const order = addLoads(scanColumns(grid, ranks * body.chunks))
      return overlap ? batchTransfers(order) : order
    }
  }
}

function checkSizes({ ranks, microbatches, body, transpose }: RuntimeRequest): void {
  const sizes: Record<string, number> = { ranks, microbatches, chunks: body.kind === 'interleaved' ? body.chunks : 1 }
  for (const [path, value] of Object.entries(sizes)) {
    if (!Number.isInteger(value) || value < 1)
      fail('NOT_POSITIVE', path, value, `${path} must be a positive integer`, 'Give 1 or more.')
  }
  if (transpose && (!Number.isInteger(transpose.layers) || transpose.layers < 0))
    fail('NEGATIVE', 'layers', transpose.layers, 'layers must be an integer of at least 0', 'Give 0 for data only.')
}
