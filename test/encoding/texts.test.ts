import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FaultError } from '../../src/base/fault.ts'
import type { Cp, Milp, Smt } from '../../src/encoding/model/types.ts'
import { validateModel } from '../../src/encoding/model/validate.ts'
import { writeCpSat } from '../../src/encoding/text/cpsat.ts'
import { writeLp } from '../../src/encoding/text/lp.ts'
import { writeMps } from '../../src/encoding/text/mps.ts'
import { writeMzn } from '../../src/encoding/text/mzn.ts'
import { parseValues, writeSmt2 } from '../../src/encoding/text/smt2.ts'

const milp: Milp = {
  kind: 'milp',
  variables: [
    { lower: -2, upper: 10, integer: true },
    { lower: 0, upper: Number.POSITIVE_INFINITY, integer: false },
    { lower: 3, upper: 3, integer: false }
  ],
  rows: [
    {
      terms: [
        [0, 2],
        [1, -1.5]
      ],
      lower: -4,
      upper: 7
    },
    {
      terms: [
        [1, 1],
        [2, 1]
      ],
      lower: 5,
      upper: 5
    }
  ],
  objective: [
    [0, 1],
    [1, 2]
  ]
}

const smt: Smt = {
  kind: 'smt',
  ints: [
    { lower: -5, upper: 5 },
    { lower: 0, upper: 9 }
  ],
  numBools: 1,
  clauses: [
    [
      { x: 0, y: 1, atLeast: -3 },
      { bool: 0, value: false }
    ],
    [{ x: -1, y: 1, atLeast: -4 }]
  ],
  sums: [{ terms: [[0, 7]], atMost: 6 }]
}

const cp: Cp = {
  kind: 'cp',
  variables: [
    { lower: 0, upper: 9 },
    { lower: 0, upper: 9 },
    { lower: 0, upper: 9 },
    { lower: 0, upper: 1 }
  ],
  intervals: [{ start: 1, end: 2, size: 4, presence: { variable: 3, value: true } }],
  constraints: [
    { kind: 'no-overlap', intervals: [0] },
    { kind: 'or', literals: [{ variable: 3, value: true }] },
    {
      kind: 'linear',
      terms: [
        [0, 1],
        [2, -1]
      ],
      lower: 0,
      when: [{ variable: 3, value: true }]
    }
  ],
  objective: [[0, 1]]
}

function onPath(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some(folder => existsSync(join(folder, program)))
}

function run(program: string, name: string, text: string, args: (path: string) => string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'tropipe-test-'))
  try {
    const path = join(folder, name)
    writeFileSync(path, text)
    return execFileSync(program, args(path), { encoding: 'utf8', timeout: 30_000 })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('model texts', () => {
  it('LP', () => {
    expect(writeLp(milp)).toBe(`Minimize
 obj: 1 x0 + 2 x1
Subject To
 c0l: 2 x0 - 1.5 x1 >= -4
 c0u: 2 x0 - 1.5 x1 <= 7
 c1: 1 x1 + 1 x2 = 5
Bounds
 -2 <= x0 <= 10
 0 <= x1 <= +inf
 x2 = 3
Generals
 x0
End
`)
  })

  it('free MPS: explicit bounds, markers around integers, ranges', () => {
    const text = writeMps(milp)
    expect(text.split('\n').slice(0, 5)).toEqual(['NAME tropipe FREE', 'ROWS', ' N obj', ' G c0', ' E c1'])
    for (const line of [
      " MARKER 'MARKER' 'INTORG'",
      " MARKER 'MARKER' 'INTEND'",
      ' RNG c0 11',
      ' LO BND x0 -2',
      ' UP BND x0 10',
      ' FX BND x2 3'
    ])
      expect(text).toContain(`${line}\n`)
    expect(text.indexOf('INTORG')).toBeLessThan(text.indexOf('INTEND'))
  })

  it('SMT-LIB 2: the smallest logic that fits, negative numerals in brackets', () => {
    expect(writeSmt2(smt)).toBe(`(set-logic QF_LIA)
(declare-const x0 Int)
(assert (>= x0 (- 5)))
(assert (<= x0 5))
(declare-const x1 Int)
(assert (>= x1 0))
(assert (<= x1 9))
(declare-const b0 Bool)
(assert (or (>= (- x0 x1) (- 3)) (not b0)))
(assert (<= x1 4))
(assert (<= (ite b0 7 0) 6))
(check-sat)
`)
    expect(writeSmt2({ ...smt, sums: [] })).toContain('(set-logic QF_IDL)')
  })

  it('reads values, negative ones too', () => {
    expect([...parseValues('sat\n((x0 (- 5))\n (x1 3) (b0 true)\n (b1 false))')]).toEqual([
      ['x0', -5],
      ['x1', 3],
      ['b0', 1],
      ['b1', 0]
    ])
  })

  it('CP-SAT text: snake_case fields, negated literals, the row that an interval does not imply', () => {
    const text = writeCpSat({ ...cp, constraints: [{ kind: 'or', literals: [{ variable: 3, value: false }] }] })
    expect(text).toContain('enforcement_literal: [3]')
    expect(text).toContain('literals: [-4]')
    expect(text).toContain('domain: [4, 4]')
  })

  it.skipIf(!onPath('glpsol'))('glpsol reads LP and MPS alike', () => {
    const lp = run('glpsol', 'm.lp', writeLp(milp), path => ['--lp', path])
    const mps = run('glpsol', 'm.mps', writeMps(milp), path => ['--freemps', path])
    for (const said of [lp, mps]) expect(said).toMatch(/INTEGER OPTIMAL SOLUTION FOUND/)
  })

  it.skipIf(!onPath('z3'))('a native z3 reads SMT-LIB 2', () => {
    expect(run('z3', 'm.smt2', writeSmt2(smt), path => [path]).trim()).toBe('sat')
  })

  it.skipIf(!onPath('minizinc'))('minizinc reads MiniZinc', () => {
    const said = run('minizinc', 'm.mzn', writeMzn(cp), path => ['--solver', 'gecode', path])
    expect(said).toContain('x0 = 4')
    expect(said).toContain('==========')
  })
})

describe('validateModel', () => {
  const faults = (model: Milp | Smt | Cp) => {
    try {
      validateModel(model)
      return 0
    } catch (error) {
      return error instanceof FaultError ? error.faults.length : -1
    }
  }

  it('accepts the models above', () => {
    expect([milp, smt, cp].map(faults)).toEqual([0, 0, 0])
  })

  it.each<[string, Milp | Smt | Cp]>([
    ['NaN coefficient', { ...milp, objective: [[0, Number.NaN]] }],
    [
      'variable twice',
      {
        ...milp,
        objective: [
          [0, 1],
          [0, 1]
        ]
      }
    ],
    ['unknown variable', { ...milp, objective: [[9, 1]] }],
    [
      'unbounded integer',
      { ...milp, variables: [{ lower: 0, upper: Number.POSITIVE_INFINITY, integer: true }], rows: [], objective: [] }
    ],
    [
      'fractional bound of an integer',
      { ...milp, variables: [{ lower: 0.5, upper: 2, integer: true }], rows: [], objective: [] }
    ],
    ['crossed bounds', { ...milp, variables: [{ lower: 2, upper: 1, integer: false }], rows: [], objective: [] }],
    ['row without a side', { ...milp, rows: [{ terms: [[0, 1]] }] }],
    ['difference with a fraction', { ...smt, clauses: [[{ x: 0, y: 1, atLeast: 0.5 }]] }],
    ['difference beyond safe integers', { ...smt, clauses: [[{ x: 0, y: 1, atLeast: 2 ** 53 + 2 }]] }],
    ['unknown Boolean', { ...smt, clauses: [[{ bool: 4, value: true }]] }],
    [
      'literal that is no 0-1 variable',
      { ...cp, constraints: [{ kind: 'or', literals: [{ variable: 0, value: true }] }] }
    ],
    ['unknown interval', { ...cp, constraints: [{ kind: 'no-overlap', intervals: [3] }] }],
    ['domain beyond safe integers', { ...cp, variables: [{ lower: 0, upper: 2 ** 53 + 2 }, ...cp.variables.slice(1)] }]
  ])('refuses: %s', (_, model) => {
    expect(faults(model)).toBe(1)
  })
})
