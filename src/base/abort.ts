/** A signal that can be aborted by itself and follows another one until it is unlinked. */
export type LinkedAbort = { readonly signal: AbortSignal; readonly abort: () => void; readonly unlink: () => void }

/** Links a signal of one's own to the caller's. */
export function linkedAbort(given: AbortSignal | undefined): LinkedAbort {
  const own = new AbortController()
  const abort = () => own.abort()
  if (given?.aborted) abort()
  given?.addEventListener('abort', abort)
  return { signal: own.signal, abort, unlink: () => given?.removeEventListener('abort', abort) }
}
