import type { CommanderError } from 'commander'
import type { Fault } from '../base/fault.ts'
import { didYouMean } from '../base/suggest.ts'

/** What the parser of the command line objects to, as a fault like any other: the option, what it was given, and advice. `command` is the one that was named. */
export function usageFault(error: CommanderError, command?: string): Fault {
  const help = command === undefined ? 'See `tropipe --help`.' : `See \`tropipe ${command} --help\`.`
  const text = error.message.replace(/^error: /, '')
  const invalid = /^(?:option|command-argument) '(.*?)' argument '(.*)' is invalid\. (.*)$/s.exec(text)
  if (invalid) return invalidValue(invalid[1], invalid[2], invalid[3])
  const unknown = /^unknown option '([\s\S]*?)'\n?(?:\((.*)\))?$/.exec(text)
  if (unknown) {
    const [, option, hint] = unknown
    return usage(option, option, 'unknown option', hint ?? help)
  }
  const missing = /^option '(.*)' argument missing$/.exec(text)
  if (missing) return usage(longFlag(missing[1]), undefined, 'the option needs a value', `Write ${missing[1]}.`)
  const operand = /^missing required argument '(.*)'$/.exec(text)
  if (operand) return usage(operand[1], undefined, 'it is missing', help)
  const [first, ...rest] = text.split('\n')
  return usage('', undefined, first.replace(/\.$/, ''), rest.join(' ').trim() || help)
}

function invalidValue(flags: string, value: string, advice: string): Fault {
  const choices = /^Allowed choices are (.*)\.$/.exec(advice)
  return usage(
    longFlag(flags),
    value,
    `"${value}" is not possible here`,
    choices ? didYouMean(value, choices[1].split(', ')) : advice
  )
}

/** `--output` of `-o, --output <OUT>`. */
function longFlag(flags: string): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags
}

function usage(path: string, value: string | undefined, message: string, advice: string): Fault {
  return { code: 'USAGE', path, value, message, advice }
}
