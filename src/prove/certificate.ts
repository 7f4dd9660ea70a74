import * as z from 'zod'
import { type Fault, FaultError } from '../base/fault.ts'
import type { Objective } from '../optimize/types.ts'
import type { Certificate, Evidence } from '../schedule/certificate.ts'
import type { ScheduleDocument } from '../schedule/document.ts'
import type { Measured } from '../schedule/measured.ts'

const ticks = z.number().int().nonnegative()
const engine = z.object({ name: z.string(), version: z.string() })

const bound = z.object({
  kind: z.literal('bound'),
  name: z.string(),
  ticks,
  terms: z.array(z.object({ label: z.string(), ticks: z.number().int(), events: z.array(ticks) }))
})

const unsat = z.object({
  kind: z.literal('smt-unsat'),
  at: z.number().int(),
  textHash: z.string(),
  text: z.string(),
  engines: z.array(engine)
})

const evidence: z.ZodType<Evidence> = z.lazy(() => z.discriminatedUnion('kind', [bound, unsat, solverBound]))

const solverBound = z.object({
  kind: z.literal('solver-bound'),
  engine,
  options: z.string(),
  modelHash: z.string(),
  bound: ticks,
  grid: z.number().int().positive(),
  confirmedBy: z.array(evidence)
})

const head = z.object({
  instance: z.string(),
  problem: z.enum(['owner', 'placement', 'reorder', 'joint']),
  lowerBound: ticks,
  kind: z.string(),
  besides: z.array(evidence)
})

/** What a `tropipe.result/1` claims of its value. */
const claims = z.object({
  objective: z.enum(['makespan', 'spill']).default('makespan'),
  lowerBound: ticks,
  certificate: z.object({ lowerBound: ticks })
})

/** What a result claims: its certificate, and what the bound in it is of. */
export type Claimed = { readonly certificate: Certificate; readonly objective: Objective }

/**
 * The claim of a result. A bound that the result states beside its certificate counts as stated by the certificate, so
 * that neither can claim more than the evidence holds.
 * @throws FaultError CERTIFICATE
 */
export function claimOfResult(result: object): Claimed {
  const certificate = readCertificate((result as { readonly certificate?: unknown }).certificate)
  const { lowerBound, objective } = accept(claims.safeParse(result))
  return { certificate: { ...certificate, lowerBound: Math.max(lowerBound, certificate.lowerBound) }, objective }
}

/**
 * What a result states beside its schedule and its instance must be what those say; keys that it leaves out say nothing.
 * @throws FaultError DISAGREES with every field that is altered
 */
export function checkResult(result: object, measured: Measured, document: ScheduleDocument): void {
  const stated = result as Readonly<Record<string, unknown>>
  const facts = {
    instanceHash: measured.hash,
    unit: measured.unit,
    ticksPerUnit: measured.ticksPerUnit,
    makespan: document.makespan
  }
  throwDisagreeing(stated, facts)
}

/**
 * What a result says of its answer must follow from its own numbers: a bound above what was reached, or an `optimal` with
 * a gap, is no answer of the search. Whether the bound is true is what the evidence shows.
 * @throws FaultError DISAGREES with every field that is altered
 */
export function checkStatements(result: object): void {
  const stated = result as Readonly<Record<string, unknown>>
  const value = Number(stated.objective === 'spill' ? stated.value : stated.makespan)
  const lowerBound = Number(stated.lowerBound)
  const { problem, lowerBound: certified } = stated.certificate as Readonly<Record<string, unknown>>
  throwDisagreeing(stated, {
    problem,
    status: lowerBound === value ? 'optimal' : 'feasible',
    lowerBound: lowerBound > value ? value : certified,
    gap: value === 0 ? 0 : (value - lowerBound) / value
  })
}

function throwDisagreeing(stated: Readonly<Record<string, unknown>>, facts: Readonly<Record<string, unknown>>): void {
  const faults = Object.entries(facts)
    .filter(([path, fact]) => stated[path] !== undefined && stated[path] !== fact)
    .map(([path, fact]): Fault => {
      const message = `the result states ${JSON.stringify(stated[path])}, what goes with it says ${JSON.stringify(fact)}`
      return {
        code: 'DISAGREES',
        path,
        value: stated[path],
        message,
        advice: 'Give a result as `tropipe solve --json` writes it.'
      }
    })
  if (faults.length > 0) throw new FaultError(faults)
}

/**
 * The certificate of a `tropipe.result/1`: its first piece of evidence stands in the certificate itself, the others under
 * `besides`.
 * @throws FaultError CERTIFICATE with every field that is wrong
 */
export function readCertificate(value: unknown): Certificate {
  const { instance, problem, lowerBound, kind, besides } = accept(head.safeParse(value))
  const first = kind === 'none' ? [] : [accept(evidence.safeParse(value))]
  return { instance, problem, lowerBound, evidence: [...first, ...besides] }
}

function accept<T>(parsed: z.ZodSafeParseResult<T>): T {
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.map(
    (issue): Fault => ({
      code: 'CERTIFICATE',
      path: ['certificate', ...issue.path].join('.'),
      message: issue.message,
      advice: 'Give a result as `tropipe solve --json` writes it.'
    })
  )
  throw new FaultError(faults)
}
