import { digits, showPercent, timeText } from '../../schedule/quantities.ts'
import { lineChart, type Series } from '../charts/lines.ts'
import { optimumLine, type SweepRowView } from '../text/sweep.ts'
import type { Report, ReportChart } from './types.ts'

/** Families beyond this many are left out of a chart: those that are never among the best go first. */
const LINES = 8

/** A sweep as a report: speedup against encoder share and against each axis, and the whole table. */
export function sweepReport(title: string, rows: readonly SweepRowView[]): Report {
  const axes = [...new Set(rows.flatMap(row => Object.keys(row.point)))]
  const baseline = rows.find(row => row.comparison)?.comparison?.baseline ?? 'nothing'
  return {
    title,
    lead: [`${rows.length} points; speedups over ${baseline}.`],
    tables: [],
    schedules: [],
    charts: sweepCharts(rows),
    details: [
      {
        caption: 'All points, legal schedules',
        head: [...axes, 'encoder share', 'family', 'makespan', `speedup over ${baseline}`],
        rows: rows.flatMap(row =>
          linesOf(row).map(line => [
            ...axes.map(axis => digits(row.point[axis])),
            showPercent(row.encoderShare),
            line.family,
            timeText(line.makespan, row.comparison!),
            line.speedup?.toFixed(3) ?? '-'
          ])
        )
      }
    ],
    notes: [
      'encoder share: encoder work / all work, forward and backward.',
      'speedup: makespan of the baseline / makespan, at the same point. Schedules that exceed memory are left out.'
    ]
  }
}

/** Speedup against the encoder share where that varies, else against the axes that do. */
export function sweepCharts(rows: readonly SweepRowView[]): ReportChart[] {
  const baseline = rows.find(row => row.comparison)?.comparison?.baseline ?? 'nothing'
  const axes = [...new Set(rows.flatMap(row => Object.keys(row.point)))]
  const byShare = axes.length === 1 && axes[0] === 'encoder'
  return axes.map(axis => {
    const share = byShare || axis === 'encoder'
    const x = (row: SweepRowView) => (share ? 100 * row.encoderShare : row.point[axis])
    const words = share ? 'encoder share of all work / %' : axis
    const labels = {
      title: `Speedup against ${share ? 'encoder share' : axis}`,
      x: words,
      y: `speedup over ${baseline}`
    }
    const others = axes.filter(other => other !== axis)
    const series = seriesOf(rows, x)
    const over = others.length > 0 ? `, the largest over all values of ${others.join(' and ')}` : ''
    const which = series.length > LINES ? `; the ${LINES} best of ${series.length} families` : ''
    const caption = `Speedup of legal schedules${over}${which}.`
    return { caption, svg: lineChart(labels, series.slice(0, LINES)) }
  })
}

/** One line per family, the largest speedups first; where several points share an x, the largest of them. */
function seriesOf(rows: readonly SweepRowView[], x: (row: SweepRowView) => number): Series[] {
  const best = new Map<string, Map<number, number>>()
  for (const row of rows) {
    for (const line of linesOf(row)) {
      if (line.speedup === undefined) continue
      const at = best.get(line.family) ?? new Map<number, number>()
      const place = Number(x(row).toPrecision(6))
      at.set(place, Math.max(at.get(place) ?? 0, line.speedup))
      best.set(line.family, at)
    }
  }
  const series = [...best].map(([name, points]) => ({ name, points: [...points].map(([px, y]) => ({ x: px, y })) }))
  const top = (one: Series) => Math.max(...one.points.map(point => point.y))
  return series.sort((a, b) => top(b) - top(a))
}

function linesOf({ comparison }: SweepRowView) {
  return comparison ? [...comparison.rows.filter(line => line.legal), ...optimumLine(comparison)] : []
}
