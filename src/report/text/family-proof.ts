import { groupBy, maximum } from '../../base/arrays.ts'
import { line } from '../../base/wrap.ts'
import type { Style } from './style.ts'
import { grid } from './table.ts'

/** What was proved of the orders of a family, each of its own size. */
export type FamilyProofView = {
  readonly schedule: string
  readonly legal: boolean
  readonly members: readonly {
    readonly family: string
    readonly variant: string
    readonly P: number
    readonly M: number
    readonly legal: boolean
    readonly inFlight: readonly number[]
    /** What Z3 said of it, or `not asked`. */
    readonly solver: string
  }[]
  /** `event` names the size. */
  readonly violations: readonly { readonly code: string; readonly event?: unknown; readonly message: string }[]
}

/** Faults beyond this are counted, not listed. */
const MAX_FAULTS = 10

/** One line per family, variant and P, with all its M, and what is wrong. */
export function familyProofText(view: FamilyProofView, style: Style): string {
  const groups = groupBy(view.members, ({ family, variant, P }) => `${family}|${variant}|${P}`)
  const rows = [...groups.values()].map(members => {
    const [{ family, variant, P }] = members
    const asked = members.filter(({ solver }) => solver !== 'not asked')
    const confirmed = asked.filter(({ solver }) => solver === 'confirmed')
    const sizes = members.map(({ M }) => M)
    return [
      family,
      variant,
      `${P}`,
      sizes.length === 1 ? `${sizes[0]}` : `${Math.min(...sizes)}..${Math.max(...sizes)}`,
      `${members.filter(({ legal }) => legal).length} of ${members.length}`,
      `${confirmed.length} of ${asked.length}`,
      `${maximum(members.flatMap(({ inFlight }) => inFlight))}`
    ]
  })
  const header = ['family', 'source', 'P', 'M', 'proved', 'also by Z3', 'in flight']
  const table = grid(header, rows, style, ['left', 'left', 'right', 'right', 'right', 'right', 'right'])
  const all = view.members.length
  const verdict = view.legal ? `proved: all ${all} orders` : `refuted: not all of ${all} orders`
  const head = line(`${verdict} of ${view.schedule} are legal for every duration`, style.columns)
  return `${head}\n${table}${faultLines(view, style)}`
}

function faultLines({ violations }: FamilyProofView, style: Style): string {
  const lines = violations.slice(0, MAX_FAULTS).map(({ code, event, message }) => `${event}: ${code} ${message}`)
  const more = violations.length - lines.length
  return [...lines, ...(more > 0 ? [`... and ${more} more`] : [])].map(text => line(text, style.columns)).join('')
}
