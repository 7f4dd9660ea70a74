import { pointless, readable, unknownEngine } from './outcome.ts'
import type { Backend, Engine, Finding, Outcome, SolveRequest } from './port.ts'

/** What a solver worker is asked. `module` replaces the built-in loader (a backend from elsewhere). */
export type Question =
  | { readonly ask: 'solve'; readonly id: string; readonly module?: string; readonly request: SolveRequest }
  | { readonly ask: 'version'; readonly id: string; readonly module?: string }

/** What it answers. `spent`: the engine must not be used again in this worker. */
export type Reply =
  | { readonly outcome: Outcome; readonly spent: boolean }
  | { readonly engine: Engine }
  | { readonly absent: string }

/** What it posts before it answers, as often as it likes. */
export type Notice = { readonly finding: Finding }

async function loadBackend(id: string, module: string | undefined): Promise<Backend> {
  if (module !== undefined) return (await import(module)).backend
  switch (id) {
    case 'cpsat':
      return (await import('./cpsat/backend.ts')).backend
    case 'glpk':
      return (await import('./glpk/backend.ts')).backend
    case 'highs':
      return (await import('./highs/backend.ts')).backend
    case 'jslp':
      return (await import('./jslp/backend.ts')).backend
    case 'z3':
      return (await import('./z3/backend.ts')).backend
    default:
      throw new Error(`there is no solver "${id}"`)
  }
}

/** Answers one question; whatever goes wrong inside becomes an answer too. `post` sends what is found on the way there. */
export async function answer(question: Question, post: (notice: Notice) => void): Promise<Reply> {
  // What a backend says after its answer would be taken for a finding of the next question.
  let answered = false
  const report = (finding: Finding) => {
    if (!answered) post({ finding })
  }
  try {
    const backend = await loadBackend(question.id, question.module)
    if (question.ask === 'version') return { engine: await backend.version() }
    const outcome = await backend.solve(question.request, { report })
    return { outcome, spent: outcome.stop !== 'proved' }
  } catch (error) {
    if (question.ask === 'version') return { absent: readable(error) }
    return { outcome: crashOutcome(question.id, error), spent: true }
  } finally {
    answered = true
  }
}

function crashOutcome(id: string, error: unknown): Outcome {
  const text = readable(error)
  if (/Cannot find (package|module)|ERR_MODULE_NOT_FOUND|Failed to resolve/i.test(text))
    return pointless('crash', unknownEngine(id), `${id} is not installed`)
  const stop = /out of memory|OOM|memory access out of bounds|could not allocate/i.test(text) ? 'memory' : 'crash'
  return pointless(stop, unknownEngine(id), text)
}
