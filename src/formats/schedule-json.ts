import type { ScheduleDocument, TimedEvent, TimedKind, TimedTransfer, TransferKind } from '../schedule/document.ts'
import { orderOfDocument } from './document-order.ts'
import { type JsonNode, type JsonText, parseJsonText } from './json-text.ts'
import { LIMITS, MAX_FAULTS } from './limits.ts'
import { type Reader, type ReadResult, refuse, type TextFault, textFault, type Writer } from './types.ts'

const KINDS: readonly string[] = ['F', 'B', 'I', 'W', 'E', 'EB']
const TRANSFERS: readonly string[] = ['send', 'recvGrad', 'gather', 'scatter']
const FORMAT = 'tropipe.schedule/1'

/** Our own timed schedules. The whole schedule may sit in the field `schedule` of a result. */
export const scheduleReader: Reader = {
  id: 'schedule',
  title: 'tropipe.schedule/1 (JSON), alone or inside a tropipe.result/1',
  detect: text => /^\uFEFF?\s*\{/.test(text) && text.includes(FORMAT),
  read: text => {
    const parsed = parseJsonText(text)
    return parsed.ok ? new ScheduleDecoder(parsed.json).read() : parsed
  }
}

/** The document again; an order without times cannot be one. */
export const scheduleWriter: Writer = {
  id: 'schedule',
  title: 'tropipe.schedule/1 (JSON)',
  runs: false,
  write: ({ document }) => {
    if (document)
      return { ok: true, files: [{ suffix: '', text: `${JSON.stringify(document, null, 2)}\n` }], notes: [] }
    return refuse(
      'NEEDS_TIMES',
      '',
      undefined,
      'the order has no times',
      'Give the instance that it is for, so that it can be timed.'
    )
  }
}

type JsonObject = Extract<JsonNode, { kind: 'object' }>

class ScheduleDecoder {
  readonly #json: JsonText
  readonly #faults: TextFault[] = []

  constructor(json: JsonText) {
    this.#json = json
  }

  read(): ReadResult {
    const root = this.#scheduleNode()
    const document = root && this.#document(root)
    if (!document || this.#faults.length > 0) return { ok: false, faults: this.#faults.slice(0, MAX_FAULTS) }
    const ranks = this.#field(root, 'ranks', 'array')?.items ?? []
    const positions = ranks.map(list =>
      list.kind === 'array' ? list.items.map(item => this.#json.place(item.at)) : []
    )
    return { ok: true, document, order: orderOfDocument(document, positions) }
  }

  #fault(node: JsonNode, code: string, message: string, advice: string): undefined {
    const { row, column } = this.#json.place(node.at)
    this.#faults.push(textFault(code, row, column, node.kind === 'plain' ? node.value : undefined, message, advice))
  }

  #scheduleNode(): JsonObject | undefined {
    const { root } = this.#json
    const inner = root.kind === 'object' ? root.entries.get('schedule') : undefined
    const node = inner?.kind === 'object' ? inner : root
    const format = node.kind === 'object' ? node.entries.get('format') : undefined
    if (node.kind === 'object' && format?.kind === 'plain' && format.value === FORMAT) return node
    return this.#fault(
      format ?? node,
      'FORMAT',
      `not a ${FORMAT} document`,
      `Give an object with "format": "${FORMAT}".`
    )
  }

  #document(root: JsonObject): ScheduleDocument | undefined {
    const [P, M] = [this.#count(root, 'P', 1, LIMITS.ranks), this.#count(root, 'M', 1, LIMITS.microbatches)]
    const ticksPerUnit = this.#count(root, 'ticksPerUnit', 1, Number.MAX_SAFE_INTEGER)
    const makespan = this.#count(root, 'makespan', 0, Number.MAX_SAFE_INTEGER)
    const [instance, unit] = [this.#text(root, 'instance'), this.#text(root, 'unit')]
    const lists = this.#field(root, 'ranks', 'array')
    if (lists && P !== undefined && lists.items.length !== P)
      this.#fault(lists, 'LIST_LENGTH', `ranks has ${lists.items.length} lists for P = ${P}`, 'Give one list per rank.')
    const ranks = lists?.items.map(list => this.#rank(list))
    if (P === undefined || M === undefined || ticksPerUnit === undefined || makespan === undefined) return undefined
    if (instance === undefined || unit === undefined || !ranks || this.#faults.length > 0) return undefined
    const transfers = root.entries.has('transfers') ? this.#transfers(root) : undefined
    const stated = transfers ? { transfers } : {}
    return { format: FORMAT, instance, P, M, unit, ticksPerUnit, makespan, ranks: ranks as TimedEvent[][], ...stated }
  }

  #transfers(root: JsonObject): TimedTransfer[] {
    const list = this.#field(root, 'transfers', 'array')
    return (list?.items ?? []).map(item => this.#transfer(item)).filter(one => one !== undefined)
  }

  #transfer(node: JsonNode): TimedTransfer | undefined {
    if (node.kind !== 'object')
      return this.#fault(node, 'TYPE', 'a transfer must be an object', 'Write {kind, microbatch, from, to, ...}.')
    const kind = this.#text(node, 'kind')
    if (kind !== undefined && !TRANSFERS.includes(kind))
      this.#fault(
        node.entries.get('kind') ?? node,
        'KIND',
        `"${kind.slice(0, 20)}" is no kind of transfer`,
        `Use one of ${TRANSFERS.join(', ')}.`
      )
    const stage = kind === 'gather' ? undefined : this.#count(node, 'stage', 0, LIMITS.stages - 1)
    const microbatch = this.#count(node, 'microbatch', 0, LIMITS.microbatches - 1)
    const [from, to] = [this.#count(node, 'from', 0, LIMITS.ranks - 1), this.#count(node, 'to', 0, LIMITS.ranks - 1)]
    const [start, end] = [this.#integer(node, 'start'), this.#integer(node, 'end')]
    if (microbatch === undefined || from === undefined || to === undefined) return undefined
    if (start === undefined || end === undefined) return undefined
    const place = stage === undefined ? {} : { stage }
    const item = kind === 'gather' || kind === 'scatter' ? this.#part(node, 'item') : {}
    return { kind: kind as TransferKind, ...place, microbatch, ...item, from, to, start, end }
  }

  #rank(list: JsonNode): (TimedEvent | undefined)[] {
    if (list.kind === 'array') return list.items.map(item => this.#event(item))
    this.#fault(list, 'TYPE', 'a rank must be a list of events', 'Write [] for a rank without events.')
    return []
  }

  #event(node: JsonNode): TimedEvent | undefined {
    if (node.kind !== 'object')
      return this.#fault(node, 'TYPE', 'an event must be an object', 'Write {kind, region, ...}.')
    const kind = this.#text(node, 'kind')
    const region = this.#text(node, 'region')
    const isSource = kind === 'E' || kind === 'EB'
    const stage = isSource ? undefined : this.#count(node, 'stage', 0, LIMITS.stages - 1)
    const extra = isSource ? node.entries.get('stage') : undefined
    if (extra) this.#fault(extra, 'STAGE', `${kind} has no stage`, 'Leave its stage out: the encoder is whole.')
    const microbatch = this.#count(node, 'microbatch', 0, LIMITS.microbatches - 1)
    const [start, end] = [this.#integer(node, 'start'), this.#integer(node, 'end')]
    if (kind !== undefined && !KINDS.includes(kind))
      this.#fault(
        node.entries.get('kind') ?? node,
        'KIND',
        `"${kind.slice(0, 20)}" is no kind of event`,
        `Use one of ${KINDS.join(', ')}.`
      )
    if (microbatch === undefined || start === undefined || end === undefined || region === undefined) return undefined
    const place = stage === undefined ? {} : { stage }
    const marked = node.entries.has('overlapped') && this.#isTrue(node, 'overlapped')
    return {
      kind: kind as TimedKind,
      region,
      ...place,
      microbatch,
      ...(isSource ? { ...this.#part(node, 'item'), ...this.#part(node, 'chunk') } : {}),
      start,
      end,
      ...(marked ? { overlapped: true } : {})
    }
  }

  /** Which encode of its microbatch, where the document says so. */
  #part<K extends 'item' | 'chunk'>(node: JsonNode, key: K): { readonly [Key in K]?: number } {
    if (node.kind !== 'object' || !node.entries.has(key)) return {}
    const value = this.#count(node, key, 0, LIMITS.encoderParts - 1)
    return value === undefined ? {} : ({ [key]: value } as { [Key in K]: number })
  }

  #isTrue(node: JsonNode, key: string): boolean {
    const field = this.#field(node, key, 'plain')
    if (field && field.value !== true) this.#fault(field, 'TYPE', `${key} must be true`, 'Leave it out otherwise.')
    return field?.value === true
  }

  #field<K extends JsonNode['kind']>(node: JsonNode, key: string, kind: K): Extract<JsonNode, { kind: K }> | undefined {
    const value = node.kind === 'object' ? node.entries.get(key) : undefined
    if (value?.kind === kind) return value as Extract<JsonNode, { kind: K }>
    const what = value ? `${key} must be ${kind === 'array' ? 'a list' : 'a plain value'}` : `${key} is missing`
    return this.#fault(value ?? node, value ? 'TYPE' : 'MISSING', what, `Give ${key}.`)
  }

  #text(node: JsonNode, key: string): string | undefined {
    const field = this.#field(node, key, 'plain')
    if (!field || typeof field.value === 'string') return field?.value as string | undefined
    return this.#fault(field, 'TYPE', `${key} must be a string`, 'Quote it.')
  }

  #integer(node: JsonNode, key: string): number | undefined {
    const field = this.#field(node, key, 'plain')
    if (!field || Number.isSafeInteger(field.value)) return field?.value as number | undefined
    return this.#fault(field, 'TYPE', `${key} must be a whole number`, 'Times are integer ticks.')
  }

  #count(node: JsonNode, key: string, least: number, most: number): number | undefined {
    const value = this.#integer(node, key)
    if (value === undefined || (value >= least && value <= most)) return value
    return this.#fault(
      (node as JsonObject).entries.get(key) ?? node,
      'RANGE',
      `${key} is outside ${least} .. ${most}`,
      'Correct the number.'
    )
  }
}
