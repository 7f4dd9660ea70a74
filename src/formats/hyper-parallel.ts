import { range } from '../base/arrays.ts'
import type { Action, Position } from '../schedule/foreign.ts'
import { orderOfSteps, RECV_BATCH } from './hyper-parallel-order.ts'
import { actionsOfStep, type Step } from './hyper-parallel-steps.ts'
import { type JsonNode, type JsonText, parseJsonText } from './json-text.ts'
import { LIMITS, MAX_FAULTS } from './limits.ts'
import { type Reader, type ReadResult, type TextFault, textFault } from './types.ts'

/** hyper-parallel's `exec_order` as JSON: rank -> list of MetaStep and MPIPE_* steps, `null` for a bubble. */
export const hyperParallelReader: Reader = {
  id: 'hyper-parallel',
  title: 'hyper-parallel exec_order (JSON)',
  detect: text => /^\uFEFF?\s*\{/.test(text) && text.includes('"exec_order"'),
  read: text => {
    const parsed = parseJsonText(text)
    return parsed.ok ? new ExecOrderDecoder(parsed.json).read() : parsed
  }
}

type JsonObject = Extract<JsonNode, { kind: 'object' }>

class ExecOrderDecoder {
  readonly #json: JsonText
  readonly #faults: TextFault[] = []

  constructor(json: JsonText) {
    this.#json = json
  }

  read(): ReadResult {
    const { root } = this.#json
    const order = root.kind === 'object' ? root.entries.get('exec_order') : undefined
    const lists = order
      ? this.#rankLists(order)
      : this.#fault(root, 'MISSING', 'there is no exec_order', 'Give "exec_order": {"0": [...], ...}.')
    const ranks: Action[][] = []
    const positions: Position[][] = []
    for (const list of lists ?? []) {
      const [actions, places] = this.#rank(list)
      ranks.push(actions)
      positions.push(places)
    }
    if (!lists || this.#faults.length > 0) return { ok: false, faults: this.#faults.slice(0, MAX_FAULTS) }
    return { ok: true, order: orderOfSteps(ranks, positions, this.#receivesEach(root as JsonObject)) }
  }

  #fault(node: JsonNode, code: string, message: string, advice: string): undefined {
    const { row, column } = this.#json.place(node.at)
    this.#faults.push(textFault(code, row, column, node.kind === 'plain' ? node.value : undefined, message, advice))
  }

  /** Lists by rank: an object with the keys 0 .. P-1, or a list of lists. */
  #rankLists(node: JsonNode): readonly JsonNode[] | undefined {
    const count = node.kind === 'object' ? node.entries.size : node.kind === 'array' ? node.items.length : 0
    if (count === 0 || count > LIMITS.ranks)
      return this.#fault(node, 'RANKS', `exec_order must hold 1 .. ${LIMITS.ranks} ranks`, 'Give one list per rank.')
    if (node.kind === 'array') return node.items
    const lists = range(count).map(rank => (node as JsonObject).entries.get(String(rank)))
    const missing = lists.indexOf(undefined)
    if (missing < 0) return lists as JsonNode[]
    return this.#fault(node, 'RANKS', `there is no list of rank ${missing}`, `Name the ranks "0" .. "${count - 1}".`)
  }

  #rank(list: JsonNode): [Action[], Position[]] {
    const actions: Action[] = []
    const positions: Position[] = []
    if (list.kind !== 'array') this.#fault(list, 'TYPE', 'a rank must be a list of steps', 'Write [] for an idle rank.')
    for (const node of list.kind === 'array' ? list.items : []) {
      const made = node.kind === 'plain' && node.value === null ? [{ op: 'bubble' } as const] : this.#step(node)
      for (const action of made) {
        actions.push(action)
        positions.push(this.#json.place(node.at))
      }
    }
    return [actions, positions]
  }

  #step(node: JsonNode): readonly Action[] {
    const step = this.#stepValue(node)
    if (!step) return []
    const actions = actionsOfStep(step)
    if (typeof actions !== 'string') return actions
    this.#fault(node, 'BAD_STEP', actions, 'Write {"type": "FWD", "micro": 0, "stage": 0}, or null for a bubble.')
    return []
  }

  #stepValue(node: JsonNode): Step | undefined {
    if (node.kind !== 'object')
      return this.#fault(node, 'TYPE', 'a step must be an object or null', 'Write {"type", "micro", "stage"}.')
    const type = node.entries.get('type')
    if (type?.kind !== 'plain' || typeof type.value !== 'string')
      return this.#fault(type ?? node, 'TYPE', 'a step needs a type', 'Write "type": "FWD".')
    const micro = this.#index(node, 'micro', 0, LIMITS.microbatches - 1)
    const stage = this.#index(node, 'stage', -1, LIMITS.stages - 1)
    if (micro === undefined || stage === undefined) return undefined
    const subs = node.entries.get('sub_steps')
    if (!subs || (subs.kind === 'plain' && subs.value === null)) return { type: type.value, micro, stage }
    if (subs.kind !== 'array') return this.#fault(subs, 'TYPE', 'sub_steps must be a list', 'Write a list of steps.')
    const parts = subs.items.map(item => this.#stepValue(item))
    return parts.includes(undefined) ? undefined : { type: type.value, micro, stage, sub_steps: parts as Step[] }
  }

  /** An index or null; absent counts as null. */
  #index(node: JsonObject, key: string, least: number, most: number): number | null | undefined {
    const field = node.entries.get(key)
    const value = field?.kind === 'plain' ? field.value : field === undefined ? null : field
    if (value === null) return null
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
    return this.#fault(
      field ?? node,
      'RANGE',
      `${key} must be a whole number from ${least} to ${most}, or null`,
      'Correct it.'
    )
  }

  /** Whether the file says that the runtime receives each feature by itself. */
  #receivesEach(root: JsonObject): boolean {
    const env = root.entries.get('env')
    const setting = env?.kind === 'object' ? env.entries.get(RECV_BATCH) : undefined
    return setting?.kind === 'plain' && String(setting.value) === '0'
  }
}
