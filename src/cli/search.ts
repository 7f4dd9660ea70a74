import { fail } from '../base/fault.ts'
import { didYouMean } from '../base/suggest.ts'
import { nodeHost } from '../host/node/index.ts'
import type { Host } from '../host/port.ts'
import { optimize } from '../optimize/optimize.ts'
import { type Front, paretoFront } from '../optimize/pareto.ts'
import type { SolveOptions, SolveResult } from '../optimize/types.ts'
import type { Measured } from '../schedule/measured.ts'
import { BACKENDS, releaseSolvers } from '../solvers/index.ts'
import type { Io } from './io.ts'
import type { Config } from './options.ts'
import { ProgressLine } from './progress.ts'

/** The options that steer a search. */
export type SearchConfig = Pick<
  Config,
  'problem' | 'solver' | 'timeLimit' | 'seed' | 'threads' | 'deterministic' | 'quiet'
> &
  Partial<Pick<SolveOptions, 'objective' | 'tieBreak'>>

/** Runs the optimizer with progress on stderr; Ctrl-C makes it return what it has. @throws FaultError UNKNOWN_SOLVER, NOT_YET */
export function search(measured: Measured, config: SearchConfig, io: Io): Promise<SolveResult> {
  return searchBy(optimize, measured, config, io)
}

/** The same for the front of makespan against peak memory. */
export function searchFront(measured: Measured, config: SearchConfig, io: Io): Promise<Front> {
  if (config.objective === 'spill')
    fail('USAGE', '--pareto', 'spill', 'the front is of the makespan', 'Leave --objective out.')
  return searchBy(paretoFront, measured, config, io)
}

async function searchBy<Found>(
  run: (measured: Measured, options: Partial<SolveOptions>, host: Host) => Promise<Found>,
  measured: Measured,
  config: SearchConfig,
  io: Io
): Promise<Found> {
  checkSolver(config.solver)
  const host = nodeHost()
  const progress = new ProgressLine(io, measured)
  const { problem, solver, timeLimit, seed, threads, deterministic, quiet, objective, tieBreak } = config
  const beat = setInterval(() => progress.again(), 500)
  try {
    const options: Partial<SolveOptions> = {
      ...{ problem, solver, seed, threads, deterministic },
      ...(objective ? { objective } : {}),
      ...(tieBreak ? { tieBreak } : {}),
      timeLimitMs: timeLimit,
      signal: io.interruptible(),
      ...(quiet ? {} : { onProgress: state => progress.show(state) })
    }
    return await run(measured, options, host)
  } finally {
    clearInterval(beat)
    progress.close()
    await releaseSolvers(host)
  }
}

function checkSolver(id: string): void {
  const known = ['auto', ...BACKENDS.map(backend => backend.id)]
  if (known.includes(id)) return
  fail('UNKNOWN_SOLVER', '--solver', id, `there is no solver "${id}"`, didYouMean(id, known))
}
