import { describe, expect, it } from 'vitest'
import { hyperParallelReader } from '../../src/formats/hyper-parallel.ts'
import { hyperParallelWriter } from '../../src/formats/hyper-parallel-writer.ts'
import { type ForeignOrder, foreignOrder, SOURCE } from '../../src/schedule/foreign.ts'
import { hasShared, sharedFiles, sharedText } from './shared.ts'

function orderOf(text: string): ForeignOrder {
  const result = hyperParallelReader.read(text)
  if (!result.ok) throw new Error(result.faults[0].message)
  return result.order
}

function written(order: ForeignOrder) {
  const result = hyperParallelWriter.write({ order })
  if (!result.ok) throw new Error(result.faults[0].message)
  return JSON.parse(result.files[0].text)
}

const text = (...lists: unknown[][]) => JSON.stringify({ exec_order: lists })
const step = (type: string, micro: number | null, stage: number | null) => ({ type, micro, stage })

describe('hyper-parallel reader', () => {
  it('reads composites, bubbles, collectives and local steps', () => {
    const overlap = { type: 'OVERLAP_B_F', micro: null, stage: null, sub_steps: [step('BWD', 0, 0), step('FWD', 1, 0)] }
    const order = orderOf(
      text([step('MPIPE_PARAM_BROADCAST', 0, -1), null, step('DATA_LOAD', 0, 0), step('FWD', 0, 0), overlap])
    )
    expect(order.ranks[0].map(action => action.op)).toEqual(['collective', 'bubble', 'local', 'run', 'overlap'])
  })

  it('a gradient receive with backward is two actions; own backwards stand behind those of stage 0', () => {
    const order = orderOf(
      text(
        [
          step('MPIPE_TRANSPOSE_FWD', 0, -1),
          step('FWD', 0, 0),
          step('BWD', 0, 0),
          step('MPIPE_GRAD_SEND', 1, 0),
          step('MPIPE_GRAD_REDUCE', null, 0)
        ],
        [
          step('MPIPE_TRANSPOSE_FWD', 1, -1),
          step('MPIPE_GRAD_RECV_WITH_BACKWARD', 1, 0),
          step('MPIPE_GRAD_REDUCE', null, 0)
        ]
      )
    )
    expect(order.encoderBackward).toBe('owner')
    expect(order.ranks[0].map(action => (action.op === 'run' ? action.kind : action.op))).toEqual([
      'E',
      'F',
      'B',
      'EB',
      'send',
      'collective'
    ])
    expect(order.ranks[1].map(action => (action.op === 'run' ? action.kind : action.op))).toEqual([
      'E',
      'recv',
      'EB',
      'collective'
    ])
  })

  it.each([
    ['[{"type":"FWD","micro":0,"stage":0},', 'BAD_JSON'],
    ['{"exec_order":{"0":[],"2":[]}}', 'RANKS'],
    ['{"exec_order":{}}', 'RANKS'],
    ['{"order":1}', 'MISSING'],
    [text([step('FORWARD', 0, 0)]), 'BAD_STEP'],
    [text([step('FWD', null, 0)]), 'BAD_STEP'],
    [text([step('FWD', 0, -1)]), 'BAD_STEP'],
    [text([step('FWD', 1.5, 0)]), 'RANGE'],
    [text([step('BATCH_SEND_RECV', null, null)]), 'BAD_STEP'],
    [text([[1]]), 'TYPE'],
    [text([{ ...step('BATCH_SEND_RECV', null, null), sub_steps: [step('FWD', 0, 0), step('FWD', 1, 0)] }]), 'BAD_STEP'],
    ['{"exec_order":{"0":[{"type":"FWD","type":"BWD"}]}}', 'BAD_JSON']
  ])('refuses %s', (given, code) => {
    const result = hyperParallelReader.read(given)
    expect(result.ok ? '' : result.faults[0].code).toBe(code)
    expect(result.ok ? 0 : result.faults[0].column).toBeGreaterThan(0)
  })
})

describe('hyper-parallel writer', () => {
  const own = (...kinds: ('E' | 'F' | 'B' | 'I' | 'W' | 'EB')[]) =>
    foreignOrder(
      [kinds.map(kind => ({ op: 'run' as const, kind, stage: kind.startsWith('E') ? SOURCE : 0, microbatch: 0 }))],
      { encoderBackward: 'owner' }
    )

  it('runs an own encoder backward inside the whole backward of stage 0 only', () => {
    const whole = own('E', 'F', 'B', 'EB')
    expect(orderOf(JSON.stringify(written(whole))).ranks[0].filter(({ op }) => op === 'run')).toEqual(whole.ranks[0])
    const split = hyperParallelWriter.write({ order: own('E', 'F', 'I', 'EB', 'W') })
    expect(split.ok ? '' : split.faults[0]).toMatchObject({
      code: 'NOT_EXPRESSIBLE',
      value: 'I(stage 0, microbatch 0)'
    })
  })
})

describe.skipIf(!hasShared)('orders of the runtime', () => {
  it.each(sharedFiles('hyperparallel-golden'))('%s is written back step by step', name => {
    const given = sharedText('hyperparallel-golden', name)
    const order = orderOf(given)
    const document = written(order)
    const golden = JSON.parse(given)
    expect(document.exec_order).toEqual(golden.exec_order)
    const owners = golden.config.owner_of_micro
    if (owners && order.owners.every(owner => owner >= 0)) expect(document.owner_of_micro).toEqual(owners)
    const again = orderOf(JSON.stringify(document))
    expect([again.ranks, again.featureReceive]).toEqual([order.ranks, order.featureReceive])
  })
})
