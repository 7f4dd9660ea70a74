import * as z from 'zod'
import { LIMITS } from '../limits.ts'

export const tick = z.int().min(0).describe('Integer ticks; one tick is the unit divided by ticksPerUnit.')
export const byteCount = z.int().min(0).describe('Integer bytes.')
export const rankIndex = z
  .int()
  .min(0)
  .max(LIMITS.ranks - 1)
  .describe('Rank, from 0.')
export const microbatchIndex = z
  .int()
  .min(0)
  .max(LIMITS.microbatches - 1)
  .describe('Microbatch, from 0.')
export const unitName = z.enum(['us', 'ns', 'ms', 'ticks']).describe('Unit of the instance.')
export const ticksPerUnit = z.int().min(1).max(1_000_000).describe('Ticks of one unit, a power of ten.')
export const hashText = z
  .string()
  .max(200)
  .describe('Hash of the instance: "sha256:" and 64 hexadecimal digits, over all that it means.')
export const problemName = z
  .enum(['owner', 'placement', 'reorder', 'joint'])
  .describe('What was fixed and what was searched.')
export const statusName = z
  .enum(['optimal', 'feasible', 'infeasible', 'unknown'])
  .describe('optimal: legal by the checker, and the bound equals the makespan; feasible: legal only.')
