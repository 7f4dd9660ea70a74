import type { Host } from '../host/port.ts'
import { backends } from './native/backend.ts'
import { pointless, readable, unknownEngine } from './outcome.ts'
import type { BackendInfo, Finding } from './port.ts'
import type { Question, Reply } from './worker.ts'

/** One question to a native program; whatever goes wrong becomes an answer. */
export async function askProgram(
  host: Host,
  info: BackendInfo,
  question: Question,
  report: (finding: Finding) => void,
  signal?: AbortSignal
): Promise<Reply> {
  const backend = backends.find(({ id }) => id === info.id)
  try {
    if (!backend) throw new Error(`${info.id} is not installed`)
    const context = { report, host, ...(signal ? { signal } : {}) }
    if (question.ask === 'solve') return { outcome: await backend.solve(question.request, context), spent: true }
    return { engine: await backend.version(host) }
  } catch (error) {
    if (question.ask === 'version') return { absent: readable(error) }
    return { outcome: pointless('crash', unknownEngine(info.id), error), spent: true }
  }
}
