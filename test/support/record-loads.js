// Writes the address of every module that the process loads to the file named by TROPIPE_LOADS (`node --import` this file).
import { appendFileSync } from 'node:fs'
import { register } from 'node:module'
import { isMainThread } from 'node:worker_threads'

if (isMainThread) register(import.meta.url)

/** A loader hook of Node: notes the address and goes on. */
export async function load(url, context, nextLoad) {
  appendFileSync(process.env.TROPIPE_LOADS, `${url}\n`)
  return nextLoad(url, context)
}
