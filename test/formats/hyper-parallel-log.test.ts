import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hyperParallelReader } from '../../src/formats/hyper-parallel.ts'
import { hyperParallelLogReader } from '../../src/formats/hyper-parallel-log.ts'
import type { Step } from '../../src/formats/hyper-parallel-steps.ts'
import { detectFormat } from '../../src/formats/index.ts'
import { hasShared, sharedFiles, sharedText } from './shared.ts'

const fixture = (name: string) => readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8')

function read(text: string) {
  const result = hyperParallelLogReader.read(text)
  if (!result.ok) throw new Error(result.faults[0].message)
  return result.order
}

function faultOf(text: string) {
  const result = hyperParallelLogReader.read(text)
  if (result.ok) throw new Error('read')
  return result.faults[0]
}

/** A step as the runtime's objects print themselves. */
function printed({ type, micro, stage, sub_steps }: Step): string {
  const kind = type.startsWith('MPIPE') ? 'MpipeStepType' : 'MetaStepType'
  const inner = sub_steps ? `, sub_steps=[${sub_steps.map(printed).join(', ')}]` : ''
  return `MetaStep(type=${kind}.${type}, micro_index=${micro ?? 'None'}, stage_index=${stage ?? 'None'}${inner})`
}

/** The lines that running an `exec_order` logs, rank by rank; `first` is the number of the first step. */
function logOf(text: string, first = 0): string {
  const order: Record<string, (Step | null)[]> = JSON.parse(text).exec_order
  return Object.entries(order)
    .flatMap(([rank, steps]) =>
      steps.flatMap((step, index) =>
        step ? [`DEBUG scheduler: rank=${rank} step=${index + first}/${steps.length} ${printed(step)}`] : []
      )
    )
    .join('\n')
}

const kinds = (order: ReturnType<typeof read>) =>
  order.ranks.map(actions => actions.filter(action => action.op !== 'bubble'))

describe('hyper-parallel log reader', () => {
  it('reads what an order logs as that order, other lines and a second training step aside', () => {
    const log = fixture('trained-3x4.log')
    expect(detectFormat(log)).toBe(hyperParallelLogReader)
    const planned = hyperParallelReader.read(fixture('trained-3x4.exec-order.json'))
    if (!planned.ok) throw new Error('planned')
    const order = read(`${log}INFO trainer: step 1 begins\n${log}`)
    expect(kinds(order)).toEqual(kinds(planned.order))
    expect(order.encoderBackward).toBe(planned.order.encoderBackward)
    expect(order.owners).toEqual(planned.order.owners)
  })

  it('counts from 1 as well, and takes numbers that are left out for idle steps', () => {
    const text = fixture('trained-3x4.exec-order.json')
    expect(kinds(read(logOf(text, 1)))).toEqual(kinds(read(logOf(text))))
    const order = JSON.parse(text).exec_order
    order['0'].splice(1, 0, null)
    const idle = read(logOf(JSON.stringify({ exec_order: order })))
    expect(idle.ranks[0][1]).toEqual({ op: 'bubble' })
    expect(idle.notes.at(-1)).toContain('1 steps are not in the log')
  })

  it.skipIf(!hasShared)("reads the logs of the runtime's own orders", () => {
    let cases = 0
    for (const name of sharedFiles('hyperparallel-golden')) {
      const text = sharedText('hyperparallel-golden', name)
      const planned = hyperParallelReader.read(text)
      if (!planned.ok) throw new Error(name)
      expect(kinds(read(logOf(text))), name).toEqual(kinds(planned.order))
      cases++
    }
    expect(cases).toBeGreaterThanOrEqual(20)
  })

  it.each([
    ['a rank without lines', (log: string) => log.replaceAll('rank=1 ', 'rank=7 '), 'RANKS'],
    [
      'training steps that differ',
      (log: string) => log + log.replace(/micro_index=0/, 'micro_index=1'),
      'STEPS_DIFFER'
    ],
    ['a step of unknown type', (log: string) => log.replaceAll('MetaStepType.FWD,', 'MetaStepType.JUMP,'), 'BAD_STEP'],
    ['a line that was cut', (log: string) => log.replace(/ MetaStep.*/, ''), 'BAD_LINE'],
    ['numbers beyond the count', (log: string) => log.replaceAll(/step=(\d+)\/\d+/g, 'step=$1/2'), 'RANGE'],
    ['no steps at all', () => 'nothing of interest\n', 'RANKS']
  ])('refuses %s, with the place', (_, change, code) => {
    const fault = faultOf(change(fixture('trained-3x4.log')))
    expect(fault).toMatchObject({ code })
    expect(fault.row).toBeGreaterThanOrEqual(1)
    expect(fault.advice).not.toBe('')
  })
})
