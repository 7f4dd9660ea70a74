import type { Overflow } from '../algebra/placement.ts'
import { type RuntimeBody, type RuntimeRequest, runtimeOrder } from '../algebra/runtime/hyper-parallel.ts'
import { type ExecOrder, peakInFlight } from '../algebra/runtime/steps.ts'
import { type EncoderBackward, layoutOf, type Skeleton } from '../algebra/types.ts'
import { fail } from '../base/fault.ts'

/** The options of `derive --runtime hyper-parallel`. */
export type RuntimeOptions = {
  readonly trainable: boolean
  readonly backward: EncoderBackward
  readonly overflow: Overflow
  readonly lessMemory: boolean
  readonly chunks: number
  readonly layers: number
  readonly body: 'gpipe' | '1f1b' | 'interleaved' | undefined
  readonly overlapBF: boolean
}

/**
 * The stock schedule that a SPEC and the options name: `<transpose, 1f1b>` is the runtime's mpipe, one Sharded region its
 * gpipe, 1f1b or interleaved. Without --body, mpipe and several chunks take the interleaved body, as the runtime does.
 * @throws FaultError where the runtime has no such schedule
 */
export function runtimeRequest(
  skeletons: readonly Skeleton[],
  size: { readonly ranks: number; readonly microbatches: number },
  options: RuntimeOptions
): RuntimeRequest {
  const [first, ...rest] = skeletons
  const transposed = layoutOf(first) === 'Replicated'
  const sharded = transposed ? rest : skeletons
  if (sharded.length === 0 || sharded.some(s => s !== sharded[0] || layoutOf(s) === 'Replicated')) {
    fail(
      'RUNTIME_SCHEDULE',
      'SPEC',
      skeletons,
      'hyper-parallel has no such schedule',
      'Use <1f1b>, <gpipe>, <transpose, 1f1b>, or several 1f1b regions for chunks.'
    )
  }
  const chunks = sharded.length > 1 ? sharded.length : options.chunks
  const request = { ...size, body: bodyOf(sharded[0], chunks, transposed, options) }
  if (!transposed) return request
  const { layers, trainable, backward, overflow } = options
  return { ...request, transpose: { layers, trainable, backward, overflow } }
}

function bodyOf(skeleton: Skeleton, chunks: number, transposed: boolean, options: RuntimeOptions): RuntimeBody {
  const kind =
    options.body ??
    (skeleton === 'gpipe' ? 'gpipe' : transposed || chunks > 1 || options.overlapBF ? 'interleaved' : '1f1b')
  if (kind === 'interleaved') {
    return {
      kind,
      chunks,
      warmup: options.lessMemory ? 'less-memory' : 'classic',
      overlapBackwardForward: options.overlapBF
    }
  }
  if (chunks > 1)
    fail(
      'RUNTIME_CHUNKS',
      '--chunks',
      chunks,
      `the runtime's ${kind} has one chunk per rank`,
      'Use --body interleaved.'
    )
  return { kind }
}

/** The exchange document: the request as `config`, peaks, and `exec_order` keyed by rank. */
export function execOrderDocument(request: RuntimeRequest): unknown {
  const order: ExecOrder = runtimeOrder(request)
  return {
    format: 'hyper-parallel/exec-order',
    config: request,
    peak_in_flight: peakInFlight(order),
    exec_order: Object.fromEntries(order.map((items, rank) => [String(rank), items]))
  }
}
