import { CommanderError } from 'commander'
import { type Fault, FaultError } from '../base/fault.ts'
import { wrap } from '../base/wrap.ts'
import { EXIT, type ExitCode } from './exit.ts'
import { type Io, printDocument } from './io.ts'
import { usageFault } from './usage.ts'

/** Where people report a fault of the tool. */
const ISSUES = 'the issue tracker named in the package (npm bugs tropipe)'

/** Faults for people: one block each with path, rule and value on one line, and the advice below. */
export function faultText(faults: readonly Fault[], columns: number): string {
  const head = faults.length > 1 ? `${faults.length} faults:\n` : ''
  return head + faults.map(fault => blockOf(fault, columns)).join('')
}

function blockOf(fault: Fault, columns: number): string {
  const where = fault.path === '' ? '' : `${visible(fault.path)}: `
  const told = fault.value === undefined || fault.value === fault.path || fault.message.includes(`"${fault.value}"`)
  const value = told ? '' : ` (got ${shortValue(fault.value)})`
  return `error: ${where}${visible(fault.message)}${value} [${fault.code}]\n${wrap(visible(fault.advice), columns, '  ')}\n`
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

/** Reports whatever a command threw and says how the process ends. With `json` the faults are one document on stdout. */
export async function endWith(error: unknown, io: Io, json: boolean): Promise<ExitCode> {
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done
  const faults =
    error instanceof CommanderError ? [usageFault(error)] : error instanceof FaultError ? error.faults : undefined
  if (!faults) return endInternal(error, io, json)
  if (json) await printDocument(io, faultsDocument(faults))
  else io.err(faultText(faults, io.style.columns))
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
