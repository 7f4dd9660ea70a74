import { toResultDocument } from '../../optimize/document.ts'
import type { SolveResult } from '../../optimize/types.ts'
import { frontText } from '../../report/text/front.ts'
import { resultText } from '../../report/text/result.ts'
import { defineCommand } from '../command.ts'
import { EXIT, type ExitCode } from '../exit.ts'
import { explanationText } from '../explanation.ts'
import { loadInstance } from '../inputs.ts'
import { printDocument } from '../io.ts'
import { frontView, resultView } from '../result-view.ts'
import { search, searchFront } from '../search.ts'

/** `tropipe solve`: the shortest legal schedule of an instance, with a proven bound. */
export const solve = defineCommand({
  details:
    'Prints the answer as tables and a text Gantt, or as one tropipe.result/1 document with --json. Ctrl-C stops the search and prints the best schedule so far.',
  options: [
    'problem',
    'objective',
    'solver',
    'timeLimit',
    'seed',
    'threads',
    'deterministic',
    'tieBreak',
    'pareto',
    'explain',
    'quiet',
    'ascii',
    'json',
    'output'
  ],
  examples: [
    'tropipe solve instances/smoke/frozen-4x8-e6.yaml',
    'tropipe solve instances/paper/experiment-b.yaml --time-limit 30s --json -o result.json',
    'tropipe solve instances/smoke/memory-tight-2x3.yaml --pareto',
    'tropipe solve instances/smoke/trainable-2x3.yaml --explain'
  ],
  run: async ({ operands: [path], options, io }) => {
    const { measured, document } = await loadInstance(io, path)
    const front = options.pareto ? await searchFront(measured, options, io) : undefined
    const result = front?.first ?? (await search(measured, options, io))
    const { json, output, ascii } = options
    if (json || output !== undefined) await printDocument(io, toResultDocument(result, document, front), output)
    const style = { ...io.style, unicode: io.style.unicode && !ascii }
    if (!json) io.out(resultText(resultView(result), style))
    if (!json && front) io.out(`\n${frontText(frontView(front, measured), style)}`)
    if (!json && options.explain) io.out(`\n${explanationText(result, style)}`)
    return exitOf(result)
  }
})

/** The contract's code for an answer. */
export function exitOf({ answer, crossCheck }: Pick<SolveResult, 'answer' | 'crossCheck'>): ExitCode {
  if (answer.status === 'infeasible' || crossCheck.holds === false) return EXIT.no
  return answer.status === 'unknown' ? EXIT.limit : EXIT.done
}
