/** Backends that lie or die: each module URL `?kind` gives one. A worker loads it by its URL. */
const query = new URL(import.meta.url).searchParams
const kind = query.get('kind')
const engine = { name: `fake ${kind}`, version: '1' }
const forEver = () => {
  for (;;) Math.random()
}
const stopped = { stop: 'time', raw: 'out of time', engine }
let calls = 0

/** Findings that are none: no object, no numbers, no solution, no bound that could hold, under names of two engines. */
const lies = size => [
  null,
  'a finding',
  { values: 'none' },
  { values: { length: size } },
  { claimedBound: '7', engine },
  { claimedBound: Number.NaN, engine },
  { claimedBound: Number.POSITIVE_INFINITY, engine },
  { values: [], claimedBound: 1e9, engine },
  { values: Array(size).fill('1'), claimedBound: 1e9, engine },
  { values: new Float64Array(size).fill(1e9), claimedBound: 1e9, engine },
  { values: new Float64Array(size).fill(Number.NaN), claimedBound: 1e9, engine },
  { claimedBound: 1e9, engine: { name: 'one', version: '1' } },
  { claimedBound: 2e9, engine: { name: 'other', version: '1' } },
  { claimedBound: 3e9, engine: 'no engine' }
]

async function solve(request, { report }) {
  const { model } = request
  const size = model.kind === 'smt' ? model.ints.length + model.numBools : model.variables.length
  switch (kind) {
    case 'aborts':
      throw new Error(`Aborted(${'var Module=0;'.repeat(5000)})`)
    case 'dies':
      process.exit(7)
      return
    case 'hangs':
      return forEver()
    case 'silent':
      return new Promise(() => setInterval(() => {}, 1000))
    case 'illegal-point':
      return {
        stop: 'proved',
        status: model.kind === 'smt' ? 'sat' : 'optimal',
        values: new Float64Array(size).fill(1e9),
        claimedBound: 1,
        raw: 'fine',
        engine
      }
    case 'false-bound':
      return { stop: 'proved', status: 'infeasible', claimedBound: 1e9, raw: 'infeasible', engine }
    case 'streams-lies':
      for (const lie of lies(size)) report(lie)
      return stopped
    case 'streams-then-hangs':
    case 'streams-then-dies':
      for (const x of [9, 4, 6]) report({ values: [x], claimedBound: 1, engine })
      report({ claimedBound: 2, engine })
      if (kind.endsWith('hangs')) forEver()
      // A message that was posted is on its way only after this turn.
      setTimeout(() => process.exit(7), 20)
      return new Promise(() => {})
    case 'streams-then-denies':
      report({ values: [3], engine })
      return { stop: 'proved', status: 'infeasible', raw: 'infeasible', engine }
    case 'streams-late':
      if (calls++ === 0) setTimeout(() => report({ claimedBound: 1e9, engine }), 30)
      else await new Promise(resolve => setTimeout(resolve, 200))
      return { stop: 'proved', raw: 'nothing', engine }
    case 'bounds-then-hangs':
    case 'bounds-then-stops':
      for (const bound of query.get('bounds').split(','))
        report({ claimedBound: Number(bound), engine: { name: `fake of ${bound}`, version: '1' } })
      return kind.endsWith('hangs') ? forEver() : stopped
    case 'solves-then-hangs':
    case 'solves-then-stops': {
      const { backend } = await import('../../dist/solvers/highs/backend.js')
      const { values } = await backend.solve(request)
      report({ values, engine })
      return kind.endsWith('hangs') ? forEver() : stopped
    }
    case 'echoes': {
      const { hint } = request
      return { stop: 'time', ...(hint ? { status: 'feasible', values: hint } : {}), raw: 'its hint, if any', engine }
    }
    default:
      return { stop: 'no-such-stop', raw: 'nonsense', engine }
  }
}

export const backend = {
  id: kind,
  title: `fake: ${kind}`,
  capabilities: { models: ['milp', 'smt', 'cp'], provesBound: true, warmStart: false, seeded: false, stepLimit: false },
  runs: 'worker',
  solve,
  version: async () => engine
}
