import type { Host, ProcessResult } from '../host/port.ts'
import { pointless, unknownEngine } from './outcome.ts'
import type { BackendInfo, Stop } from './port.ts'
import type { Question, Reply } from './worker.ts'

/** Resident bytes that a solver child may take unless the caller says otherwise. */
const DEFAULT_MEMORY = 4 * 2 ** 30

/**
 * One question to a solver in a child process of its own, capped in time and memory, killed as soon as it answered. `take`
 * gets what it finds on the way there.
 */
export async function askChild(
  host: Host,
  info: BackendInfo,
  question: Question,
  limits: { readonly ms: number; readonly memoryBytes?: number },
  take: (finding: unknown) => void,
  signal?: AbortSignal
): Promise<Reply> {
  const crash = (stop: Stop, raw: string): Reply => ({
    outcome: pointless(stop, unknownEngine(info.id), raw),
    spent: true
  })
  if (!host.processes) return crash('crash', `${info.title} needs a child process, which there is none of here`)
  let reply: Reply | undefined
  const onLine = (line: string): boolean => {
    const { word, content } = messageOf(line)
    if (word === 'reply') reply = replyOf(content)
    else take(word === 'finding' ? content : info.readLog?.(line))
    return reply !== undefined
  }
  const result = await host.processes.runSolverChild(question, {
    timeoutMs: limits.ms,
    memoryBytes: limits.memoryBytes ?? DEFAULT_MEMORY,
    onLine,
    ...(signal ? { signal } : {})
  })
  return reply ?? crash(...endingOf(result))
}

/** A line of ours begins with its word; engines print lines of their own, which may look like anything. */
function messageOf(line: string): { readonly word?: string; readonly content?: unknown } {
  const [, word, text] = /^(finding|reply) (.*)$/.exec(line) ?? []
  if (word === undefined) return {}
  try {
    return { word, content: JSON.parse(text) }
  } catch {
    return {}
  }
}

function replyOf(content: unknown): Reply | undefined {
  const reply = content as Reply | null
  if (typeof reply !== 'object' || reply === null) return undefined
  if (!('outcome' in reply)) return reply
  const { values } = reply.outcome
  return { outcome: { ...reply.outcome, ...(values ? { values: Float64Array.from(values) } : {}) }, spent: true }
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
