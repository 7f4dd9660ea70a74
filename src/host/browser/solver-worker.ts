import { answer, type Question } from '../../solvers/worker.ts'

type Scope = {
  onmessage: ((event: { readonly data: Question }) => void) | null
  postMessage: (message: unknown) => void
}

const scope = globalThis as unknown as Scope

scope.onmessage = async event => scope.postMessage(await answer(event.data))
