/**
 * HiGHS as a program: what its own command line does (read the model, read the options, solve, write the solution), by the
 * package's HiGHS, so that the texts in and out are HiGHS's own. Only the arguments are parsed here.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import loadHighs from 'highs'

const [, , ...given] = process.argv
const highs = await loadHighs()
const value = flag => {
  const at = given.indexOf(flag)
  return at < 0 ? undefined : given[at + 1]
}

if (given.includes('--version')) process.stdout.write(`HiGHS version ${highs.version.string}\n`)
else {
  const known = ['--model_file', '--options_file', '--time_limit', '--solution_file']
  const unknown = given.find((argument, at) => at % 2 === 0 && !known.includes(argument))
  if (unknown) throw new Error(`unknown argument ${unknown}`)
  const model = highs.createModel({ format: 'mps', data: readFileSync(value('--model_file')) })
  model.options.read(readFileSync(value('--options_file'), 'utf8'))
  model.options.set({ output_flag: false, time_limit: Number(value('--time_limit')) })
  model.run()
  writeFileSync(value('--solution_file'), model.exportSolution(false))
  model.dispose()
}
