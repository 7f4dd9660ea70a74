import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseInstance } from '../../src/instance/parse.ts'
import { FROZEN, VISION } from './fixtures.ts'

type Row = readonly [what: string, text: string, faults: readonly string[]]

/** `FROZEN` with one text replaced; the replaced text must be there. */
function change(...pairs: readonly string[]): string {
  let text = FROZEN
  for (let at = 0; at < pairs.length; at += 2) {
    if (!text.includes(pairs[at])) throw new Error(`no ${pairs[at]} in the fixture`)
    text = text.replace(pairs[at], pairs[at + 1])
  }
  return text
}

const SLAB = '{ forward: 1, backward: 1 }'
const bomb = [
  'a: &a [x, x, x]',
  ...'bcdefghij'.split('').map((name, index) => {
    const before = 'abcdefghi'[index]
    return `${name}: &${name} [${new Array(9).fill(`*${before}`).join(', ')}]`
  })
].join('\n')
const wide = (stages: number, microbatches: number) =>
  `format: tropipe.instance/1\nname: wide\nranks: ${stages}\nmicrobatches: ${microbatches}\nschedule: "<1f1b>"\n` +
  `regions: [{ name: llm, trainable: true, stages: [${new Array(stages).fill(SLAB).join(', ')}] }]\n`

const YAML: readonly Row[] = [
  ['zero ranks', change('ranks: 2', 'ranks: 0'), ['RANGE ranks']],
  ['negative ranks', change('ranks: 2', 'ranks: -2'), ['NEGATIVE ranks']],
  ['fractional ranks', change('ranks: 2', 'ranks: 2.5'), ['NOT_INTEGER ranks']],
  ['too many ranks', change('ranks: 2', 'ranks: 1025'), ['RANGE ranks']],
  ['absurdly many ranks', change('ranks: 2', 'ranks: 1e300'), ['RANGE ranks']],
  ['too many microbatches', change('microbatches: 3', 'microbatches: 16385'), ['RANGE microbatches']],
  ['zero microbatches', change('microbatches: 3', 'microbatches: 0'), ['RANGE microbatches']],
  ['NaN ranks', change('ranks: 2', 'ranks: .nan'), ['NOT_FINITE ranks']],
  ['NaN', change('forward: 10,', 'forward: .nan,'), ['NOT_FINITE regions[1].stages[0].forward']],
  ['infinity', change('send: 1', 'send: .inf'), ['NOT_FINITE communication.send']],
  ['minus infinity', change('capacity: 64.0e9', 'capacity: -.inf'), ['NOT_FINITE memory.capacity']],
  [
    'infinity in a list',
    change('[6, 9, 0]', '[6, .inf, .nan]'),
    ['NOT_FINITE regions[0].stages[0].forward[1]', 'NOT_FINITE regions[0].stages[0].forward[2]']
  ],
  ['negative duration', change('forward: 10,', 'forward: -1,'), ['NEGATIVE regions[1].stages[0].forward']],
  ['negative in a list', change('[6, 9, 0]', '[6, -9, 0]'), ['NEGATIVE regions[0].stages[0].forward[1]']],
  ['negative bytes', change('parameters: 8.0e9', 'parameters: -8'), ['NEGATIVE regions[1].stages[0].parameters']],
  ['negative lag', change('gather: 1', 'gather: -1'), ['NEGATIVE communication.gather']],
  ['number as text', change('forward: 10,', 'forward: "10",'), ['TYPE regions[1].stages[0].forward']],
  ['number with a unit', change('forward: 10,', 'forward: 10us,'), ['TYPE regions[1].stages[0].forward']],
  ['ranks as text', change('ranks: 2', 'ranks: "2"'), ['TYPE ranks']],
  ['text in a list', change('[6, 9, 0]', '[6, "9", 0]'), ['TYPE regions[0].stages[0].forward[1]']],
  ['null', change('forward: 10,', 'forward: ,'), ['TYPE regions[1].stages[0].forward']],
  ['forward list too short', change('[6, 9, 0]', '[6, 9]'), ['LIST_LENGTH regions[0].stages[0].forward']],
  ['forward list empty', change('[6, 9, 0]', '[]'), ['LIST_LENGTH regions[0].stages[0].forward']],
  [
    'backward list too long',
    change('backward: 0,', 'backward: [0, 0, 0, 0],'),
    ['LIST_LENGTH regions[0].stages[0].backward']
  ],
  [
    'split lists of the wrong length',
    change('backward: 0,', 'backward: { input: [1], weight: [1, 2] },'),
    ['LIST_LENGTH regions[0].stages[0].backward.input', 'LIST_LENGTH regions[0].stages[0].backward.weight']
  ],
  [
    'split backward without weight',
    change('backward: 0,', 'backward: { input: 1 },'),
    ['MISSING regions[0].stages[0].backward.weight']
  ],
  [
    'capacity list of the wrong length',
    change('capacity: 64.0e9', 'capacity: [1, 2, 3]'),
    ['LIST_LENGTH memory.capacity']
  ],
  ['reserved list of the wrong length', change('capacity: 64.0e9', 'reserved: [1]'), ['LIST_LENGTH memory.reserved']],
  ['slabs that do not spread', change('ranks: 2', 'ranks: 3'), ['STAGE_COUNT regions']],
  ['no slabs', change('[{ forward: [6, 9, 0], backward: 0, output: 100 }]', '[]'), ['EMPTY_LIST regions[0].stages']],
  [
    'dedicated cut of the wrong length',
    `${FROZEN}dedicated: { stages: [${SLAB}, ${SLAB}] }\n`,
    ['LIST_LENGTH dedicated.stages']
  ],
  [
    'dedicated cut without a backbone',
    change('<transpose, 1f1b>', '<transpose, transpose>').concat(`dedicated: { stages: [${SLAB}] }\n`),
    ['DEDICATED_SCOPE dedicated']
  ],
  ['weight share above 1', change('activation: 1.0e9', 'weightShare: 1.5'), ['RANGE regions[1].stages[0].weightShare']],
  [
    'weight share below 0',
    change('activation: 1.0e9', 'weightShare: -0.5'),
    ['NEGATIVE regions[1].stages[0].weightShare']
  ],
  [
    'reduction of an unknown region',
    change('vision: 0 }', 'visoin: 0 }'),
    ['UNKNOWN_REGION communication.reduce.visoin']
  ],
  [
    'reduction named __proto__',
    change('vision: 0 }', '__proto__: 0 }'),
    ['UNKNOWN_REGION communication.reduce.__proto__']
  ],
  ['clashing names', change('name: llm', 'name: vision'), ['NAME_CLASH regions[1].name']],
  ['__proto__ as a name', change('name: llm', 'name: __proto__'), ['NAME regions[1].name']],
  ['constructor as a name', change('name: llm', 'name: constructor'), ['NAME regions[1].name']],
  ['control character in a name', change('name: llm', 'name: "ll\\u0007m"'), ['NAME regions[1].name']],
  ['line break in a name', change('name: llm', 'name: "llm\\n"'), ['NAME regions[1].name']],
  ['markup in a name', change('name: tiny', 'name: <b>tiny</b>'), ['NAME name']],
  ['empty name', change('name: tiny', 'name: ""'), ['NAME name']],
  ['very long name', change('name: tiny', `name: ${'a'.repeat(65)}`), ['NAME name']],
  ['escape sequence in a text', change('two ranks', '"\\u001b[31mred"'), ['TEXT description']],
  ['unknown key', change('gather: 1', 'gahter: 1'), ['UNKNOWN_KEY communication.gahter']],
  ['unknown key at the top', change('microbatches: 3', 'microbatches: 3\nmicrobatch: 3'), ['UNKNOWN_KEY microbatch']],
  ['__proto__ as a key', `${FROZEN}__proto__: { polluted: true }\n`, ['UNKNOWN_KEY __proto__']],
  ['merge key', `${FROZEN}<<: { ranks: 4 }\n`, ['UNKNOWN_KEY ["<<"]']],
  ['wrong format', change('tropipe.instance/1', 'tropipe.instance/2'), ['FORMAT format']],
  ['missing format', change('format: tropipe.instance/1\n', ''), ['MISSING format']],
  ['missing trainable', change('    trainable: true\n', ''), ['MISSING regions[1].trainable']],
  ['trainable as text', change('trainable: true', 'trainable: "yes"'), ['TYPE regions[1].trainable']],
  ['missing backward', change(', backward: 0', ''), ['MISSING regions[0].stages[0].backward']],
  ['unknown unit', change('ranks: 2', 'ranks: 2\nunit: s'), ['VALUE unit']],
  ['unknown communication model', change('{ send: 1', '{ model: latencie, send: 1'), ['VALUE communication.model']],
  ['unknown option value', `${FROZEN}options: { encoderBackward: first }\n`, ['VALUE options.encoderBackward']],
  ['schedule without brackets', change('"<transpose, 1f1b>"', 'transpose'), ['SCHEDULE_SYNTAX schedule']],
  ['unknown skeleton', change('<transpose, 1f1b>', '<transpose, 1f1c>'), ['UNKNOWN_SKELETON schedule[1]']],
  ['too few skeletons', change('<transpose, 1f1b>', '<1f1b>'), ['SKELETON_COUNT schedule']],
  [
    'no regions',
    change('regions:', 'regions: []\nrest:'),
    ['EMPTY_LIST regions', 'SKELETON_COUNT schedule', 'UNKNOWN_KEY rest', 'UNKNOWN_REGION communication.reduce.vision']
  ],
  ['too many events', wide(1000, 1001), ['TOO_MANY_EVENTS microbatches']],
  [
    'number above 2^53',
    change('forward: 10,', 'forward: 9007199254740992,'),
    ['TOO_LARGE regions[1].stages[0].forward']
  ],
  ['bytes above 2^53', change('parameters: 8.0e9', 'parameters: 1e16'), ['TOO_LARGE regions[1].stages[0].parameters']],
  ['tick sums above 2^53', change('forward: 10,', 'forward: 3e15,'), ['TICK_OVERFLOW unit']],
  ['byte sums above 2^53', change('activation: 1.0e9', 'activation: 4e15'), ['BYTE_OVERFLOW regions']],
  [
    'byte sums of a replicated region',
    change(
      VISION,
      `  - { name: vision, trainable: false, stages: [${new Array(3).fill('{ forward: 1, backward: 0, parameters: 4e15 }').join(', ')}] }`
    ),
    ['BYTE_OVERFLOW regions']
  ],
  ['modelled form', change('regions:', 'model: { config: x }\nregions:'), ['NOT_YET model']],
  ['empty text', '', ['EMPTY_DOCUMENT ']],
  ['only a comment', '# nothing\n', ['EMPTY_DOCUMENT ']],
  ['a list', '- 1\n- 2\n', ['NOT_A_MAPPING ']],
  ['a scalar', 'hello', ['NOT_A_MAPPING ']],
  ['YAML syntax', 'a: [1, 2\nb: 3\n', ['SYNTAX line 2, column 1']],
  ['duplicate YAML key', 'a: 1\na: 2\n', ['DUPLICATE_KEY line 2, column 1']],
  ['two YAML documents', 'a: 1\n---\nb: 2\n', ['SYNTAX line 2, column 1']],
  ['unknown YAML tag', 'a: !!js/function "x"\n', ['SYNTAX line 1, column 4']],
  ['unknown YAML anchor', 'a: *b\n', ['SYNTAX ']],
  ['YAML alias bomb', bomb, ['ALIAS_LIMIT ']],
  ['YAML that contains itself', 'a: &a [*a]\n', ['TOO_DEEP ']],
  ['deep YAML', `a: ${'['.repeat(900)}${']'.repeat(900)}\n`, ['TOO_DEEP ']],
  ['very deep YAML', '['.repeat(200_000), ['TOO_DEEP ']],
  ['deep YAML blocks', `${'- '.repeat(20_000)}1`, ['TOO_DEEP ']],
  ['too many YAML values', `a: [${'0,'.repeat(1_000_001)}]`, ['TOO_MANY_VALUES ']],
  [
    'aliases of a long list',
    `a: &a [${new Array(5000).fill(1).join()}]\nb: [${new Array(2500).fill('*a').join()}]`,
    ['TOO_MANY_VALUES ']
  ],
  ['over 64 MB', `# ${'x'.repeat(64_000_000)}`, ['TEXT_TOO_LARGE ']],
  ['over 64 MB in UTF-8 only', `# ${'\u20ac'.repeat(21_400_000)}`, ['TEXT_TOO_LARGE ']]
]

const JSONS: readonly Row[] = [
  ['empty JSON', ' \n', ['EMPTY_DOCUMENT ']],
  ['null', 'null', ['EMPTY_DOCUMENT ']],
  ['JSON list', '[1]', ['NOT_A_MAPPING ']],
  ['JSON syntax', '{\n  "ranks": 2,\n}', ['SYNTAX line 3, column 1']],
  ['JSON NaN', '{"ranks": NaN}', ['SYNTAX line 1, column 11']],
  ['duplicate JSON key', '{"a": 1,\n "a": 2}', ['DUPLICATE_KEY line 2, column 2']],
  ['deep JSON', '{"a":'.repeat(100_000), ['TOO_DEEP line 1, column 321']],
  [
    'JSON overflow to infinity',
    '{"format":"tropipe.instance/1","name":"a","ranks":1,"microbatches":1,"schedule":"<1f1b>","regions":[{"name":"llm","trainable":true,"stages":[{"forward":1e999,"backward":1}]}]}',
    ['NOT_FINITE regions[0].stages[0].forward']
  ]
]

function summary(text: string, syntax: 'json' | 'yaml'): readonly string[] {
  const parsed = parseInstance(text, syntax)
  if (parsed.ok) throw new Error('accepted')
  for (const fault of parsed.faults) {
    expect(fault.message).not.toBe('')
    expect(fault.advice).toMatch(/^[^\n]+$/)
    expect(() => JSON.stringify(fault)).not.toThrow()
  }
  return parsed.faults.map(fault => `${fault.code} ${fault.path}`).sort()
}

describe('faults of an instance', () => {
  it('has a case for every kind of bad input', () => {
    expect(YAML.length + JSONS.length).toBeGreaterThanOrEqual(94)
    const codes = new Set([...YAML, ...JSONS].flatMap(([, , faults]) => faults.map(fault => fault.split(' ')[0])))
    expect(codes.size).toBeGreaterThanOrEqual(28)
    const documented = readFileSync(resolve(import.meta.dirname, '../../docs/instance.md'), 'utf8')
    for (const code of codes) expect(documented).toContain(`\`${code}\``)
  })

  it.each(YAML)('%s', (_, text, faults) => {
    expect(summary(text, 'yaml')).toEqual([...faults].sort())
  })

  it.each(JSONS)('%s', (_, text, faults) => {
    expect(summary(text, 'json')).toEqual([...faults].sort())
  })

  it('accepts the fixture, and 2,000,000 events', () => {
    expect(parseInstance(FROZEN, 'yaml').ok).toBe(true)
    expect(parseInstance(wide(1000, 1000), 'yaml').ok).toBe(true)
  })

  it('reports everything at once, of single fields and across them', () => {
    const text = change(
      'ranks: 2',
      'ranks: 0',
      '[6, 9, 0]',
      '[6, 9]',
      'name: llm',
      'name: vision',
      '    trainable: true\n',
      '',
      '1f1b',
      '1f1c',
      'capacity',
      'capacty',
      'vision: 0 }',
      'visio: -1 }'
    )
    expect(summary(text, 'yaml')).toEqual([
      'LIST_LENGTH regions[0].stages[0].forward',
      'MISSING regions[1].trainable',
      'NAME_CLASH regions[1].name',
      'NEGATIVE communication.reduce.visio',
      'RANGE ranks',
      'UNKNOWN_KEY memory.capacty',
      'UNKNOWN_REGION communication.reduce.visio',
      'UNKNOWN_SKELETON schedule[1]'
    ])
  })

  it('reports overflowing sums beside faults elsewhere', () => {
    expect(summary(change('forward: 10,', 'forward: 3e15,', 'name: tiny', 'name: 1'), 'yaml')).toEqual([
      'TICK_OVERFLOW unit',
      'TYPE name'
    ])
  })

  it('says what was probably meant', () => {
    const advice = (text: string) => {
      const parsed = parseInstance(text, 'yaml')
      return parsed.ok ? '' : parsed.faults[0].advice
    }
    expect(advice(change('gather: 1', 'gahter: 1'))).toContain('Did you mean "gather"?')
    expect(advice(change('vision: 0 }', 'visoin: 0 }'))).toContain('Did you mean "vision"?')
    expect(advice(change('activation', 'activations'))).toContain('Did you mean "activation"?')
    expect(advice(change('forward: 10,', 'forward: "10",'))).toContain('without quotes')
    expect(advice(change('regions:', 'workload: {}\nregions:'))).toContain('tropipe model')
  })

  it('counts what it does not list', () => {
    const parsed = parseInstance(
      JSON.stringify({
        format: 'tropipe.instance/1',
        ...Object.fromEntries(new Array(3000).fill(0).map((_, i) => [`k${i}`, i]))
      }),
      'json'
    )
    if (parsed.ok) throw new Error('accepted')
    expect(parsed.faults).toHaveLength(1001)
    expect(parsed.faults.at(-1)).toMatchObject({ code: 'MORE_FAULTS', value: 2005 })
  })
})
