import { regimesText } from '../../report/text/symbolic.ts'
import { defineCommand } from '../command.ts'
import { loadInstance } from '../inputs.ts'
import { printAnswer } from '../io.ts'
import { regimesDocument, regimesFor } from '../symbolic.ts'

/** `tropipe regimes`: which term of the closed form rules for which durations. */
export const regimes = defineCommand({
  details:
    'The makespan of the derived order is a maximum of sums of named durations. This tells which sum rules for the instance, why, and at which scale of the encoder (and of every other duration) another one takes over: where the transposed encoder stops fitting into the slack.',
  options: ['json', 'output'],
  examples: ['tropipe regimes instances/smoke/frozen-4x8-e6.yaml'],
  run: async ({ operands: [file], options, io }) => {
    const view = regimesFor((await loadInstance(io, file)).measured)
    return printAnswer(
      io,
      options,
      () => regimesDocument(view),
      () => regimesText(view, io.style)
    )
  }
})
