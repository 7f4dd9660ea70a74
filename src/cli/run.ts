import { COMMANDS } from './commands/index.ts'
import { endWith } from './endings.ts'
import { EXIT, type ExitCode } from './exit.ts'
import type { Io } from './io.ts'
import { buildProgram } from './program.ts'

/** Runs one command line. Expected endings are exit codes; faults are reported once, never thrown. */
export async function run(args: readonly string[], io: Io): Promise<ExitCode> {
  let code: ExitCode = EXIT.done
  try {
    const program = buildProgram(COMMANDS, io, ended => {
      code = ended
    })
    await program.parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    const command = COMMANDS.find(({ name }) => name === args[0])?.name
    return endWith(error, io, args.includes('--json'), command)
  }
}
