import {
  type ExecOrder,
  partsOfItem,
  peakInFlight,
  type RuntimeItem,
  type StepType
} from '../../algebra/runtime/steps.ts'
import { line, wrap } from '../../base/wrap.ts'
import type { Style } from './style.ts'

/** Short names of runtime steps; data steps and bubbles are left out of the text. */
const NAMES: Readonly<Record<StepType, string>> = {
  DATA_LOAD: '',
  DATA_SEND: '',
  DATA_RECV: '',
  FWD: 'F',
  BWD: 'B',
  FWD_RECV: 'fr',
  FWD_SEND: 'fs',
  BWD_RECV: 'br',
  BWD_SEND: 'bs',
  OVERLAP_B_F: '',
  BATCH_SEND_RECV: '',
  MPIPE_PARAM_BROADCAST: 'broadcast',
  MPIPE_TRANSPOSE_FWD: 'E',
  MPIPE_FWD_SEND: 'es',
  MPIPE_FWD_RECV: 'er',
  MPIPE_GRAPH_SEND: 'gs',
  MPIPE_GRAPH_RECV: 'gr',
  MPIPE_TRANSPOSE_BWD: 'EB',
  MPIPE_GRAD_SEND: 'xs',
  MPIPE_GRAD_RECV_WITH_BACKWARD: 'xr+EB',
  MPIPE_GRAD_REDUCE: 'reduce'
}

const LEGEND =
  'E encode, EB its backward, F forward, B backward; s sends and r receives: e features, g graphs, x feature gradients, ' +
  'f activations, b gradients; (..) overlapped, [..] one batch. Data steps and bubbles are left out; --json has them.'

/** A runtime's execution order for people: one paragraph per rank, with the peak of stage activations in flight. */
export function execOrderText(order: ExecOrder, stages: number, style: Style): string {
  const peaks = peakInFlight(order)
  const width = `rank ${order.length - 1}`.length
  const lines = order.map((items, rank) => {
    const head = `  ${`rank ${rank}`.padEnd(width)}  `
    const names = items.map(item => nameOf(item, stages > order.length)).filter(Boolean)
    return wrap(names.join(' '), style.columns, ' '.repeat(head.length), head)
  })
  return `Execution order of hyper-parallel\n${lines.join('\n')}\n\n${line(`Peak in flight per rank: ${peaks.join(', ')}`, style.columns)}\n${wrap(LEGEND, style.columns, '')}\n`
}

function nameOf(item: RuntimeItem, showStage: boolean): string {
  if (item === null) return ''
  const names = partsOfItem(item).map(({ type, micro, stage }) => {
    const name = NAMES[type]
    const place = showStage && stage !== null && stage >= 0 && (type === 'FWD' || type === 'BWD') ? `${stage}` : ''
    return name === '' ? '' : `${place}${name}${type === 'MPIPE_PARAM_BROADCAST' ? '' : (micro ?? '')}`
  })
  if (item.type === 'OVERLAP_B_F') return `(${names.join(' ')})`
  return item.type === 'BATCH_SEND_RECV' ? `[${names.join(' ')}]` : names[0]
}
