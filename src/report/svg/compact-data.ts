import { range } from '../../base/arrays.ts'
import type { TimedKind } from '../../schedule/document.ts'
import type { Box, Picture } from '../picture.ts'

/** One letter per kind, all capitals, since numbers are written in base 36 with small letters. */
const LETTERS: Readonly<Record<TimedKind, string>> = { F: 'F', B: 'B', I: 'I', W: 'W', E: 'E', EB: 'X' }

/**
 * The events of a picture as text for the script of a page, ranks separated by `|`. An event is its kind's letter and
 * microbatch, `.item` and `,chunk` of an encode where there are several, then what differs from what is expected: `:stage` from the rank's last one of that kind, `+gap` from a start
 * at the end of the event before, `=ticks` from the last length of that kind and stage, `!` on the critical path, `~` half
 * of an overlapped pair. Numbers are in base 36.
 */
export function eventText(picture: Picture): string {
  return byRank(picture, picture.boxes).map(rankText).join('|')
}

/** Items by rank, in start order as they come. */
function byRank<T extends { readonly rank: number }>(picture: Picture, items: readonly T[]): T[][] {
  const ranks = range(picture.ranks).map((): T[] => [])
  for (const item of items) ranks[item.rank].push(item)
  return ranks
}

function rankText(boxes: readonly Box[]): string {
  const stages = new Map<TimedKind, number>()
  const lengths = new Map<string, number>()
  let end = 0
  return boxes
    .map(box => {
      const { kind, stage = -1, microbatch, item, chunk, start } = box
      const name = `${kind}${stage}`
      const parts = [
        LETTERS[kind] + microbatch.toString(36),
        item === undefined ? '' : `.${item.toString(36)}`,
        chunk === undefined ? '' : `,${chunk.toString(36)}`,
        stages.get(kind) === stage || stage < 0 ? '' : `:${stage.toString(36)}`,
        start === end ? '' : `+${(start - end).toString(36)}`,
        lengths.get(name) === box.end - start ? '' : `=${(box.end - start).toString(36)}`,
        box.critical ? '!' : '',
        box.half ? '~' : ''
      ]
      stages.set(kind, stage)
      lengths.set(name, box.end - start)
      end = box.end
      return parts.join('')
    })
    .join('')
}

/** Idle intervals of a picture: per rank a letter for the cause, the length, `+gap` from the interval before. */
export function idleText(picture: Picture, causes: readonly string[]): string {
  return byRank(picture, picture.idle)
    .map(list => {
      let end = 0
      return list
        .map(idle => {
          const letter = String.fromCharCode(65 + causes.indexOf(idle.cause))
          const gap = idle.start === end ? '' : `+${(idle.start - end).toString(36)}`
          end = idle.end
          return letter + (idle.end - idle.start).toString(36) + gap
        })
        .join('')
    })
    .join('|')
}

/** What the script needs besides: scale, names, and what is drawn where. Plain JSON. */
export function factText(picture: Picture, causes: readonly string[], horizon: number): string {
  const regions = new Map(picture.boxes.map(box => [box.stage ?? -1, box.region]))
  const names = [...new Set(regions.values())]
  return JSON.stringify({
    unit: picture.unit,
    perUnit: picture.ticksPerUnit,
    horizon,
    makespan: picture.makespan,
    names,
    regions: Object.fromEntries([...regions].map(([stage, region]) => [stage, names.indexOf(region)])),
    causes,
    beside: picture.beside.map(({ rank, kind, region, start, end }) => [rank, kind.toLowerCase(), region, start, end])
  })
}

/** The causes of idle time that a picture names, each once. */
export function causesOf(picture: Picture): string[] {
  return [...new Set(picture.idle.map(idle => idle.cause))]
}
