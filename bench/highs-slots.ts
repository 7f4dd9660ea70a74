import { readFileSync } from 'node:fs'
import { nodeHost } from '../src/host/node/index.ts'
import {
  bodyOrder,
  bodySequences,
  buildProblem,
  encodePlacementMilp,
  evaluate,
  parseInstance,
  releaseSolvers,
  runBackend
} from '../src/index.ts'

/**
 * HiGHS alone on our own slot model, which leaves out every gap and row that the windows of a horizon exclude. Arguments:
 * FILE, horizon in ticks or `serial`, the length of everything one after the other.
 */
const [file, horizon] = process.argv.slice(2)
const parsed = parseInstance(readFileSync(file, 'utf8'), 'json')
if (!parsed.ok) throw new Error('bad instance')
const problem = buildProblem(parsed.measured)
const body = bodySequences(problem, bodyOrder(parsed.measured))
const serial = problem.events.reduce((total, event) => total + event.modes[0].duration, 0) + problem.edges.length
const host = nodeHost()
const encoded = encodePlacementMilp(problem, body, horizon === 'serial' ? serial : Number(horizon))
const outcome = await runBackend(host, 'highs', { model: encoded.model, timeLimitMs: 120_000 })
const evaluation = outcome.values ? evaluate(problem, encoded.decode(outcome.values)) : undefined
await releaseSolvers(host)
console.log(
  JSON.stringify({
    status: outcome.status,
    makespan: evaluation?.kind === 'schedule' ? evaluation.schedule.makespan : undefined
  })
)
