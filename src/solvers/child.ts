import type { Host, ProcessResult } from '../host/port.ts'
import { pointless, unknownEngine } from './outcome.ts'
import type { BackendInfo, Outcome, Stop } from './port.ts'
import type { Question, Reply } from './worker.ts'

/** Resident bytes that a solver child may take unless the caller says otherwise. */
const DEFAULT_MEMORY = 4 * 2 ** 30

/** One question to a solver in a child process of its own, capped in time and memory, killed as soon as it answered. */
export async function askChild(
  host: Host,
  info: BackendInfo,
  question: Question,
  limits: { readonly ms: number; readonly memoryBytes?: number },
  signal?: AbortSignal
): Promise<Reply> {
  const crash = (stop: Stop, raw: string): Reply => ({
    outcome: pointless(stop, unknownEngine(info.id), raw),
    spent: true
  })
  if (!host.processes) return crash('crash', `${info.title} needs a child process, which there is none of here`)
  const result = await host.processes.runSolverChild(question, {
    timeoutMs: limits.ms,
    memoryBytes: limits.memoryBytes ?? DEFAULT_MEMORY,
    until: line => line.startsWith('reply '),
    ...(signal ? { signal } : {})
  })
  const line = result.stdout.split('\n').find(line => line.startsWith('reply '))
  return line ? parseReply(line.slice('reply '.length)) : crash(...endingOf(result))
}

function parseReply(text: string): Reply {
  const reply = JSON.parse(text) as Reply
  if (!('outcome' in reply) || !reply.outcome.values) return reply
  const outcome: Outcome = { ...reply.outcome, values: Float64Array.from(reply.outcome.values) }
  return { outcome, spent: true }
}

function endingOf({ end, code, stderr }: ProcessResult): [Stop, string] {
  switch (end) {
    case 'timeout':
      return ['time', 'stopped at the time limit']
    case 'memory':
      return ['memory', 'stopped at the memory limit']
    case 'cancelled':
      return ['cancelled', 'cancelled']
    case 'exit':
    case 'signal':
    case 'absent':
    case 'answered':
      return ['crash', `the solver process ended (${end}, code ${code ?? 'none'}): ${stderr.slice(0, 400)}`]
  }
}
