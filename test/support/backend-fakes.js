/** Backends that lie or die: each module URL `?kind` gives one. A worker loads it by its URL. */
const kind = new URL(import.meta.url).searchParams.get('kind')
const engine = { name: `fake ${kind}`, version: '1' }

async function solve({ model }) {
  const size = model.kind === 'smt' ? model.ints.length + model.numBools : model.variables.length
  switch (kind) {
    case 'aborts':
      throw new Error(`Aborted(${'var Module=0;'.repeat(5000)})`)
    case 'dies':
      process.exit(7)
      return
    case 'hangs':
      for (;;) Math.random()
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
