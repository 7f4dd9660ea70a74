import * as z from 'zod'
import { type Fault, FaultError, fail } from '../base/fault.ts'
import type { Certificate, Evidence } from '../schedule/certificate.ts'

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

/** What a `tropipe.result/1` states twice. */
const stated = z.object({
  makespan: ticks.optional(),
  lowerBound: ticks,
  certificate: z.object({ lowerBound: ticks }),
  schedule: z.object({ makespan: ticks }).optional()
})

/**
 * The certificate of a result. A bound that the result states beside it counts as stated by the certificate, so that
 * neither can claim more than the evidence holds.
 * @throws FaultError CERTIFICATE, also where the result's makespan is not its schedule's
 */
export function certificateOfResult(result: object): Certificate {
  const certificate = readCertificate((result as { readonly certificate?: unknown }).certificate)
  const { lowerBound, makespan, schedule } = accept(stated.safeParse(result))
  if (makespan !== schedule?.makespan) {
    const message = `states ${makespan}, but schedule.makespan states ${schedule?.makespan}`
    fail('CERTIFICATE', 'makespan', makespan, message, 'Give a result as `tropipe solve --json` writes it.')
  }
  return { ...certificate, lowerBound: Math.max(lowerBound, certificate.lowerBound) }
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
