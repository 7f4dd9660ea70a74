import type { TimedEvent, TimedKind } from '../schedule/document.ts'
import type { Tick } from '../schedule/measured.ts'
import { ABSENT, FAULTY, FINE, type Ledger } from './ledger.ts'
import type { EncodeRules } from './source-rules.ts'
import { eventName, type NamedEvent } from './violation.ts'

const KINDS: readonly TimedKind[] = ['F', 'B', 'I', 'W', 'E', 'EB']

/** Whether I and W may stand for B where the instance gives both parts. */
export type SplitUse = 'where-given' | 'never'

/** Enters the document's events: UNKNOWN_EVENT, FOOTPRINT and DUPLICATE_EVENT. */
export function enterEvents(ledger: Ledger, split: SplitUse): void {
  const unknown: (() => void)[] = []
  const forbidden: (() => void)[] = []
  const doubled: (() => void)[] = []
  for (const [rank, events] of ledger.document.ranks.entries()) {
    for (const [step, event] of events.entries()) {
      const at = { rank, step, event }
      const strange = unknownReason(ledger, event, split)
      if (strange !== undefined) {
        unknown.push(() =>
          ledger.report('UNKNOWN_EVENT', at, strange, 'Remove the event, or name one that the instance has.')
        )
      } else if (!gateOpen(ledger, event)) {
        const message = `${eventName(event)}: nothing at or before it is trained${event.kind === 'W' ? ' here' : ''}, so the gates forbid it`
        forbidden.push(() =>
          ledger.report('FOOTPRINT', at, message, 'Remove it: frozen layers run no backward work that nobody needs.')
        )
      } else enter(ledger, rank, step, event, doubled)
    }
  }
  for (const say of [...unknown, ...forbidden, ...doubled]) say()
}

/** Why the instance has no such event; undefined if it has. */
function unknownReason({ rules }: Ledger, event: TimedEvent, split: SplitUse): string | undefined {
  const { measured, stages, source, firstStage } = rules
  const { kind, microbatch, stage } = event
  if (!KINDS.includes(kind)) return `"${kind}" is no kind of compute event`
  if (!(Number.isInteger(microbatch) && microbatch >= 0 && microbatch < measured.microbatches))
    return `${eventName(event)}: there is no microbatch ${microbatch} of ${measured.microbatches}`
  if (!Number.isSafeInteger(event.start) || !Number.isSafeInteger(event.end))
    return `${eventName(event)}: its times are not whole ticks`
  const region = measured.regions.findIndex(r => r.name === event.region)
  if (region < 0) return `${eventName(event)}: the instance has no region "${event.region}"`
  if (kind === 'E' || kind === 'EB') {
    if (!source || region !== 0 || stage !== undefined)
      return `${eventName(event)}: "${event.region}" is not a transposed region`
    if (!source.works[microbatch]) return `${eventName(event)}: microbatch ${microbatch} has no encoder work`
    const { item = 0, chunk = 0 } = event
    const known = source.encodes(microbatch).some(encode => encode.item === item && encode.chunk === chunk)
    return known ? undefined : `${eventName(event)}: microbatch ${microbatch} has no such encoder task`
  }
  if (event.item !== undefined || event.chunk !== undefined)
    return `${eventName(event)}: only encodes have an item and a chunk`
  const rule = stage === undefined ? undefined : stages[stage]
  if (!rule || stage === undefined || rule.region !== region)
    return `${eventName(event)}: "${event.region}" has no stage ${stage} (it starts at ${firstStage[region]})`
  if (!rule.works[microbatch]) return `${eventName(event)}: microbatch ${microbatch} has no work in "${event.region}"`
  if ((kind === 'I' || kind === 'W') && split === 'never')
    return `${eventName(event)}: this problem runs whole backwards`
  if ((kind === 'I' || kind === 'W') && rule.backward && !rule.splits)
    return `${eventName(event)}: the backward of stage ${stage} is not given in two parts`
  return undefined
}

/** Lemma 1: whether the gates let a known event be. */
function gateOpen({ rules }: Ledger, { kind, stage }: TimedEvent): boolean {
  switch (kind) {
    case 'F':
    case 'E':
      return true
    case 'EB':
      return rules.source?.backward ?? false
    case 'B':
    case 'I':
      return rules.stages[stage ?? 0].backward
    case 'W':
      return rules.stages[stage ?? 0].weight
  }
}

/** The first to name an event takes its slot; when it is named again both are left out of later checks. */
function enter(ledger: Ledger, rank: number, step: number, event: TimedEvent, doubled: (() => void)[]): void {
  const slot = ledger.slotOf(event)
  if (ledger.state[slot] !== ABSENT) {
    ledger.state[slot] = FAULTY
    const other = ledger.place(slot)
    const message = `${eventName(event)} is already on rank ${other.rank}, step ${other.step}, as ${other.event.kind}`
    doubled.push(() =>
      ledger.violations.push({
        code: 'DUPLICATE_EVENT',
        rank,
        step,
        event,
        other,
        message,
        advice: 'List every event once.'
      })
    )
    return
  }
  ledger.state[slot] = FINE
  ledger.rank[slot] = rank
  ledger.step[slot] = step
  ledger.start[slot] = event.start
  ledger.end[slot] = event.start + cost(ledger, event)
  ledger.isInput[slot] = event.kind === 'I' ? 1 : 0
  ledger.listed[rank].push(slot)
}

/** Ticks that an event takes (spec section 2). */
function cost(ledger: Ledger, event: TimedEvent): Tick {
  const { rules } = ledger
  const { kind, stage, microbatch } = event
  const rule = rules.stages[stage ?? 0]
  switch (kind) {
    case 'F':
      return rule.forwardTicks[microbatch]
    case 'B':
      return rule.backwardTicks[microbatch]
    case 'I':
      return rule.inputTicks[microbatch]
    case 'W':
      return rule.weightTicks[microbatch]
    case 'E':
      return rules.source?.encodes(microbatch)[ledger.partOf(event)].forwardTicks ?? 0
    case 'EB':
      return rules.source?.encodes(microbatch)[ledger.partOf(event)].backwardTicks ?? 0
  }
}

/** MISSING_EVENT: every forward of a microbatch with work, and every backward that the gates demand, as B or as I and W. */
export function checkMissing(ledger: Ledger): void {
  const { stages, source, measured } = ledger.rules
  for (let stage = 0; stage < stages.length; stage++) {
    const { works, backward, weight } = stages[stage]
    for (let m = 0; m < measured.microbatches; m++) {
      if (!works[m]) continue
      if (ledger.state[ledger.slot('forward', stage, m)] === ABSENT) miss(ledger, 'F', stage, m)
      if (backward) checkBackward(ledger, stage, m, weight)
    }
  }
  if (!source) return
  for (let m = 0; m < measured.microbatches; m++) {
    if (!source.works[m]) continue
    for (const part of source.encodes(m).keys()) {
      if (ledger.state[ledger.slot('encode', part, m)] === ABSENT) miss(ledger, 'E', undefined, m, part)
      if (source.backward && ledger.state[ledger.slot('encodeBackward', part, m)] === ABSENT)
        miss(ledger, 'EB', undefined, m, part)
    }
  }
}

function checkBackward(ledger: Ledger, stage: number, m: number, needsWeight: boolean): void {
  const back = ledger.slot('backward', stage, m)
  const weight = ledger.slot('weight', stage, m)
  const hasWeight = ledger.state[weight] !== ABSENT
  if (ledger.state[back] === ABSENT) miss(ledger, hasWeight ? 'I' : 'B', stage, m)
  else if (ledger.isInput[back] === 1 && needsWeight && !hasWeight) miss(ledger, 'W', stage, m)
  else if (ledger.isInput[back] === 0 && hasWeight && ledger.isFine(weight)) {
    const other = ledger.place(back)
    const message = `W(stage ${stage}, microbatch ${m}): the whole B on rank ${other.rank}, step ${other.step} contains it`
    ledger.blame(weight, 'DUPLICATE_EVENT', message, 'Run B, or I and W, not both.', other)
  }
}

function miss(ledger: Ledger, kind: TimedKind, stage: number | undefined, microbatch: number, part = 0): void {
  const { measured, stages, source, firstStageRank } = ledger.rules
  const region = stage === undefined ? 0 : stages[stage].region
  const event: NamedEvent = {
    kind,
    region: measured.regions[region].name,
    ...(stage === undefined ? {} : { stage }),
    microbatch,
    ...(stage === undefined && source && source.width > 1 ? partName(source.encodes(microbatch)[part]) : {})
  }
  const fixed = kind === 'EB' && measured.encoderBackward === 'first-rank' ? firstStageRank : undefined
  const rank = stage === undefined ? fixed : stages[stage].rankOf(microbatch)
  const where = rank === undefined ? 'on any rank' : `on rank ${rank}`
  const at = rank === undefined ? { event } : { rank, event }
  ledger.report('MISSING_EVENT', at, `${eventName(event)} is not listed ${where}`, `Add it ${where}.`)
}

function partName({ item, chunk }: EncodeRules): Pick<NamedEvent, 'item' | 'chunk'> {
  return { item, chunk }
}

/** WRONG_RANK: stages sit where the map puts them (s mod P); EB follows its E, or runs on the first stage's rank under `first-rank`; the chunks of an item share a rank. */
export function checkRanks(ledger: Ledger): void {
  const { measured, stages, firstStageRank } = ledger.rules
  for (const [rank, slots] of ledger.listed.entries()) {
    for (const slot of slots) {
      if (!ledger.isFine(slot)) continue
      const { event } = ledger.place(slot)
      let right = rank
      if (event.stage !== undefined) right = stages[event.stage].rankOf(event.microbatch)
      else if (event.kind === 'EB' && measured.encoderBackward === 'first-rank') right = firstStageRank
      else {
        const encode = ledger.slot('encode', ledger.partOf({ ...event, chunk: 0 }), event.microbatch)
        if (ledger.isFine(encode)) right = ledger.rank[encode]
      }
      if (right !== rank)
        ledger.blame(
          slot,
          'WRONG_RANK',
          `${eventName(event)} is on rank ${rank}, not ${right}`,
          `Move it to rank ${right}.`
        )
    }
  }
}

/** DURATION: the stated length is the cost. The event stays in later checks, with start + cost. */
export function checkDurations(ledger: Ledger): void {
  for (const [rank, slots] of ledger.listed.entries()) {
    for (const slot of slots) {
      if (!ledger.isFine(slot)) continue
      const { step, event } = ledger.place(slot)
      const [length, ticks] = [event.end - event.start, ledger.end[slot] - ledger.start[slot]]
      if (length === ticks) continue
      ledger.misstated[slot] = 1
      const message = `${eventName(event)} takes ${length} ticks, its cost is ${ticks}`
      ledger.report('DURATION', { rank, step, event }, message, `Let it end at ${ledger.end[slot]}.`)
    }
  }
}
