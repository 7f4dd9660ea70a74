import { allOn, type IntervalContext } from './context.ts'

/**
 * Precedence group. Consumes edges, lags, body chains and releases. Creates one row per edge for the shortest lag, one
 * conditional row per pair of ranks that demand more, one row per step of a chain and one per release of a rank.
 */
export function addPrecedence(context: IntervalContext): void {
  const { analysis, cp, start, end, candidates } = context
  for (const edge of analysis.problem.edges) {
    const pairs = candidates[edge.from].flatMap(from =>
      candidates[edge.to].map(to => ({ from, to, lag: analysis.lag(edge, from, to) }))
    )
    const least = Math.min(...pairs.map(({ lag }) => lag))
    if (pairs.length > 0) cp.after(start[edge.to], end[edge.from], least)
    for (const { from, to, lag } of pairs) {
      if (lag <= least) continue
      const [source, target] = [allOn(context, [edge.from], from) ?? [], allOn(context, [edge.to], to) ?? []]
      const when = new Map([...source, ...target].map(literal => [literal.variable, literal]))
      cp.after(start[edge.to], end[edge.from], lag, [...when.values()])
    }
  }
  for (const sequence of analysis.body)
    for (let place = 1; place < sequence.length; place++) cp.after(start[sequence[place]], end[sequence[place - 1]], 0)
  addReleases(context)
}

function addReleases(context: IntervalContext): void {
  const { analysis, cp, start, candidates } = context
  for (const { id } of analysis.problem.events) {
    for (const rank of candidates[id]) {
      const release = analysis.release(id, rank)
      const when = allOn(context, [id], rank) ?? []
      if (release > analysis.head[id])
        cp.add({ kind: 'linear', terms: [[start[id], 1]], lower: release, ...(when.length > 0 ? { when } : {}) })
    }
  }
}
