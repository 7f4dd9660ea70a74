import pc from 'picocolors'
import type { TimedKind } from '../../schedule/document.ts'
import type { Style } from './style.ts'

/** How one kind of event looks: its fill in Unicode and in ASCII, its colour, and its word in the legend. */
type Look = {
  readonly unicode: string
  readonly ascii: string
  readonly paint: (text: string) => string
  readonly word: string
}

const paint = pc.createColors(true)

/** Encoder work is the darkest fill, so that it stands out where it sits in a bubble. */
const LOOKS: Readonly<Record<TimedKind | 'idle', Look>> = {
  E: { unicode: '█', ascii: '#', paint: paint.yellow, word: 'encode' },
  EB: { unicode: '▓', ascii: '%', paint: paint.magenta, word: 'encode backward' },
  F: { unicode: '░', ascii: '-', paint: paint.cyan, word: 'forward' },
  B: { unicode: '▒', ascii: '=', paint: paint.blue, word: 'backward' },
  I: { unicode: '▒', ascii: '=', paint: paint.blue, word: 'backward, input part' },
  W: { unicode: '▚', ascii: '+', paint: paint.green, word: 'backward, weight part' },
  idle: { unicode: '·', ascii: '.', paint: paint.dim, word: 'idle (bubble)' }
}

/** The fill character of a kind. */
export function fillOf(kind: TimedKind | 'idle', style: Style): string {
  return style.unicode ? LOOKS[kind].unicode : LOOKS[kind].ascii
}

/** Text in the colour of a kind, where colour is welcome. */
export function paintAs(kind: TimedKind | 'idle', text: string, style: Style): string {
  return style.colour ? LOOKS[kind].paint(text) : text
}

/** One legend entry per kind that occurs, and idle, in lines of the width at hand. */
export function legendLines(kinds: ReadonlySet<TimedKind>, style: Style): string[] {
  const order: readonly (TimedKind | 'idle')[] = ['E', 'EB', 'F', 'B', 'I', 'W', 'idle']
  const lines: string[] = []
  let used = Number.POSITIVE_INFINITY
  for (const kind of order.filter(kind => kind === 'idle' || kinds.has(kind))) {
    const { word } = LOOKS[kind]
    const entry = `${paintAs(kind, fillOf(kind, style).repeat(2), style)} ${word}`
    const width = 3 + word.length
    const joined = used + 3 + width <= style.columns
    if (joined) lines[lines.length - 1] += `   ${entry}`
    else lines.push(entry)
    used = joined ? used + 3 + width : width
  }
  return lines
}

/** Emphasis where colour is welcome. */
export function bold(text: string, style: Style): string {
  return style.colour ? paint.bold(text) : text
}

/** Less weight where colour is welcome. */
export function dim(text: string, style: Style): string {
  return style.colour ? paint.dim(text) : text
}
