import { parseDocument, type YAMLError } from 'yaml'
import type { Fault } from '../../base/fault.ts'
import { LIMITS } from '../limits.ts'
import type { Reading } from './reading.ts'

/** YAML 1.2 core schema, one document, unique keys, a bounded number of alias uses; unknown tags are faults. */
export function readYaml(text: string): Reading {
  try {
    const document = parseDocument(text, { version: '1.2', schema: 'core', prettyErrors: true, logLevel: 'silent' })
    const problems = [...document.errors, ...document.warnings]
    if (problems.length > 0) return { ok: false, faults: problems.map(problem => faultOf(problem)) }
    return { ok: true, value: document.toJS({ maxAliasCount: LIMITS.aliases }) as unknown }
  } catch (error) {
    return { ok: false, faults: [thrownFault(error)] }
  }
}

function faultOf(problem: YAMLError): Fault {
  const [place] = problem.linePos ?? []
  const where = place ? `line ${place.line}, column ${place.col}` : ''
  const [summary] = problem.message.split('\n')
  const duplicate = problem.code === 'DUPLICATE_KEY'
  return {
    code: duplicate ? 'DUPLICATE_KEY' : 'SYNTAX',
    path: where,
    message: `not readable as YAML: ${summary.replace(/ at line \d+, column \d+:?$/, '')}`,
    advice: duplicate ? 'Keep one of the two entries.' : 'Correct the text at this place.'
  }
}

/** The library throws for alias bombs (ReferenceError) and when its recursion runs out of stack (RangeError). */
function thrownFault(error: unknown): Fault {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof RangeError) {
    return {
      code: 'TOO_DEEP',
      path: '',
      message: 'the document is nested too deeply to be read',
      advice: 'An instance needs six levels; remove the nesting.'
    }
  }
  if (/alias/i.test(message)) {
    return {
      code: 'ALIAS_LIMIT',
      path: '',
      message: `aliases that cannot be expanded: ${message}`,
      advice: 'Define each anchor before its use, and write nested aliases out.'
    }
  }
  return { code: 'SYNTAX', path: '', message: `not readable as YAML: ${message}`, advice: 'Correct the text.' }
}
