import { readFileSync } from 'node:fs'
import loadHighs from 'highs'

/**
 * The peer of `tropipe solve` in the benchmark: HiGHS alone on the plain slot model, as anybody would write it down. Binary
 * x[m, r, k] puts the encode of microbatch m into the gap before body task k of rank r; starts for body tasks only; one
 * big-M row per binary for "encode done before F(0, m)", with the serial length of everything as M. Nothing is left out
 * but gaps of the first rank behind F(0, m). Reads the documents of the suite (frozen encoder, one lag), shares no code
 * with the encoders, and asks for gap 0. Argument: FILE.
 */
type Document = {
  readonly ranks: number
  readonly microbatches: number
  readonly regions: readonly { readonly stages: readonly { readonly forward: unknown; readonly backward: number }[] }[]
  readonly communication: { readonly send: number }
}
type Body = readonly (readonly [kind: 'F' | 'B', microbatch: number])[]

const document: Document = JSON.parse(readFileSync(process.argv[2], 'utf8'))
// The package's types name the module where its default export is the loader.
const highs = await (loadHighs as unknown as typeof loadHighs.default)()
const { Status, ObjectiveValue } = highs.solve(slotModel(document), {
  mip_rel_gap: 0,
  mip_abs_gap: 0,
  time_limit: 120
})
console.log(JSON.stringify({ status: Status, makespan: Math.round(ObjectiveValue) }))

/** The 1f1b order of one rank. */
function oneForwardOneBackward(ranks: number, microbatches: number, rank: number): Body {
  const warmup = Math.min(ranks - 1 - rank, microbatches)
  const numbers = [...Array(microbatches).keys()]
  return [
    ...numbers.slice(0, warmup).map(m => ['F', m] as const),
    ...numbers.slice(warmup).flatMap(m => [['F', m] as const, ['B', m - warmup] as const]),
    ...numbers.slice(microbatches - warmup).map(m => ['B', m] as const)
  ]
}

/** The whole model as LP text: T, starts s{rank}_{place}, binaries x{microbatch}_{rank}_{place}. */
function slotModel({ ranks, microbatches, regions, communication: { send: lag } }: Document): string {
  const encode = regions[0].stages[0].forward as number[]
  const [{ forward, backward }] = regions[1].stages as { forward: number; backward: number }[]
  const bodies = [...Array(ranks).keys()].map(rank => oneForwardOneBackward(ranks, microbatches, rank))
  const placeOf = bodies.map(body => new Map(body.map(([kind, m], place) => [kind + m, place])))
  const task = (rank: number, kind: 'F' | 'B', m: number) => `s${rank}_${placeOf[rank].get(kind + m)}`
  const length = (rank: number, place: number) => (bodies[rank][place][0] === 'F' ? forward : backward)
  const big = ranks * microbatches * (forward + backward + 2 * lag) + encode.reduce((total, e) => total + e, 0)
  const rows: string[] = []
  const slots: string[][] = encode.map(() => [])

  for (const [rank, body] of bodies.entries()) {
    for (const place of body.keys()) {
      const here = encode.map((_, m) => m).filter(m => rank > 0 || place <= (placeOf[0].get(`F${m}`) as number))
      const ready = place === 0 ? 0 : length(rank, place - 1)
      const previous = place === 0 ? '' : ` - s${rank}_${place - 1}`
      const work = (upTo: number, own = 0) =>
        here
          .flatMap(m => (m > upTo ? [] : [` - ${encode[m] + (m === upTo ? own : 0)} x${m}_${rank}_${place}`]))
          .join('')
      rows.push(`s${rank}_${place}${previous}${work(microbatches)} >= ${ready}`)
      for (const m of here) {
        slots[m].push(`x${m}_${rank}_${place}`)
        const first = task(0, 'F', m)
        if (first === `s${rank}_${place}`) continue
        rows.push(`${first}${previous}${work(m, big)} >= ${ready + (rank === 0 ? 0 : lag) - big}`)
      }
    }
    rows.push(`T - s${rank}_${body.length - 1} >= ${length(rank, body.length - 1)}`)
  }
  for (const own of slots) rows.push(`${own.join(' + ')} = 1`)
  for (let rank = 0; rank < ranks; rank++) {
    for (let m = 0; m < microbatches; m++) {
      const next = rank + 1 < ranks
      if (next) rows.push(`${task(rank + 1, 'F', m)} - ${task(rank, 'F', m)} >= ${forward + lag}`)
      rows.push(
        next
          ? `${task(rank, 'B', m)} - ${task(rank + 1, 'B', m)} >= ${backward + lag}`
          : `${task(rank, 'B', m)} - ${task(rank, 'F', m)} >= ${forward}`
      )
    }
  }
  const named = rows.map((row, index) => ` c${index}: ${row}`)
  return ['Minimize', ' obj: T', 'Subject To', ...named, 'Binaries', ` ${slots.flat().join(' ')}`, 'End', ''].join('\n')
}
