import { FaultError } from '../base/fault.ts'
import { compareDraws, type DrawComparison, type Solved } from '../compare/draws.ts'
import { isModelled, readMapping } from '../instance/index.ts'
import { checkModelled } from '../instance/modelled-schema.ts'
import { type Draw, drawMeasured, drawModelled } from '../model/draws.ts'
import type { Family } from '../schedule/family.ts'
import type { Measured } from '../schedule/measured.ts'
import { loadInstance, syntaxOf } from './inputs.ts'
import type { Io } from './io.ts'
import { type SearchConfig, search } from './search.ts'

/** Many draws of an instance: of its workload where it is modelled, else of its own microbatches. */
export async function readDraws(path: string, seed: number, count: number, io: Io): Promise<Draw[]> {
  const text = await io.read(path)
  const reading = readMapping(text, syntaxOf(path, text))
  if (!reading.ok || !isModelled(reading.value as never))
    return drawMeasured((await loadInstance({ ...io, read: async () => text }, path)).document, seed, count)
  const checked = checkModelled(reading.value as never)
  if (!checked.ok) throw new FaultError(checked.faults)
  return drawModelled(checked.document, seed, count)
}

/** Least time that one draw's search gets, in milliseconds. */
const LEAST_MS = 200

/** Families over many draws, with the optimum re-solved per draw unless it is not wanted; the draws share the time limit. */
export async function drawComparison(
  draws: readonly Draw[],
  families: readonly Family[],
  options: SearchConfig & { readonly withoutOptimum: boolean },
  io: Io
): Promise<DrawComparison> {
  const timeLimit = Math.max(LEAST_MS, options.timeLimit / draws.length)
  const solve = async (measured: Measured): Promise<Solved | undefined> => {
    const { answer } = await search(measured, { ...options, timeLimit, quiet: true }, io)
    if (!('point' in answer)) return undefined
    return { makespan: answer.point.makespan, proved: answer.status === 'optimal', document: answer.point.document }
  }
  return compareDraws(draws, families, options.withoutOptimum ? undefined : solve)
}
