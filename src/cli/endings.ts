import { CommanderError } from 'commander'
import { type Fault, FaultError } from '../base/fault.ts'
import { wrap } from '../base/wrap.ts'
import { EXIT, type ExitCode } from './exit.ts'
import { type Io, printDocument } from './io.ts'
import { usageFault } from './usage.ts'

/** Where people report a fault of the tool. */
const ISSUES = 'the issue tracker named in the package (npm bugs tropipe)'

/** Faults for people: one block each with path, rule and value on one line, and the advice below; `source` is the file. */
export function faultText(faults: readonly Fault[], columns: number, source?: string): string {
  const file = source === undefined ? '' : visible(source)
  if (faults.length === 1) return blockOf(faults[0], columns, file && `${file}: `)
  const head = `${faults.length} faults${file && ` in ${file}`}:\n`
  return head + faults.map(fault => blockOf(fault, columns)).join('')
}

function blockOf(fault: Fault, columns: number, file = ''): string {
  const where = file + (fault.path === '' ? '' : `${visible(fault.path)}: `)
  const { value } = fault
  const told =
    value === undefined || value === fault.path || (typeof value === 'string' && fault.message.includes(value))
  const got = told ? '' : ` (got ${shortValue(value)})`
  return `error: ${where}${visible(fault.message)}${got} [${fault.code}]\n${wrap(visible(fault.advice), columns, '  ')}\n`
}

/** A value on one line, cut where it grows long. */
function shortValue(value: unknown): string {
  const text = visible(JSON.stringify(value) ?? String(value))
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}

/** Text from an input with its control characters made harmless to a terminal. */
function visible(text: string): string {
  return text.replace(/\p{Cc}/gu, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/**
 * Reports whatever a command threw and says how the process ends. With `json` the faults are one document on stdout.
 * `command`: the one that was named, whose help may be pointed to.
 */
export async function endWith(error: unknown, io: Io, json: boolean, command?: string): Promise<ExitCode> {
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done
  const faults =
    error instanceof CommanderError
      ? [usageFault(error, command)]
      : error instanceof FaultError
        ? error.faults
        : undefined
  if (!faults) return endInternal(error, io, json)
  if (json) await printDocument(io, faultsDocument(faults))
  else io.err(faultText(faults, io.style.columns, error instanceof FaultError ? error.source : undefined))
  return EXIT.usage
}

/** Every fault with all its keys; what was not there at all is null. */
function faultsDocument(faults: readonly Fault[]): unknown {
  return {
    format: 'tropipe.faults/1',
    faults: faults.map(({ code, path, value, message, advice }) => ({
      code,
      path,
      value: value ?? null,
      message,
      advice
    }))
  }
}

async function endInternal(error: unknown, io: Io, json: boolean): Promise<ExitCode> {
  const message = visible(
    String(error instanceof Error ? error.message : error)
      .split('\n')[0]
      .slice(0, 300)
  )
  const advice = `Please report it with the command and its input to ${ISSUES}; TROPIPE_DEBUG=1 prints the stack.`
  if (json) await printDocument(io, faultsDocument([{ code: 'INTERNAL', path: '', message, advice }]))
  else io.err(`internal fault: ${message}\n  ${advice}\n`)
  if (process.env.TROPIPE_DEBUG && error instanceof Error) io.err(`${error.stack}\n`)
  return EXIT.internal
}
