import { toResultDocument } from '../../optimize/document.ts'
import type { SolveResult } from '../../optimize/types.ts'
import { resultText } from '../../report/text/result.ts'
import { defineCommand } from '../command.ts'
import { EXIT, type ExitCode } from '../exit.ts'
import { loadInstance } from '../inputs.ts'
import { printDocument } from '../io.ts'
import { resultView } from '../result-view.ts'
import { search } from '../search.ts'

/** `tropipe solve`: the shortest legal schedule of an instance, with a proven bound. */
export const solve = defineCommand({
  name: 'solve',
  summary: 'find the shortest schedule of an instance, with a proof or an honest gap',
  details:
    'Prints the answer as tables and a text Gantt, or as one tropipe.result/1 document with --json. Ctrl-C stops the search and prints the best schedule so far.',
  operands: [{ name: 'FILE', help: 'an instance (JSON or YAML; - reads stdin)' }],
  options: [
    'problem',
    'objective',
    'solver',
    'timeLimit',
    'seed',
    'threads',
    'deterministic',
    'tieBreak',
    'quiet',
    'ascii',
    'json',
    'output'
  ],
  examples: [
    'tropipe solve instances/smoke/frozen-4x8-e6.yaml',
    'tropipe solve instances/paper/experiment-b.yaml --time-limit 30s --json -o result.json'
  ],
  run: async ({ operands: [path], options, io }) => {
    const { measured, document } = await loadInstance(io, path)
    const result = await search(measured, options, io)
    const { json, output, ascii } = options
    if (json || output !== undefined) await printDocument(io, toResultDocument(result, document), output)
    if (!json) io.out(resultText(resultView(result), { ...io.style, unicode: io.style.unicode && !ascii }))
    return exitOf(result)
  }
})

/** The contract's code for an answer. */
export function exitOf({ answer, crossCheck }: Pick<SolveResult, 'answer' | 'crossCheck'>): ExitCode {
  if (answer.status === 'infeasible' || crossCheck.holds === false) return EXIT.no
  return answer.status === 'unknown' ? EXIT.limit : EXIT.done
}
