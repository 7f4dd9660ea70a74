import { COMMANDS } from './commands/index.ts'
import { endWith } from './endings.ts'
import { EXIT, type ExitCode } from './exit.ts'
import { buildProgram } from './program.ts'
import { processIo } from './terminal.ts'

/** Runs the command line; expected endings are exit codes, faults are reported once. */
async function main(args: readonly string[]): Promise<ExitCode> {
  const io = processIo()
  let code: ExitCode = EXIT.done
  try {
    await buildProgram(COMMANDS, io, ended => {
      code = ended
    }).parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    return endWith(error, io, args.includes('--json'))
  }
}

/** A reader that went away (`| head`) ends the output, not the answer. */
process.stdout.on('error', error => {
  if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  process.exit(process.exitCode ?? EXIT.done)
})

process.exitCode = await main(process.argv.slice(2))
