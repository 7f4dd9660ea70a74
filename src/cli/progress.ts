import type { Progress } from '../optimize/types.ts'
import { type Scale, showPercent, timeText } from '../schedule/quantities.ts'
import type { Io } from './io.ts'

/** Shortest time between two lines, in milliseconds: a rewritten line may follow closely, lines in a log may not. */
const PAUSE = { rewritten: 100, plain: 1000 } as const

/** Tells on stderr how a search goes: one rewritten line on a terminal, else a line when something changed, at most one per second. */
export class ProgressLine {
  readonly #io: Io
  readonly #scale: Scale
  #last = ''
  #at = 0
  #latest: { readonly progress: Progress; readonly at: number } | undefined

  constructor(io: Io, scale: Scale) {
    this.#io = io
    this.#scale = scale
  }

  show(progress: Progress): void {
    this.#latest = { progress, at: performance.now() }
    const state = progressText(progress, this.#scale)
    const pause = this.#io.rewritable ? PAUSE.rewritten : PAUSE.plain
    if (progress.elapsedMs - this.#at < pause || (state === this.#last && !this.#io.rewritable)) return
    this.#at = progress.elapsedMs
    this.#last = state
    const line = `${(progress.elapsedMs / 1000).toFixed(1)} s  ${state}`
    this.#io.err(this.#io.rewritable ? `\r\u001b[K${line.slice(0, this.#io.style.columns - 1)}` : `${line}\n`)
  }

  /** Shows the latest state again, so that one which came too soon after another, or stays as it is, is seen too. */
  again(): void {
    if (!this.#latest) return
    const { progress, at } = this.#latest
    this.show({ ...progress, elapsedMs: progress.elapsedMs + performance.now() - at })
  }

  /** Removes the rewritten line. */
  close(): void {
    if (this.#io.rewritable && this.#last !== '') this.#io.err('\r\u001b[K')
  }
}

/** Incumbent, bound and gap in one line. */
export function progressText({ incumbent, lowerBound, by }: Progress, scale: Scale): string {
  const bound = `bound ${timeText(lowerBound, scale)}`
  if (incumbent === undefined) return `no schedule yet  ${bound}  (${by})`
  const gap = incumbent === 0 ? 0 : (incumbent - lowerBound) / incumbent
  return `incumbent ${timeText(incumbent, scale)}  ${bound}  gap ${showPercent(gap)}  (${by})`
}
