import type { TimedKind } from '../../schedule/document.ts'

/** How a kind of event looks: fill, text colour, and its name in words. */
export type Look = { readonly fill: string; readonly ink: string; readonly words: string; readonly hatched: boolean }

/**
 * Colours after Okabe and Ito (2008), which stay apart under the common colour blindnesses; encoder work is hatched as
 * well, so that it also stands out in print without colour.
 */
export const LOOKS: Readonly<Record<TimedKind, Look>> = {
  F: { fill: '#56b4e9', ink: '#000000', words: 'forward', hatched: false },
  B: { fill: '#e69f00', ink: '#000000', words: 'backward', hatched: false },
  I: { fill: '#f0e442', ink: '#000000', words: 'backward, input part', hatched: false },
  W: { fill: '#009e73', ink: '#ffffff', words: 'backward, weight part', hatched: false },
  E: { fill: '#cc79a7', ink: '#000000', words: 'encoder forward', hatched: true },
  EB: { fill: '#8c3a6b', ink: '#ffffff', words: 'encoder backward', hatched: true }
}

/** Colours for the lines of a chart, in the order of use (Okabe and Ito), each with its own dash and marker. */
export const SERIES_COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000'] as const

export const CRITICAL = '#000000'
export const LIMIT = '#d55e00'
export const IDLE = '#f1f1f1'
export const INK = '#1a1a1a'
export const FAINT = '#5f5f5f'
export const GRID = '#d9d9d9'
export const PAPER = '#ffffff'
/** Area and outline of a memory curve. */
export const MEMORY = { fill: '#c6d9e6', stroke: '#33566e' } as const
