import { paperTable } from '../../compare/paper/paper.ts'
import { paperText } from '../../report/text/paper.ts'
import { defineCommand } from '../command.ts'
import { EXIT } from '../exit.ts'
import { printDocument } from '../io.ts'

/** `tropipe paper`: the source paper's table, reproduced and examined. */
export const paper = defineCommand({
  details:
    'Every reading reproduces both published numbers of its experiment; they disagree about the cause. No solver runs: `tropipe solve instances/paper/experiment-a-alpha.yaml` searches the optimum.',
  options: ['json', 'output'],
  examples: ['tropipe paper', 'tropipe paper --json -o paper.json'],
  run: async ({ options, io }) => {
    const document = paperTable()
    if (options.json || options.output !== undefined) await printDocument(io, document, options.output)
    if (!options.json) io.out(paperText(document, io.style))
    return EXIT.done
  }
})
