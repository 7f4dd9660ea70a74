import type { Action, Run, Transfer } from '../schedule/foreign.ts'
import { SOURCE } from '../schedule/foreign.ts'

/**
 * Steps of the hyper-parallel runtime (MetaStep, and MPIPE_* of its transpose plug-in) against neutral actions. Its
 * `micro` is our microbatch, its `stage` -1 our source.
 */

type Body = Pick<Run, 'op' | 'kind'> | Pick<Transfer, 'op' | 'payload'>

/** Types whose stage is that of the action. */
const PLAIN: Readonly<Record<string, Body>> = {
  FWD: { op: 'run', kind: 'F' },
  BWD: { op: 'run', kind: 'B' },
  BWD_INPUT: { op: 'run', kind: 'I' },
  BWD_WEIGHT: { op: 'run', kind: 'W' },
  FWD_SEND: { op: 'send', payload: 'activation' },
  FWD_RECV: { op: 'recv', payload: 'activation' },
  BWD_SEND: { op: 'send', payload: 'gradient' },
  BWD_RECV: { op: 'recv', payload: 'gradient' },
  DATA_SEND: { op: 'send', payload: 'data' },
  DATA_RECV: { op: 'recv', payload: 'data' }
}

/** Types of the transposed source: the action with its stage, and the stage that the runtime writes. */
const SOURCE_STEPS: Readonly<
  Record<string, { readonly body: Body; readonly stage: number; readonly written: number }>
> = {
  MPIPE_TRANSPOSE_FWD: { body: { op: 'run', kind: 'E' }, stage: SOURCE, written: -1 },
  MPIPE_TRANSPOSE_BWD: { body: { op: 'run', kind: 'EB' }, stage: SOURCE, written: -1 },
  MPIPE_FWD_SEND: { body: { op: 'send', payload: 'activation' }, stage: SOURCE, written: -1 },
  MPIPE_FWD_RECV: { body: { op: 'recv', payload: 'activation' }, stage: 0, written: -1 },
  MPIPE_GRAPH_SEND: { body: { op: 'send', payload: 'graph' }, stage: SOURCE, written: -1 },
  MPIPE_GRAPH_RECV: { body: { op: 'recv', payload: 'graph' }, stage: 0, written: -1 },
  MPIPE_GRAD_SEND: { body: { op: 'send', payload: 'gradient' }, stage: 0, written: 0 }
}

/** Receives the gradient and runs the source's backward in one step. */
export const GRAD_RECV_WITH_BACKWARD = 'MPIPE_GRAD_RECV_WITH_BACKWARD'
const COLLECTIVES = { MPIPE_PARAM_BROADCAST: 'broadcast', MPIPE_GRAD_REDUCE: 'reduce' } as const
const LOCALS = [
  'DATA_LOAD',
  'FSDP_UNSHARD',
  'FSDP_RESHARD',
  'FSDP_REDUCE_GRAD',
  'SWAP_LAUNCH_OFFLOAD',
  'SWAP_WAIT_OFFLOAD',
  'SWAP_LAUNCH_LOAD',
  'SWAP_WAIT_LOAD',
  'SWAP_SET_GROUP'
]
const OVERLAPS = ['OVERLAP_B_F', 'OVERLAP_F_B']
const BATCH = 'BATCH_SEND_RECV'

/** A step as the runtime's JSON has it. */
export type Step = {
  readonly type: string
  readonly micro: number | null
  readonly stage: number | null
  readonly sub_steps?: readonly Step[]
}

/** The actions that a step stands for (a gradient receive with backward is two), or what is wrong with it. */
export function actionsOfStep(step: Step): readonly Action[] | string {
  const { type, micro, stage } = step
  if (OVERLAPS.includes(type) || type === BATCH) return compositeOf(step)
  if (step.sub_steps) return `${type} has no sub_steps`
  if (type in COLLECTIVES) return [{ op: 'collective', name: COLLECTIVES[type as keyof typeof COLLECTIVES] }]
  if (LOCALS.includes(type)) {
    if (stage === null) return `${type} needs a stage`
    return [{ op: 'local', name: type, stage, ...(micro === null ? {} : { microbatch: micro }) }]
  }
  if (micro === null) return isKnown(type) ? `${type} needs a micro` : `"${type.slice(0, 40)}" is no step type`
  if (type === GRAD_RECV_WITH_BACKWARD)
    return [
      { op: 'recv', payload: 'gradient', stage: SOURCE, microbatch: micro },
      { op: 'run', kind: 'EB', stage: SOURCE, microbatch: micro }
    ]
  const source = SOURCE_STEPS[type]
  if (source) return [{ ...source.body, stage: source.stage, microbatch: micro } as Action]
  const plain = PLAIN[type]
  if (!plain) return `"${type.slice(0, 40)}" is no step type`
  if (stage === null) return `${type} needs a stage`
  if (stage < 0 && type !== 'DATA_SEND' && type !== 'DATA_RECV') return `${type} is of a stage, not of the source`
  const at = type === 'DATA_RECV' && stage < 0 ? 0 : stage
  return [{ ...plain, stage: at, microbatch: micro } as Action]
}

function isKnown(type: string): boolean {
  return type in PLAIN || type in SOURCE_STEPS || type === GRAD_RECV_WITH_BACKWARD
}

function compositeOf({ type, sub_steps }: Step): readonly Action[] | string {
  if (!sub_steps || sub_steps.length < 2) return `${type} needs two sub_steps`
  const parts: Action[] = []
  for (const sub of sub_steps) {
    const actions = actionsOfStep(sub)
    if (typeof actions === 'string') return `in ${type}, ${actions}`
    parts.push(...actions)
  }
  if (type === BATCH) {
    if (parts.some(part => part.op !== 'send' && part.op !== 'recv')) return `${type} holds sends and receives only`
    return [{ op: 'batch', parts: parts as Transfer[] }]
  }
  if (parts.some(part => part.op !== 'run')) return `${type} holds FWD and BWD only`
  return [{ op: 'overlap', parts: parts as Run[] }]
}

/** The step of one action on a rank; `undefined` for what the runtime has no step for. */
export function stepOfAction(action: Action, rank: number): Step | null | undefined {
  switch (action.op) {
    case 'bubble':
      return null
    case 'collective': {
      const type = action.name === 'broadcast' ? 'MPIPE_PARAM_BROADCAST' : 'MPIPE_GRAD_REDUCE'
      return action.name === 'broadcast' ? { type, micro: rank, stage: -1 } : { type, micro: null, stage: 0 }
    }
    case 'local':
      if (!LOCALS.includes(action.name)) return undefined
      return { type: action.name, micro: action.microbatch ?? null, stage: action.stage }
    case 'overlap':
      return composite(action.parts[0]?.kind === 'F' ? 'OVERLAP_F_B' : 'OVERLAP_B_F', action.parts, rank)
    case 'batch':
      return composite(BATCH, action.parts, rank)
    default:
      return plainStep(action)
  }
}

function composite(type: string, parts: readonly Action[], rank: number): Step | undefined {
  const steps = parts.map(part => stepOfAction(part, rank))
  if (steps.some(step => !step)) return undefined
  return { type, micro: null, stage: null, sub_steps: steps as Step[] }
}

function plainStep(action: Run | Transfer): Step | undefined {
  const same = (body: Body) =>
    Object.entries(body).every(([key, value]) => action[key as keyof typeof action] === value)
  for (const [type, { body, stage, written }] of Object.entries(SOURCE_STEPS)) {
    if (same(body) && action.stage === stage) return { type, micro: action.microbatch, stage: written }
  }
  for (const [type, body] of Object.entries(PLAIN)) {
    if (!same(body)) continue
    if (action.stage < 0 && type !== 'DATA_SEND') return undefined
    const stage = type === 'DATA_RECV' && action.stage === 0 ? -1 : action.stage
    return { type, micro: action.microbatch, stage }
  }
  return undefined
}
