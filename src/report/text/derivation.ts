import type { Derivation, GraphEdge, RegionPlacement } from '../../algebra/derive.ts'
import { gatesOf, trainableSource } from '../../algebra/gates.ts'
import { printSchedule } from '../../algebra/notation.ts'
import { isTrainable, type RegionShape, type Shape } from '../../algebra/types.ts'
import { maximum, range } from '../../base/arrays.ts'
import { line, wrap } from '../../base/wrap.ts'
import { peakInFlight } from '../../schedule/metrics.ts'
import type { EventKey } from '../../schedule/problem.ts'
import { ranges } from './ranges.ts'
import type { Style } from './style.ts'
import { grid } from './table.ts'

/** What `derive` found, ready to be printed. */
export type DerivationView = {
  /** As given, before normalisation. */
  readonly given: string
  readonly shape: Shape
  /** Rank of every microbatch in the Replicated regions, and the rule that it follows. */
  readonly owners: { readonly rule: 'full' | 'min' | 'explicit'; readonly ranks: readonly number[] }
  readonly derivation: Derivation
  /** Per rank the events in order, or why there is no order. */
  readonly order:
    | {
        readonly family: string
        readonly ranks: readonly (readonly EventKey[])[]
        /** The Sequence edges that say so. */
        readonly edges: readonly GraphEdge[]
      }
    | { readonly none: string }
}

/** Placement, seams, gates, order and phases of a derived schedule, for people. */
export function derivationText(view: DerivationView, style: Style): string {
  const { shape } = view
  const sections = [
    headline(view, style),
    regionTable(view, style),
    seamTable(view, style),
    gateTable(shape, style),
    eventLine(view.derivation, style)
  ]
  const { order } = view
  if ('none' in order) sections.push(`Order\n${line(`none: ${order.none}`, style.columns, '  ')}`)
  else sections.push(orderLines(order.family, order.ranks, shape, style), phaseTable(order.ranks, style))
  return sections.join('\n')
}

function headline({ given, shape }: DerivationView, style: Style): string {
  const normal = printSchedule(shape.regions.map(region => region.skeleton))
  const form = given === normal ? '' : `  (normal form of ${given})`
  const text = `${normal}${form}  ${shape.ranks} ranks x ${shape.microbatches} microbatches`
  return line(text, style.columns)
}

function regionTable({ shape, derivation, owners }: DerivationView, style: Style): string {
  const rows = derivation.placement.map(place => {
    const region = shape.regions[place.region]
    return [region.name, region.skeleton, place.layout, trainedWord(region), ownerText(place, shape, owners.rule)]
  })
  return `Regions, input to loss\n${grid(['region', 'skeleton', 'layout', 'weights', 'placement'], rows, style)}`
}

function trainedWord(region: RegionShape): string {
  return isTrainable(region) ? 'trained' : 'frozen'
}

function ownerText({ owner }: RegionPlacement, shape: Shape, rule: DerivationView['owners']['rule']): string {
  if (owner.kind === 'ByMicrobatch') {
    const active = Math.min(shape.ranks, shape.microbatches)
    if (rule === 'explicit') return `whole on every rank; microbatches are encoded by ranks ${owner.ranks.join(' ')}`
    const who = rule === 'full' ? `rank\u00a0m\u00a0mod\u00a0${active}` : `rank m, from ${active} on by rank 0`
    return `whole on every rank; microbatch m is encoded by ${who}`
  }
  const last = owner.firstStage + owner.ranks.length - 1
  const stages = owner.ranks.length === 1 ? `stage ${last}` : `stages ${owner.firstStage}-${last}`
  if (shape.stageMap && shape.stageMap.copies.length > 1)
    return `${stages}, twice: stage s on rank s for the first half of the microbatches, on rank P-1-s for the rest`
  const dealt = owner.ranks.every((rank, local) => rank === (owner.firstStage + local) % shape.ranks)
  return dealt
    ? `${stages}, stage s on rank s mod ${shape.ranks}`
    : `${stages}, folded: on ranks ${owner.ranks.join(' ')}`
}

function seamTable({ shape, derivation }: DerivationView, style: Style): string {
  if (derivation.seams.length === 0) return 'Seams\n  none: there is one region\n'
  const source = trainableSource(shape.regions)
  const rows = derivation.seams.map(seam => [
    `${shape.regions[seam.from].name} -> ${shape.regions[seam.to].name}`,
    seam.forward,
    seam.backward ?? 'none',
    seam.backward
      ? `${shape.regions[source ?? 0].name} is trained and needs the gradient`
      : 'nothing before this seam is trained'
  ])
  return `Seams\n${grid(['between', 'forward', 'backward', 'because'], rows, style)}`
}

/** The three gates of Lemma 1 with the reason of each. */
function gateTable(shape: Shape, style: Style): string {
  const source = trainableSource(shape.regions)
  const rows = gatesOf(shape.regions).map((gates, index) => {
    const region = shape.regions[index]
    const cause = source === undefined ? '' : shape.regions[source].name
    const receives = isTrainable(region) ? 'yes, it is trained' : `yes, ${cause} before it is trained`
    return [
      region.name,
      gates.receives ? receives : 'no',
      gates.sends ? `yes, ${cause} before it is trained` : 'no, nothing before it is trained',
      gates.reduces ? 'yes' : 'no, it is frozen'
    ]
  })
  const header = ['region', 'runs a backward', 'sends a gradient upstream', 'reduces weights']
  const title = 'Backward gates (Lemma 1; they read the trained bits only, never the skeletons)'
  return `${line(title, style.columns)}${grid(header, rows, style)}`
}

function eventLine({ events, edges }: Derivation, style: Style): string {
  const count = (words: readonly string[]) =>
    [...new Set(words)].map(word => `${words.filter(other => other === word).length} ${word}`).join(', ')
  const text = `${count(events.map(event => event.kind))}; edges: ${count(edges.map(edge => edge.type))}`
  return `Events\n${wrap(text, style.columns, '  ')}\n`
}

/**
 * `F3`, with several stages per rank `4F3` (stage before the kind), as field tools write it; `r2E3` is the work of a
 * transposed region that is not the first.
 */
export function eventName(key: EventKey, stages: number, ranks: number): string {
  const stage = key.stage < 0 ? (key.region > 0 ? `r${key.region}` : '') : stages > ranks ? `${key.stage}` : ''
  return `${stage}${key.kind}${key.microbatch}`
}

/** Ranks that are listed one by one; the others are like them, and `--json` has them all. */
const MAX_RANKS = 32
/** Events of a phase that are written out, and how many of them where there are more: first and last ones. */
const MAX_EVENTS = 32
const [FIRST, LAST] = [12, 4]

function orderLines(family: string, order: readonly (readonly EventKey[])[], shape: Shape, style: Style): string {
  const stages =
    1 +
    maximum(
      order.flat().map(key => key.stage),
      -1
    )
  const width = `rank ${order.length - 1}`.length
  const lines = order.slice(0, MAX_RANKS).map((keys, rank) => {
    const phases = phasesOf(keys).map(phase => abridged(phase.map(key => eventName(key, stages, shape.ranks))))
    const head = `  ${`rank ${rank}`.padEnd(width)}  `
    return wrap(phases.filter(Boolean).join(' | '), style.columns, ' '.repeat(head.length), head)
  })
  const bars = 'phases divided by "|": prefix, warmup, steady, cooldown, suffix'
  return `${line(`Order per rank (${family}; ${bars})`, style.columns)}${lines.join('\n')}\n${moreRanks(order.length)}`
}

function abridged(names: readonly string[]): string {
  if (names.length <= MAX_EVENTS) return names.join(' ')
  return `${names.slice(0, FIRST).join(' ')} ... ${names.slice(-LAST).join(' ')} (${names.length} events)`
}

function moreRanks(ranks: number): string {
  return ranks > MAX_RANKS ? `  ... and ${ranks - MAX_RANKS} more ranks (--json lists all)\n` : ''
}

type Phases = readonly [
  prefix: EventKey[],
  warmup: EventKey[],
  steady: EventKey[],
  cooldown: EventKey[],
  suffix: EventKey[]
]

/**
 * Splits a rank's order: E before the body; forwards before the last one that has a backward right before it or none
 * (warmup); pairs (steady); backwards after the last forward (cooldown); EB after the body.
 */
export function phasesOf(keys: readonly EventKey[]): Phases {
  const inBody = (key: EventKey) => key.stage >= 0 || key.region > 0
  const first = keys.findIndex(inBody)
  const last = keys.findLastIndex(inBody)
  if (first < 0) return [keys.filter(k => k.kind === 'E'), [], [], [], keys.filter(k => k.kind !== 'E')]
  const body = keys.slice(first, last + 1)
  const forwards = (key: EventKey) => key.kind === 'F' || key.kind === 'E'
  const firstBackward = body.findIndex(key => !forwards(key))
  const lead = firstBackward < 0 ? body.length : firstBackward
  const tail = body.findLastIndex(forwards) + 1
  return [
    keys.slice(0, first),
    body.slice(0, lead),
    body.slice(lead, Math.max(lead, tail)),
    body.slice(Math.max(lead, tail)),
    keys.slice(last + 1)
  ]
}

function phaseTable(order: readonly (readonly EventKey[])[], style: Style): string {
  const rows = order.slice(0, MAX_RANKS).map((keys, rank) => {
    const [prefix, warmup, steady, cooldown, suffix] = phasesOf(keys)
    const encodes = keys.filter(key => key.kind === 'E' && key.region === 0).map(key => key.microbatch)
    return [
      `${rank}`,
      ...[prefix, warmup, steady, cooldown, suffix].map(phase => `${phase.length}`),
      `${peakInFlight(keys)}`,
      ranges([...encodes].sort((a, b) => a - b)) || '-'
    ]
  })
  const header = ['rank', 'prefix', 'warmup', 'steady', 'cooldown', 'suffix', 'peak in flight', 'encodes microbatches']
  const title = line('Phases (events in each) and peak of forwards in flight', style.columns)
  return `${title}${grid(
    header,
    rows,
    style,
    range(7).map(() => 'right')
  )}${moreRanks(order.length)}`
}
