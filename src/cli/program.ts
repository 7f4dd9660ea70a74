import { Argument, Command as Commander, Option } from 'commander'
import type { Command } from './command.ts'
import { EXIT, type ExitCode } from './exit.ts'
import type { Io } from './io.ts'
import { type Config, OPTIONS, type OptionSpec } from './options.ts'
import { allVersions, ownVersion } from './versions.ts'

/** What `--help` says after everything else. */
export const EXIT_CODES = `
Exit codes: 0 done; 1 the answer is no (illegal, infeasible, a cross-check failed);
            2 bad input or usage; 3 a limit came first; 70 internal fault.
A FILE of "-" reads stdin. Set NO_COLOR for plain output.
`

/** The parser, made of the commands and the option table. `ended` receives the exit code of the command that ran. */
export function buildProgram(commands: readonly Command[], io: Io, ended: (code: ExitCode) => void): Commander {
  const program = new Commander('tropipe')
    .description('Finds, proves and compares pipeline schedules for training multimodal LLMs.')
    .usage('COMMAND [options]')
    .option('-V, --version', 'print the version; with --verbose also that of every solver')
    .option('--verbose', 'say more')
    .helpCommand('help [command]', 'explain a command')
    .addHelpText('after', EXIT_CODES)
    .showSuggestionAfterError()
    .exitOverride()
    .allowExcessArguments()
    .configureOutput({ writeOut: io.out, writeErr: () => {} })
    .action(async options => {
      if (options.version) io.out(await versionText(Boolean(options.verbose)))
      else if (program.args.length > 0) program.error(`unknown command '${program.args[0]}'`)
      else program.help()
      ended(EXIT.done)
    })
  for (const command of commands) addCommand(program, command, io, ended)
  return program
}

function addCommand(program: Commander, command: Command, io: Io, ended: (code: ExitCode) => void): void {
  const sub = program.command(command.name).summary(command.summary).allowExcessArguments(false)
  sub.description(command.details ? `${command.summary}\n\n${command.details}` : command.summary)
  for (const { name, help, optional, many } of command.operands) {
    const text = many ? `${name}...` : name
    sub.addArgument(new Argument(optional ? `[${text}]` : `<${text}>`, help))
  }
  for (const key of command.options) sub.addOption(optionOf(OPTIONS[key]))
  sub.addHelpText('after', `\nExamples:\n${command.examples.map(line => `  ${line}`).join('\n')}\n`)
  sub.action(async () => {
    const operands = sub.processedArgs.flat().filter(value => value !== undefined) as string[]
    const options = configOf(command, sub.opts())
    if (options.output !== undefined) await io.checkOutput(options.output)
    ended(await command.run({ operands, options, io }))
  })
}

/** A row of the table as an option of the parser. */
export function optionOf(spec: OptionSpec<unknown>): Option {
  const long = spec.value ? `--${spec.flag} <${spec.value}>` : `--${spec.flag}`
  const option = new Option(spec.short ? `-${spec.short}, ${long}` : long, spec.help)
  if (spec.choices) option.choices([...spec.choices])
  else if (spec.parse) option.argParser(spec.parse)
  if (spec.fallback !== undefined && spec.fallback !== false && !spec.help.includes('default'))
    option.default(spec.fallback)
  return option
}

function configOf(command: Command, values: Readonly<Record<string, unknown>>): Config {
  const entries = command.options.map(key => {
    const spec: OptionSpec<unknown> = OPTIONS[key]
    return [key, values[optionOf(spec).attributeName()] ?? spec.fallback]
  })
  return Object.fromEntries(entries) as Config
}

async function versionText(verbose: boolean): Promise<string> {
  if (!verbose) return `${await ownVersion()}\n`
  const versions = await allVersions()
  const width = Math.max(...versions.map(([name]) => name.length))
  return versions.map(([name, version]) => `${name.padEnd(width)}  ${version}\n`).join('')
}
