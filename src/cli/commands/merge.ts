import { fail } from '../../base/fault.ts'
import { mergeRecords, parseStore } from '../../compare/sweep/record.ts'
import { defineCommand } from '../command.ts'
import { EXIT } from '../exit.ts'
import { printSweep } from '../sweep-run.ts'

/** `tropipe merge`: the stores of a sweep's shards as one table. */
export const merge = defineCommand({
  details:
    'FILEs are the stores that `tropipe compare --sweep ... --store FILE` wrote. A point that several have counts once; the table is that of one run without shards. The last line of a run that was killed is left out.',
  options: ['format', 'html', 'json', 'output'],
  examples: [
    'tropipe merge results.shard-*.jsonl',
    'tropipe merge results.shard-*.jsonl --html sweep.html --format csv -o sweep.csv'
  ],
  run: async ({ operands, options, io }) => {
    const stores = []
    for (const path of operands) {
      const { records, torn } = parseStore(await io.read(path), path)
      if (torn) io.err(`note: ${path}: its last line is not complete and is left out\n`)
      stores.push(records)
    }
    if (stores.every(records => records.length === 0)) {
      const advice = 'Give stores that `tropipe compare --sweep ... --store FILE` wrote.'
      fail('NOT_A_SWEEP', operands.join(', '), undefined, 'there is no complete result of a sweep', advice)
    }
    await printSweep(io, mergeRecords(stores), options)
    return EXIT.done
  }
})
