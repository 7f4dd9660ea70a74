import type { init } from 'z3-solver'

/** What `init` of z3-solver gives. */
export type Api = Awaited<ReturnType<typeof init>>

/** The parts of the emscripten module that are used below; the package types it as `any`. */
type Memory = {
  readonly HEAPU8: Uint8Array
  readonly _malloc: (bytes: number) => number
  readonly _free: (address: number) => void
  readonly _async_Z3_eval_smtlib2_string: (context: unknown, text: number) => void
  readonly async_call: (call: () => void) => Promise<string>
}

/**
 * Runs SMT-LIB commands in a context and returns what they print. The package's own function lends the text from the
 * stack to another thread and takes it back at once: a thread that starts late reads whatever stands there by then. Here
 * the text lives on the heap until the answer is there.
 */
export async function evaluateText(api: Api, context: unknown, text: string): Promise<string> {
  const memory = api.em as Memory
  const bytes = new TextEncoder().encode(text)
  const address = memory._malloc(bytes.length + 1)
  if (address === 0) throw new Error(`out of memory for a text of ${bytes.length} bytes`)
  memory.HEAPU8.set(bytes, address)
  memory.HEAPU8[address + bytes.length] = 0
  try {
    return await memory.async_call(() => memory._async_Z3_eval_smtlib2_string(context, address))
  } finally {
    memory._free(address)
  }
}
