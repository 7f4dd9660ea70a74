import { Argument, Command as Commander, Option } from 'commander'
import { type Fault, FaultError, fail } from '../base/fault.ts'
import { didYouMean } from '../base/suggest.ts'
import type { Command, Listed } from './command.ts'
import { commandLines } from './command-lines.ts'
import { EXIT, type ExitCode } from './exit.ts'
import type { Io } from './io.ts'
import { type Config, OPTIONS, type OptionSpec } from './options.ts'
import { allVersions, ownVersion } from './versions.ts'

/** What `--help` says after everything else. */
export const EXIT_CODES = `
Exit codes: 0 done; 1 the answer is no (illegal, infeasible, a cross-check
            failed); 2 bad input or usage; 3 a limit came first;
            70 internal fault.
A FILE of "-" reads stdin. Set NO_COLOR for plain output. Text is as wide as the
terminal; into files and pipes 100 columns, or fewer if COLUMNS says so.
`

/** The parser, made of the commands and the option table. `ended` receives the exit code of the command that ran. */
export function buildProgram(commands: readonly Listed[], io: Io, ended: (code: ExitCode) => void): Commander {
  const program = new Commander('tropipe')
    .description('Finds, proves and compares pipeline schedules for training multimodal LLMs.')
    .usage('COMMAND [options]')
    .option('-V, --version', 'print the version; with --verbose also that of every solver')
    .option('--verbose', 'say more')
    .helpCommand(false)
    .addHelpText('after', EXIT_CODES)
    .showSuggestionAfterError()
    .exitOverride()
    .allowExcessArguments()
    .allowUnknownOption()
    .configureOutput({ writeOut: io.out, writeErr: () => {} })
    .action(async options => {
      if (options.version) io.out(await versionText(Boolean(options.verbose)))
      else if (program.args.length > 0) misunderstood(program.args, commands)
      else program.help()
      ended(EXIT.done)
    })
  for (const command of commands) listCommand(program, command)
  program.hook('preSubcommand', async (_, sub) => {
    const listed = commands.find(command => command.name === sub.name())
    if (listed) fillCommand(sub, await listed.load(), io, ended)
  })
  addHelp(program, commands)
  return program
}

function listCommand(program: Commander, { name, summary, operands }: Listed): void {
  const sub = program.command(name).summary(summary).allowExcessArguments(false)
  for (const { name: operand, help, optional, many } of operands) {
    const text = many ? `${operand}...` : operand
    sub.addArgument(new Argument(optional ? `[${text}]` : `<${text}>`, help))
  }
}

/** `help [command]`, which loads the command as its own `--help` does. */
function addHelp(program: Commander, commands: readonly Listed[]): void {
  program
    .command('help [command]')
    .summary('explain a command')
    .action(async (name: string | undefined) => {
      if (name === undefined) return program.help()
      if (!program.commands.some(command => command.name() === name)) unknownCommand(name, commands)
      await program.parseAsync([name, '--help'], { from: 'user' })
    })
}

/** A command line that names no command: a misspelt one goes before its options, which nobody knows then. */
function misunderstood(args: readonly string[], commands: readonly Listed[]): never {
  const word = args.find(arg => !arg.startsWith('-'))
  if (word !== undefined) unknownCommand(word, commands)
  fail('USAGE', args[0], args[0], 'unknown option', didYouMean(args[0], ['--version', '--verbose', '--help']))
}

function unknownCommand(name: string, commands: readonly Listed[]): never {
  const known = commands.map(command => command.name)
  fail('USAGE', 'COMMAND', name, `unknown command "${name}"`, didYouMean(name, known))
}

/** Gives a command of the list what only its own module knows. */
function fillCommand(sub: Commander, command: Command, io: Io, ended: (code: ExitCode) => void): void {
  const summary = sub.summary()
  sub.description(command.details ? `${summary}\n\n${command.details}` : summary)
  for (const key of command.options) sub.addOption(optionOf(OPTIONS[key]))
  sub.addHelpText('after', `\nExamples:\n${command.examples.map(line => commandLines(line, '  ')).join('\n')}\n`)
  sub.action(async () => {
    const operands = sub.processedArgs.flat().filter(value => value !== undefined) as string[]
    const options = configOf(command, sub.opts())
    refuseIdle(command, operands, options, sub)
    if (options.output !== undefined) await io.checkOutput(options.output)
    ended(await command.run({ operands, options, io }))
  })
}

/** @throws FaultError IDLE_OPTION for every option that was given and would do nothing */
function refuseIdle(command: Command, operands: readonly string[], options: Config, sub: Commander): void {
  const given = (key: keyof Config) => sub.getOptionValueSource(optionOf(OPTIONS[key]).attributeName()) === 'cli'
  const faults = (command.idle?.({ operands, options }) ?? []).flatMap(({ options: keys, why }) =>
    keys.filter(given).map((key): Fault => {
      const path = `--${OPTIONS[key].flag}`
      return {
        code: 'IDLE_OPTION',
        path,
        value: options[key],
        message: `does nothing here: ${why}`,
        advice: 'Leave it out.'
      }
    })
  )
  if (faults.length > 0) throw new FaultError(faults)
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
