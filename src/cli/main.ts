import { EXIT } from './exit.ts'
import { run } from './run.ts'
import { processIo } from './terminal.ts'

/** A reader that went away (`| head`) ends the output, not the answer. */
process.stdout.on('error', error => {
  if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  process.exit(process.exitCode ?? EXIT.done)
})

process.exitCode = await run(process.argv.slice(2), processIo())
