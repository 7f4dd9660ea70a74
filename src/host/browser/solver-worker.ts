import { answer, type Question } from '../../solvers/worker.ts'

type Scope = {
  onmessage: ((event: { readonly data: Question }) => void) | null
  postMessage: (message: unknown) => void
}

const scope = globalThis as unknown as Scope

const post = (message: unknown) => scope.postMessage(message)
scope.onmessage = async event => post(await answer(event.data, post))
