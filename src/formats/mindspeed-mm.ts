import { range } from '../base/arrays.ts'
import type { Fault } from '../base/fault.ts'
import { type Cut, type CutModule, cutFaults } from './cut.ts'
import { type JsonNode, type JsonText, parseJsonText } from './json-text.ts'
import { type TextFault, textFault } from './types.ts'

export type MindspeedResult =
  | { readonly ok: true; readonly cut: Cut; readonly notes: readonly string[] }
  | { readonly ok: false; readonly faults: readonly (Fault | TextFault)[] }

/** Where model.json keeps the lists, and the flag of the weight converter that must carry the same numbers. */
const PLACES = [
  { name: 'vision', path: ['image_encoder', 'vision_encoder'], flag: 'vit_pp_layers' },
  { name: 'audio', path: ['audio_encoder'], flag: 'audio_pp_layers' },
  { name: 'text', path: ['text_decoder'], flag: 'llm_pp_layers' }
] as const

type Table = { readonly module: CutModule; readonly chunks: number; readonly ranks: number; readonly node: JsonNode }

/**
 * Reads the cut of a MindSpeed-MM model.json: `pipeline_num_layers` of each module, one number per rank, or chunk by
 * chunk with virtual stages. Sums and lengths are checked here, since the model code does not.
 */
export function readMindspeed(text: string): MindspeedResult {
  const parsed = parseJsonText(text)
  if (!parsed.ok) return parsed
  const { json } = parsed
  const faults: TextFault[] = []
  const tables = PLACES.flatMap(({ name, path }) => tableAt(json, name, path, faults))
  if (tables.length === 0 && faults.length === 0)
    faults.push(at(json, json.root, 'MISSING', 'no module has pipeline_num_layers', 'Give the list of text_decoder.'))
  const [first] = tables
  for (const table of tables)
    if (table.chunks !== first.chunks || table.ranks !== first.ranks)
      faults.push(
        at(
          json,
          table.node,
          'LIST_LENGTH',
          `${table.module.name} is cut for ${table.chunks} x ${table.ranks}, ${first.module.name} for ${first.chunks} x ${first.ranks}`,
          'Cut all modules for the same ranks and chunks.'
        )
      )
  if (faults.length > 0) return { ok: false, faults }
  const cut = { ranks: first.ranks, stages: first.ranks * first.chunks, modules: tables.map(table => table.module) }
  const wrong = cutFaults(cut).map(fault => ({ ...fault, ...placeOf(json, tables, fault.path) }))
  return wrong.length > 0 ? { ok: false, faults: wrong } : { ok: true, cut, notes: [] }
}

function placeOf(
  json: JsonText,
  tables: readonly Table[],
  name: string
): { row: number; column: number; path: string } {
  const table = tables.find(candidate => candidate.module.name === name)
  const { row, column } = json.place(table?.node.at ?? 0)
  return { row, column, path: `row ${row}, column ${column}` }
}

function at(json: JsonText, node: JsonNode, code: string, message: string, advice: string): TextFault {
  const { row, column } = json.place(node.at)
  return textFault(code, row, column, undefined, message, advice)
}

function tableAt(json: JsonText, name: CutModule['name'], path: readonly string[], faults: TextFault[]): Table[] {
  let node: JsonNode | undefined = json.root
  for (const key of path) node = node?.kind === 'object' ? node.entries.get(key) : undefined
  const list = node?.kind === 'object' ? node.entries.get('pipeline_num_layers') : undefined
  if (node?.kind !== 'object' || !list) return []
  const layers = node.entries.get('num_layers')
  const rows = rowsOf(list)
  if (!rows) {
    faults.push(
      at(
        json,
        list,
        'TYPE',
        'pipeline_num_layers must be whole numbers, one per rank, or a list of such lists of equal length',
        'Write [8, 8] or [[4, 4], [4, 4]].'
      )
    )
    return []
  }
  if (layers?.kind !== 'plain' || !Number.isSafeInteger(layers.value)) {
    faults.push(at(json, layers ?? node, 'MISSING', `${name} needs num_layers`, 'Give the number of its layers.'))
    return []
  }
  const freeze = node.entries.get('freeze')
  const frozen = freeze?.kind === 'plain' && freeze.value === true ? { frozen: true } : {}
  return [
    {
      module: { name, layers: layers.value as number, perStage: rows.flat(), ...frozen },
      chunks: rows.length,
      ranks: rows[0].length,
      node: list
    }
  ]
}

/** Chunk by chunk, the numbers of the ranks; `undefined` where the list is neither form. */
function rowsOf(node: JsonNode): number[][] | undefined {
  if (node.kind !== 'array' || node.items.length === 0) return undefined
  if (node.items.every(item => item.kind === 'array')) {
    const rows = node.items.map(item => numbersOf(item))
    const lengths = new Set(rows.map(row => row?.length))
    return lengths.size === 1 && rows[0] && rows[0].length > 0 ? (rows as number[][]) : undefined
  }
  const row = numbersOf(node)
  return row && [row]
}

function numbersOf(node: JsonNode): number[] | undefined {
  if (node.kind !== 'array') return undefined
  const numbers = node.items.map(item => (item.kind === 'plain' ? item.value : undefined))
  const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0
  return numbers.every(isCount) ? (numbers as number[]) : undefined
}

/** The part of model.json that holds the cut, and the arguments of the weight converter with the same numbers. */
export function writeMindspeed(
  cut: Cut
): { ok: true; modelJson: string; converter: string; notes: readonly string[] } | { ok: false; faults: Fault[] } {
  const faults = cutFaults(cut)
  if (faults.length > 0) return { ok: false, faults }
  const chunks = cut.stages / cut.ranks
  const document: Record<string, unknown> = {}
  const flags: string[] = []
  for (const { name, path, flag } of PLACES) {
    const module = cut.modules.find(candidate => candidate.name === name)
    if (!module) continue
    const rows = range(chunks).map(chunk => module.perStage.slice(chunk * cut.ranks, (chunk + 1) * cut.ranks))
    const lists = {
      num_layers: module.layers,
      pipeline_num_layers: chunks === 1 ? rows[0] : rows,
      ...(module.frozen ? { freeze: true } : {})
    }
    document[path[0]] = path.length === 1 ? lists : { [path[1]]: lists }
    flags.push(`${flag} ${JSON.stringify(rows)}`)
  }
  const notes = chunks > 1 ? [`Run with --virtual-pipeline-model-parallel-size ${chunks} and VP_SIZE=${chunks}.`] : []
  return { ok: true, modelJson: compactJson(document), converter: `${flags.join('\n')}\n`, notes }
}

/** JSON with lists of numbers on one line. */
function compactJson(value: unknown): string {
  const text = JSON.stringify(value, null, 2)
  return `${text.replace(/\[\s+((?:\d+,\s+)*\d+)\s+\]/g, (_, numbers: string) => `[${numbers.replace(/,\s+/g, ', ')}]`)}\n`
}
