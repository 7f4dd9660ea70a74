import { parseDocument, type YAMLError } from 'yaml'
import type { Fault } from '../../base/fault.ts'
import { LIMITS } from '../limits.ts'
import type { Reading } from './reading.ts'

/** YAML 1.2 core schema, one document, unique keys, a bounded number of alias uses; unknown tags are faults. */
export function readYaml(text: string): Reading {
  const early = refuseUnread(text)
  if (early) return { ok: false, faults: [early] }
  try {
    const document = parseDocument(text, { version: '1.2', schema: 'core', prettyErrors: true, logLevel: 'error' })
    const problems = [...document.errors, ...document.warnings]
    if (problems.length > 0) return { ok: false, faults: faultsOf(problems) }
    return { ok: true, value: document.toJS({ maxAliasCount: LIMITS.aliases }) as unknown }
  } catch (error) {
    return { ok: false, faults: [thrownFault(error)] }
  }
}

/**
 * What the library would take minutes or all memory for: brackets that open far deeper than they close, and more values
 * than YAML is fit to carry. Both are counted roughly, quotes and comments included.
 */
function refuseUnread(text: string): Fault | undefined {
  let [open, values] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === OPEN_BRACKET || char === OPEN_BRACE) open++
    else if (char === CLOSE_BRACKET || char === CLOSE_BRACE) open--
    else if (char === COMMA || char === LINE_FEED) values++
    if (open > MAX_OPEN) return TOO_DEEP
  }
  if (values <= MAX_YAML_VALUES) return undefined
  const message = `about ${values} values; YAML is read up to ${MAX_YAML_VALUES}`
  return { code: 'TOO_MANY_VALUES', path: '', value: values, message, advice: 'Give a document of this size as JSON.' }
}

const [OPEN_BRACKET, OPEN_BRACE, CLOSE_BRACKET, CLOSE_BRACE, COMMA, LINE_FEED] = [0x5b, 0x7b, 0x5d, 0x7d, 0x2c, 0x0a]
const MAX_OPEN = 1000
const MAX_YAML_VALUES = 1_000_000

/** After the first few, syntax errors mostly follow from one another. */
const MAX_SYNTAX_FAULTS = 20

function faultsOf(problems: readonly YAMLError[]): Fault[] {
  if (problems.some(problem => STACK.test(problem.message))) return [TOO_DEEP]
  return problems.slice(0, MAX_SYNTAX_FAULTS).map(faultOf)
}

/** The library reports a recursion that runs out of stack as an error of the text, or lets it through. */
const STACK = /call stack|too much recursion/i

const TOO_DEEP: Fault = {
  code: 'TOO_DEEP',
  path: '',
  message: 'the document is nested too deeply to be read',
  advice: 'An instance needs six levels; remove the nesting.'
}

function faultOf(problem: YAMLError): Fault {
  const [place] = problem.linePos ?? []
  const where = place ? `line ${place.line}, column ${place.col}` : ''
  const [summary] = problem.message.split('\n')
  const duplicate = problem.code === 'DUPLICATE_KEY'
  if (problem.code === 'MULTIPLE_DOCS') {
    const message = 'not readable as YAML: the file has several documents'
    return { code: 'SYNTAX', path: where, message, advice: 'Give one document; a line of --- begins another.' }
  }
  return {
    code: duplicate ? 'DUPLICATE_KEY' : 'SYNTAX',
    path: where,
    message: `not readable as YAML: ${summary.replace(/ at line \d+, column \d+:?$/, '')}`,
    advice: duplicate ? 'Keep one of the two entries.' : 'Correct the text at this place.'
  }
}

function thrownFault(error: unknown): Fault {
  const message = error instanceof Error ? error.message : String(error)
  if (STACK.test(message)) return TOO_DEEP
  if (/excessive alias/i.test(message)) {
    return {
      code: 'ALIAS_LIMIT',
      path: '',
      message: `aliases expand to more than ${LIMITS.aliases} copies`,
      advice: 'Write nested aliases out.'
    }
  }
  return { code: 'SYNTAX', path: '', message: `not readable as YAML: ${message}`, advice: 'Correct the text.' }
}
