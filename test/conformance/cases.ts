import type { Cp, Milp, Model, Smt } from '../../src/encoding/model/types.ts'
import type { Finding, Outcome } from '../../src/solvers/index.ts'

/** What a backend must say of a model: an exact optimum, that there is none, or nothing before a limit. */
export type Expected =
  | { readonly kind: 'optimum'; readonly value: number }
  | { readonly kind: 'none' }
  | { readonly kind: 'sat' }
  | { readonly kind: 'unsat' }
  /** Within the limit it may finish or not, but it comes back and claims nothing wrong. */
  | { readonly kind: 'limit'; readonly truth: number }
  /** A point or not, but never an optimum other than the truth, and no bound above it. */
  | { readonly kind: 'never-wrong'; readonly truth: number }

export type Case = {
  readonly name: string
  readonly model: Model
  readonly timeLimitMs: number
  readonly expected: Expected
}

const binary = { lower: 0, upper: 1, integer: true }
const whole = (lower: number, upper: number) => ({ lower, upper, integer: true })
const free = (lower: number, upper: number) => ({ lower, upper, integer: false })

/** Two tasks of 3 and 5 on one rank with a given big-M; the truth is 8. Large M make solvers answer 5. */
function twoTasks(bigM: number): Milp {
  return {
    kind: 'milp',
    variables: [free(0, 1000), free(0, 1000), free(0, 1000), binary],
    rows: [
      {
        terms: [
          [1, 1],
          [0, -1],
          [3, bigM]
        ],
        lower: 3
      },
      {
        terms: [
          [0, 1],
          [1, -1],
          [3, -bigM]
        ],
        lower: 5 - bigM
      },
      {
        terms: [
          [2, 1],
          [0, -1]
        ],
        lower: 3
      },
      {
        terms: [
          [2, 1],
          [1, -1]
        ],
        lower: 5
      }
    ],
    objective: [[2, 1]]
  }
}

/** Jobs on two ranks, the larger sum minimal. */
function twoSums(jobs: readonly number[]): Milp {
  const total = jobs.reduce((sum, job) => sum + job, 0)
  const terms = jobs.map((job, i) => [i + 1, job] as const)
  return {
    kind: 'milp',
    variables: [free(0, total), ...jobs.map(() => binary)],
    rows: [
      { terms: [[0, 1], ...terms.map(([x, job]) => [x, -job] as const)], lower: 0 },
      { terms: [[0, 1], ...terms], lower: total }
    ],
    objective: [[0, 1]]
  }
}

/** A knapsack-like equality that takes a branch-and-bound long: sum of 2 x_i = odd. */
function oddSum(size: number): Milp {
  return {
    kind: 'milp',
    variables: Array.from({ length: size }, () => binary),
    rows: [
      {
        terms: Array.from({ length: size }, (_, x) => [x, 2] as const),
        lower: size - 1 + (size % 2),
        upper: size - 1 + (size % 2)
      }
    ],
    objective: [[0, 1]]
  }
}

function difference(x: number, y: number, atLeast: number) {
  return { x, y, atLeast }
}

/** Tasks of the given lengths on one rank within a horizon. */
function oneRank(lengths: readonly number[], horizon: number): Smt {
  const pairs = lengths.flatMap((a, i) =>
    lengths.slice(i + 1).map((b, k) => [difference(i + 1 + k, i, a), difference(i, i + 1 + k, b)])
  )
  return {
    kind: 'smt',
    ints: lengths.map(length => ({ lower: -horizon, upper: -length })),
    numBools: 0,
    clauses: pairs,
    sums: []
  }
}

function oneRankCp(lengths: readonly number[], horizon: number): Cp {
  const count = lengths.length
  return {
    kind: 'cp',
    variables: [
      { lower: 0, upper: horizon },
      ...lengths.map(() => ({ lower: 0, upper: horizon })),
      ...lengths.map(() => ({ lower: 0, upper: horizon }))
    ],
    intervals: lengths.map((size, i) => ({ start: 1 + i, end: 1 + count + i, size })),
    constraints: [
      { kind: 'no-overlap', intervals: lengths.map((_, i) => i) },
      ...lengths.map((_, i) => ({
        kind: 'linear' as const,
        terms: [
          [0, 1],
          [1 + count + i, -1]
        ] as const,
        lower: 0
      }))
    ],
    objective: [[0, 1]]
  }
}

/** Two holds of 3 and 3 bytes for 4 ticks each where 5 fit, one of them optional, which must be there: 8. */
const memoryCp: Cp = {
  kind: 'cp',
  variables: [
    { lower: 0, upper: 20 },
    { lower: 0, upper: 20 },
    { lower: 0, upper: 20 },
    { lower: 0, upper: 20 },
    { lower: 0, upper: 20 },
    { lower: 0, upper: 1 },
    { lower: 0, upper: 1 }
  ],
  intervals: [
    { start: 1, end: 2, size: 4 },
    { start: 3, end: 4, size: 4, presence: { variable: 5, value: true } }
  ],
  constraints: [
    { kind: 'cumulative', intervals: [0, 1], demands: [3, 3], capacity: 5 },
    {
      kind: 'exactly-one',
      literals: [
        { variable: 5, value: true },
        { variable: 6, value: true }
      ]
    },
    { kind: 'linear', terms: [[6, 1]], upper: 0 },
    {
      kind: 'linear',
      terms: [
        [0, 1],
        [2, -1]
      ],
      lower: 0
    },
    {
      kind: 'linear',
      terms: [
        [0, 1],
        [4, -1]
      ],
      lower: 0,
      when: [{ variable: 5, value: true }]
    }
  ],
  objective: [[0, 1]]
}

/** Bytes +2 at x1 and -2 at x2 (x2 >= x1 + 3), +2 at x3: at most 3 at once, so x3 waits: 3. */
const reservoirCp: Cp = {
  kind: 'cp',
  variables: [
    { lower: 0, upper: 9 },
    { lower: 0, upper: 9 },
    { lower: 0, upper: 9 },
    { lower: 0, upper: 9 },
    { lower: 0, upper: 1 }
  ],
  intervals: [],
  constraints: [
    { kind: 'reservoir', times: [1, 2, 3], changes: [2, -2, 2], atLeast: 0, atMost: 3 },
    {
      kind: 'linear',
      terms: [
        [2, 1],
        [1, -1]
      ],
      lower: 3,
      upper: 3
    },
    { kind: 'linear', terms: [[1, 1]], upper: 0 },
    {
      kind: 'linear',
      terms: [
        [0, 1],
        [3, -1]
      ],
      lower: 0
    },
    { kind: 'or', literals: [{ variable: 4, value: true }] }
  ],
  objective: [[0, 1]]
}

const s06 = [
  175734, 198909, 248318, 556976, 687108, 490816, 433168, 794563, 341498, 309028, 132494, 868025, 948328, 585843
]

/** Every case of the suite. Numbers S02.. name the failure that each was once. */
export const CASES: readonly Case[] = [
  milp(
    'linear program',
    {
      kind: 'milp',
      variables: [free(0, 10), free(0, 10)],
      rows: [
        {
          terms: [
            [0, 1],
            [1, 2]
          ],
          lower: 7
        }
      ],
      objective: [
        [0, 3],
        [1, 4]
      ]
    },
    { kind: 'optimum', value: 14 }
  ),
  milp(
    'infeasible linear program',
    { kind: 'milp', variables: [free(0, 1)], rows: [{ terms: [[0, 1]], lower: 2 }], objective: [[0, 1]] },
    { kind: 'none' }
  ),
  milp(
    'S02 a MILP whose relaxation is fractional',
    { kind: 'milp', variables: [whole(0, 10)], rows: [{ terms: [[0, 2]], lower: 3 }], objective: [[0, 1]] },
    { kind: 'optimum', value: 2 }
  ),
  milp(
    'infeasible MILP',
    { kind: 'milp', variables: [whole(0, 10)], rows: [{ terms: [[0, 2]], lower: 3, upper: 3 }], objective: [[0, 1]] },
    { kind: 'none' }
  ),
  milp(
    'S03 an integer that no row names',
    {
      kind: 'milp',
      variables: [whole(0, 10), whole(1, 5)],
      rows: [{ terms: [[0, 2]], lower: 3 }],
      objective: [
        [0, 1],
        [1, 1]
      ]
    },
    { kind: 'optimum', value: 3 }
  ),
  milp(
    'S04 differences that meet nowhere, bounded',
    {
      kind: 'milp',
      variables: [whole(0, 1_000_000), whole(0, 1_000_000)],
      rows: [
        {
          terms: [
            [0, 1],
            [1, -1]
          ],
          lower: 0.9
        },
        {
          terms: [
            [0, 1],
            [1, -1]
          ],
          upper: 0.8
        }
      ],
      objective: [[0, 1]]
    },
    { kind: 'none' }
  ),
  milp('S05 tight big-M', twoTasks(8), { kind: 'optimum', value: 8 }),
  milp('S05 big-M of a million', twoTasks(1e6), { kind: 'never-wrong', truth: 8 }),
  milp('S05 big-M of a hundred million', twoTasks(1e8), { kind: 'never-wrong', truth: 8 }),
  milp('S06 a gap of one in ten thousand', twoSums(s06), { kind: 'optimum', value: 3385582 }),
  milp(
    'negative bounds',
    {
      kind: 'milp',
      variables: [whole(-7, -2), free(-3, 3)],
      rows: [
        {
          terms: [
            [0, 1],
            [1, 1]
          ],
          lower: -6,
          upper: 4
        }
      ],
      objective: [
        [0, 1],
        [1, 2]
      ]
    },
    { kind: 'optimum', value: -9 }
  ),
  {
    name: 'S07 a time limit without a point',
    model: oddSum(60),
    timeLimitMs: 400,
    expected: { kind: 'limit', truth: Number.NaN }
  },
  smt('three tasks that fit', oneRank([3, 5, 4], 12), { kind: 'sat' }),
  smt('three tasks that do not', oneRank([3, 5, 4], 11), { kind: 'unsat' }),
  smt(
    'S09 negative values',
    {
      kind: 'smt',
      ints: [
        { lower: -9, upper: -5 },
        { lower: -20, upper: 20 }
      ],
      numBools: 1,
      clauses: [[difference(0, 1, 3)], [{ bool: 0, value: true }], [{ bool: 0, value: false }, difference(-1, 0, 6)]],
      sums: []
    },
    { kind: 'sat' }
  ),
  smt(
    'sums of Booleans',
    {
      kind: 'smt',
      ints: [],
      numBools: 3,
      clauses: [
        [
          { bool: 0, value: true },
          { bool: 1, value: true }
        ],
        [
          { bool: 1, value: true },
          { bool: 2, value: true }
        ]
      ],
      sums: [
        {
          terms: [
            [0, 3],
            [1, 5],
            [2, 3]
          ],
          atMost: 5
        }
      ]
    },
    { kind: 'sat' }
  ),
  smt(
    'sums of Booleans that break',
    {
      kind: 'smt',
      ints: [],
      numBools: 3,
      clauses: [
        [
          { bool: 0, value: true },
          { bool: 1, value: true }
        ],
        [
          { bool: 1, value: true },
          { bool: 2, value: true }
        ]
      ],
      sums: [
        {
          terms: [
            [0, 3],
            [1, 5],
            [2, 3]
          ],
          atMost: 4
        }
      ]
    },
    { kind: 'unsat' }
  ),
  smt('an empty clause', { kind: 'smt', ints: [], numBools: 1, clauses: [[]], sums: [] }, { kind: 'unsat' }),
  smt(
    'bytes at full scale',
    {
      kind: 'smt',
      ints: [],
      numBools: 2,
      clauses: [[{ bool: 0, value: true }], [{ bool: 1, value: true }]],
      sums: [
        {
          terms: [
            [0, 68_719_476_735],
            [1, 1]
          ],
          atMost: 68_719_476_735
        }
      ]
    },
    { kind: 'unsat' }
  ),
  cp('three tasks on one rank', oneRankCp([3, 5, 4], 30), { kind: 'optimum', value: 12 }),
  cp('three tasks on one rank in too little time', oneRankCp([3, 5, 4], 11), { kind: 'none' }),
  cp('memory as a cumulative with an optional hold', memoryCp, { kind: 'optimum', value: 8 }),
  cp('memory as a reservoir', reservoirCp, { kind: 'optimum', value: 3 })
]

function milp(name: string, model: Milp, expected: Expected): Case {
  return { name, model, timeLimitMs: 20_000, expected }
}

function smt(name: string, model: Smt, expected: Expected): Case {
  return { name, model, timeLimitMs: 20_000, expected }
}

function cp(name: string, model: Cp, expected: Expected): Case {
  return { name, model, timeLimitMs: 55_000, expected }
}

/** The objective of a point. */
export function objectiveAt(model: Model, values: ArrayLike<number>): number {
  if (model.kind === 'smt') return 0
  return model.objective.reduce((sum, [variable, coefficient]) => sum + coefficient * values[variable], 0)
}

/** What is wrong with an outcome; undefined where it is right. */
export function wrongOutcome({ model, expected }: Case, outcome: Outcome): string | undefined {
  const value = outcome.values ? objectiveAt(model, outcome.values) : undefined
  const near = (a: number | undefined, b: number) =>
    a !== undefined && Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(b))
  const said = `${outcome.stop} ${outcome.status} at ${value}, bound ${outcome.claimedBound} (${outcome.raw})`
  switch (expected.kind) {
    case 'optimum':
      return outcome.stop === 'proved' && outcome.status === 'optimal' && near(value, expected.value) ? undefined : said
    case 'none':
      return outcome.stop === 'proved' && outcome.status === 'infeasible' && !outcome.values ? undefined : said
    case 'sat':
      return outcome.status === 'sat' && outcome.values ? undefined : said
    case 'unsat':
      return outcome.status === 'unsat' && !outcome.values ? undefined : said
    case 'limit':
      return outcome.values || outcome.status === 'optimal' ? said : undefined
    case 'never-wrong':
      if (outcome.status === 'infeasible' || (outcome.status === 'optimal' && !near(value, expected.truth))) return said
      return outcome.claimedBound !== undefined && outcome.claimedBound > expected.truth + 1e-6 ? said : undefined
  }
}

/** What is wrong with what a solver handed over while it ran; nothing where it is right. */
export function wrongFindings({ model, expected }: Case, findings: readonly Finding[]): string[] {
  const truth = expected.kind === 'optimum' ? expected.value : 'truth' in expected ? expected.truth : undefined
  const none = expected.kind === 'none' || expected.kind === 'unsat'
  return findings.flatMap(({ values, claimedBound }) => {
    const value = values && objectiveAt(model, values)
    const slack = 1e-6 * Math.max(1, Math.abs(truth ?? 0))
    return [
      ...(value !== undefined && (none || (truth !== undefined && value < truth - slack))
        ? [`a point of ${value}`]
        : []),
      ...(claimedBound !== undefined && truth !== undefined && claimedBound > truth + slack
        ? [`a bound of ${claimedBound}`]
        : [])
    ]
  })
}
