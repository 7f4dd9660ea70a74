import type { Model } from '../../encoding/model/types.ts'
import { parseValues, variableNames } from '../../encoding/text/smt2.ts'
import type { Status, Stop } from '../port.ts'

/** What a native program said: how it ended, what it claims, and its point. */
export type Said = { readonly stop: Stop; readonly status?: Status; readonly values?: Float64Array }

const NOTHING: Said = { stop: 'crash' }

/** Reads a program's output and solution file. Anything not recognised says nothing. */
export function readSolution(program: string, model: Model, stdout: string, solution: string): Said {
  switch (program) {
    case 'glpsol':
      return readGlpsol(model, solution, stdout)
    case 'cbc':
      return readCbc(model, solution)
    case 'highs':
      return readHighs(model, solution)
    case 'z3':
      return readZ3(model, stdout)
    case 'minizinc':
      return readMinizinc(model, stdout)
    default:
      return NOTHING
  }
}

function size(model: Model): number {
  return model.kind === 'smt' ? model.ints.length + model.numBools : model.variables.length
}

/** `s mip rows cols status objective`, then `j column value`; a plain LP has `s bas rows cols primal dual objective`. */
function readGlpsol(model: Model, solution: string, stdout: string): Said {
  if (/NO (PRIMAL FEASIBLE|INTEGER FEASIBLE|FEASIBLE) SOLUTION/.test(stdout))
    return { stop: 'proved', status: 'infeasible' }
  const [, kind, state, second] = /^s (mip|bas) \d+ \d+ (\w)(?: (\w))?/m.exec(solution) ?? []
  const values = new Float64Array(size(model))
  const column = kind === 'bas' ? /^j (\d+) \w (\S+)/gm : /^j (\d+) (\S+)/gm
  for (const [, index, value] of solution.matchAll(column)) values[Number(index) - 1] = Number(value)
  const optimal = kind === 'mip' ? state === 'o' : state === 'f' && second === 'f'
  if (optimal) return { stop: 'proved', status: 'optimal', values }
  if (kind === 'mip' && state === 'f') return { stop: 'time', status: 'feasible', values }
  if (kind === 'mip' && state === 'n') return { stop: 'proved', status: 'infeasible' }
  return { stop: /TIME LIMIT/i.test(stdout) ? 'time' : 'crash' }
}

/** First line in words, then `index name value cost` of the values that are not 0. An objective without a point is noise. */
function readCbc(model: Model, solution: string): Said {
  const [first = '', ...rest] = solution.split('\n')
  const values = new Float64Array(size(model))
  for (const line of rest) {
    const [, name, value] = /^\s*(?:\*\*\s*)?\d+\s+x(\d+)\s+(\S+)/.exec(line) ?? []
    if (name !== undefined) values[Number(name)] = Number(value)
  }
  if (/^Optimal/.test(first)) return { stop: 'proved', status: 'optimal', values }
  if (/^(Infeasible|Integer infeasible)/i.test(first)) return { stop: 'proved', status: 'infeasible' }
  if (/^Stopped on time.*no integer solution/i.test(first)) return { stop: 'time' }
  if (/^Stopped on time/.test(first)) return { stop: 'time', status: 'feasible', values }
  return NOTHING
}

/**
 * The model's status, then whether there is a primal point ("Feasible" or "None"), its objective, and a line of name and
 * value per column. Only what stands under the columns is read: rows have names of their own.
 */
function readHighs(model: Model, solution: string): Said {
  const status = /^Model status\s*\n\s*(.+)$/m.exec(solution)?.[1].trim()
  const [, state] = /^# Primal solution values\s*\n\s*(\w+)/m.exec(solution) ?? []
  const columns = /^# Columns \d+\n([^#]*)/m.exec(solution)?.[1] ?? ''
  const values = new Float64Array(size(model)).fill(Number.NaN)
  for (const [, index, value] of columns.matchAll(/^x(\d+)\s+(\S+)$/gm)) values[Number(index)] = Number(value)
  const hasPoint = state === 'Feasible'
  if (status === 'Optimal' && hasPoint) return { stop: 'proved', status: 'optimal', values }
  if (status === 'Infeasible') return { stop: 'proved', status: 'infeasible' }
  if (status === 'Time limit reached') return hasPoint ? { stop: 'time', status: 'feasible', values } : { stop: 'time' }
  return NOTHING
}

/** `sat` and its values, `unsat` (an error about the absent model follows), `timeout` or `unknown`. */
function readZ3(model: Model, stdout: string): Said {
  const first = stdout.trim().split('\n')[0]?.trim()
  if (first === 'unsat') return { stop: 'proved', status: 'unsat' }
  if (first === 'timeout' || first === 'unknown') return { stop: 'time' }
  if (first !== 'sat' || model.kind !== 'smt') return NOTHING
  const found = parseValues(stdout)
  return {
    stop: 'proved',
    status: 'sat',
    values: Float64Array.from(variableNames(model), name => found.get(name) ?? Number.NaN)
  }
}

/** One block per better point, each closed by dashes; `==========` after the last one proves it. */
function readMinizinc(model: Model, stdout: string): Said {
  if (stdout.includes('=====UNSATISFIABLE=====')) return { stop: 'proved', status: 'infeasible' }
  const blocks = stdout.split('----------')
  const last = blocks.length > 1 ? blocks[blocks.length - 2] : undefined
  if (last === undefined)
    return { stop: stdout.includes('=====UNKNOWN=====') || stdout.trim() === '' ? 'time' : 'crash' }
  const values = new Float64Array(size(model)).fill(Number.NaN)
  for (const [, index, value] of last.matchAll(/^x(\d+) = (-?\d+)$/gm)) values[Number(index)] = Number(value)
  return stdout.includes('==========')
    ? { stop: 'proved', status: 'optimal', values }
    : { stop: 'time', status: 'feasible', values }
}
