/**
 * Steps of the hyper-parallel runtime, in that runtime's own words (its `micro` is our microbatch, its `stage` -1 stands
 * for the transposed region). The names are the exchange format's, so they are not translated here.
 */
export type StepType =
  | 'DATA_LOAD'
  | 'DATA_SEND'
  | 'DATA_RECV'
  | 'FWD'
  | 'BWD'
  | 'FWD_RECV'
  | 'FWD_SEND'
  | 'BWD_RECV'
  | 'BWD_SEND'
  | 'OVERLAP_B_F'
  | 'BATCH_SEND_RECV'
  | 'MPIPE_PARAM_BROADCAST'
  | 'MPIPE_TRANSPOSE_FWD'
  | 'MPIPE_FWD_SEND'
  | 'MPIPE_FWD_RECV'
  | 'MPIPE_GRAPH_SEND'
  | 'MPIPE_GRAPH_RECV'
  | 'MPIPE_TRANSPOSE_BWD'
  | 'MPIPE_GRAD_SEND'
  | 'MPIPE_GRAD_RECV_WITH_BACKWARD'
  | 'MPIPE_GRAD_REDUCE'

/** One step of a rank's list; composites have `sub_steps` and no microbatch or stage of their own. */
export type RuntimeStep = {
  readonly type: StepType
  readonly micro: number | null
  readonly stage: number | null
  readonly sub_steps?: readonly RuntimeStep[]
}

/** `null` is a pipeline bubble that the runtime's generator leaves in its list and its executor skips. */
export type RuntimeItem = RuntimeStep | null

/** Per rank the steps in order (P lists). */
export type ExecOrder = readonly (readonly RuntimeItem[])[]

/** A plain step. */
export function step(type: StepType, micro: number | null, stage: number | null): RuntimeStep {
  return { type, micro, stage }
}

/** A step made of others: an overlapped pair, or transfers that are issued together. */
export function composite(type: 'OVERLAP_B_F' | 'BATCH_SEND_RECV', subSteps: readonly RuntimeStep[]): RuntimeStep {
  return { type, micro: null, stage: null, sub_steps: subSteps }
}

/** The steps that do the work of an item: its parts where composite, itself otherwise, none for a bubble. */
export function partsOfItem(item: RuntimeItem): readonly RuntimeStep[] {
  return item === null ? [] : (item.sub_steps ?? [item])
}

/** The most stage activations that each rank holds at once: FWD adds one, BWD frees one. */
export function peakInFlight(order: ExecOrder): number[] {
  return order.map(items => {
    let [now, peak] = [0, 0]
    for (const { type } of items.flatMap(partsOfItem)) {
      if (type === 'FWD') now++
      if (type === 'BWD') now--
      if (now > peak) peak = now
    }
    return peak
  })
}
