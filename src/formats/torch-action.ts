import type { Action, Run, RunKind, Transfer } from '../schedule/foreign.ts'

/**
 * Actions of PyTorch's pipelining schedules as text (torch.distributed.pipelining, `schedules.py`): `2F0`, `3SEND_F1`,
 * `(0F7;7B3)OVERLAP_F_B`. Its own parser matches prefixes; this one matches whole cells.
 */

const TRANSFERS = {
  SEND_F: { op: 'send', payload: 'activation' },
  RECV_F: { op: 'recv', payload: 'activation' },
  SEND_B: { op: 'send', payload: 'gradient' },
  RECV_B: { op: 'recv', payload: 'gradient' }
} as const
const LOCALS = ['UNSHARD', 'RESHARD', 'REDUCE_GRAD']
const ACTION = /^(\d{1,7})(BW|F|I|B|W|UNSHARD|RESHARD|REDUCE_GRAD|SEND_F|RECV_F|SEND_B|RECV_B)(\d{1,7})?$/
const OVERLAP = /^\(([^()]*)\)OVERLAP_F_B$/

/** A parsed cell; `BW` of the 2024 dialect stays apart until the whole file is known. */
export type TorchAction = Action | { readonly op: 'legacy-full'; readonly stage: number; readonly microbatch: number }

/** Parses one trimmed, non-empty cell; a string says what is wrong with it. */
export function parseTorchAction(cell: string): TorchAction | string {
  const overlap = OVERLAP.exec(cell)
  if (overlap) return parseOverlap(overlap[1])
  const match = ACTION.exec(cell)
  if (!match) return `"${cell.slice(0, 40)}" is not an action`
  const [, stageText, type, microbatchText] = match
  const stage = Number(stageText)
  if (LOCALS.includes(type)) {
    return { op: 'local', name: type, stage, ...(microbatchText ? { microbatch: Number(microbatchText) } : {}) }
  }
  if (microbatchText === undefined) return `${type} needs a microbatch`
  const microbatch = Number(microbatchText)
  if (type === 'BW') return { op: 'legacy-full', stage, microbatch }
  if (type in TRANSFERS) return { ...TRANSFERS[type as keyof typeof TRANSFERS], stage, microbatch }
  return { op: 'run', kind: type as RunKind, stage, microbatch }
}

function parseOverlap(text: string): TorchAction | string {
  const parts = text.split(';').map(part => parseTorchAction(part.trim()))
  const wrong = parts.find(part => typeof part === 'string')
  if (wrong !== undefined) return `in an overlap, ${wrong}`
  if (parts.length < 2) return 'an overlap needs two actions'
  if (parts.some(part => (part as TorchAction).op !== 'run')) return 'an overlap holds F, I, B and W only'
  return { op: 'overlap', parts: parts as Run[] }
}

/** Text of an action; `undefined` for what PyTorch has no action for. */
export function printTorchAction(action: Action): string | undefined {
  switch (action.op) {
    case 'bubble':
      return ''
    case 'run':
      return action.kind === 'E' || action.kind === 'EB'
        ? undefined
        : `${action.stage}${action.kind}${action.microbatch}`
    case 'send':
    case 'recv':
      return printTransfer(action)
    case 'local':
      return LOCALS.includes(action.name) ? `${action.stage}${action.name}${action.microbatch ?? ''}` : undefined
    case 'overlap': {
      const parts = action.parts.map(printTorchAction)
      return parts.includes(undefined) ? undefined : `(${parts.join(';')})OVERLAP_F_B`
    }
    default:
      return undefined
  }
}

function printTransfer({ op, payload, stage, microbatch }: Transfer): string | undefined {
  const found = Object.entries(TRANSFERS).find(([, value]) => value.op === op && value.payload === payload)
  return found && stage >= 0 ? `${stage}${found[0]}${microbatch}` : undefined
}
