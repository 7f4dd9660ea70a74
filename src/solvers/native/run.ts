import type { Host, Processes } from '../../host/port.ts'
import { pointless, withPoint } from '../outcome.ts'
import { objectiveOf, pointFault, wholePoint } from '../point.ts'
import type { Engine, Outcome, SolveRequest } from '../port.ts'
import { readSolution, type Said } from './status.ts'
import { toCall } from './translate.ts'

/** Runs a program on PATH: writes the model, runs, reads the point back and checks it. */
export async function runNative(
  program: string,
  request: SolveRequest,
  host: Host,
  signal?: AbortSignal
): Promise<Outcome> {
  const absent: Engine = { name: program, version: 'unknown' }
  const { processes, files } = host
  const path = await processes?.find(program)
  if (!processes || !files || path === undefined)
    return pointless('crash', absent, `native:${program} is not installed`)
  const call = toCall(program, request.model)
  if (!call) return pointless('crash', absent, `${program} does not take ${request.model.kind} models`)
  const engine = await nativeEngine(program, processes)
  return files.withTempFolder(async folder => {
    const paths = {
      model: `${folder}/${call.file}`,
      solution: `${folder}/solution.txt`,
      options: `${folder}/options.txt`,
      seconds: request.timeLimitMs / 1000
    }
    await files.writeText(paths.model, call.text)
    if (call.options !== undefined) await files.writeText(paths.options, call.options)
    const result = await processes.run({
      command: path,
      args: call.args(paths),
      timeoutMs: request.timeLimitMs + 1000,
      ...(request.memoryBytes === undefined ? {} : { memoryBytes: request.memoryBytes }),
      ...(signal ? { signal } : {})
    })
    if (result.end === 'cancelled') return pointless('cancelled', engine, 'cancelled')
    if (result.end === 'memory') return pointless('memory', engine, 'stopped at the memory limit')
    const solution = await files.readText(paths.solution).catch(() => '')
    const said = readSolution(program, request.model, result.stdout, solution)
    const stop = result.end === 'timeout' && said.stop === 'crash' ? 'time' : said.stop
    return toOutcome(
      { ...said, stop },
      request,
      engine,
      `${solution.split('\n')[0]} ${result.stdout.slice(-300)} ${result.stderr.slice(0, 200)}`
    )
  })
}

function toOutcome(said: Said, { model }: SolveRequest, engine: Engine, raw: string): Outcome {
  if (!said.values || !said.status) return pointless(said.stop, engine, raw, said.status)
  const values = model.kind === 'milp' ? wholePoint(model, said.values) : said.values
  const fault = pointFault(model, values)
  if (fault) return pointless('crash', engine, `not a solution: ${fault}; ${raw}`)
  const bound = said.status === 'optimal' && model.kind !== 'smt' ? objectiveOf(model, values) : undefined
  return withPoint(said.stop, said.status, values, engine, raw, bound)
}

const VERSION_FLAGS: Readonly<Record<string, readonly string[]>> = { cbc: ['-quit'] }

/** Name and version as the program prints them. */
export async function nativeEngine(program: string, processes: Processes): Promise<Engine> {
  const path = await processes.find(program)
  if (path === undefined) throw new Error(`native:${program} is not installed`)
  const { stdout, stderr } = await processes.run({
    command: path,
    args: VERSION_FLAGS[program] ?? ['--version'],
    timeoutMs: 10_000
  })
  return { name: program, version: /\d+(?:\.\d+)+|\b\d+\.\d+\b/.exec(stdout + stderr)?.[0] ?? 'unknown' }
}
