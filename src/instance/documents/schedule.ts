import * as z from 'zod'
import { LIMITS } from '../limits.ts'
import { hashText, microbatchIndex, rankIndex, tick, ticksPerUnit, unitName } from './fields.ts'

const encoderPart = z
  .int()
  .min(0)
  .max(LIMITS.encoderParts - 1)

/** One timed event of a rank; E and EB carry no stage. */
const timedEventSchema = z
  .strictObject({
    kind: z
      .enum(['F', 'B', 'I', 'W', 'E', 'EB'])
      .describe('F forward, B full backward, I and W its input and weight parts, E and EB of a transposed encoder.'),
    region: z.string().max(500).describe('Name of the region; merged regions are joined by "+".'),
    stage: z.exactOptional(z.int().min(0)).describe('Stage, from 0 over all pipelined slabs; absent for E and EB.'),
    microbatch: microbatchIndex,
    item: z.exactOptional(encoderPart).describe('Encoder task of the microbatch, where there are several.'),
    chunk: z.exactOptional(encoderPart).describe('Chunk of the encoder task, where tasks are cut.'),
    start: z.int(),
    end: z.int(),
    overlapped: z
      .exactOptional(z.literal(true))
      .describe('Runs overlapped with the event beside it that says the same: one F and one B, from start to end.')
  })
  .describe('One event: half-open interval [start, end) in ticks.')

/** One timed transfer; a rank cannot be wrong of kind, but it may be the wrong one. */
const transferSchema = z
  .strictObject({
    kind: z
      .enum(['send', 'recvGrad', 'gather', 'scatter'])
      .describe('send and recvGrad between stages, gather of an encoder output, scatter of its gradient.'),
    stage: z.exactOptional(z.int().min(0)).describe('Stage that sends; absent for a gather.'),
    microbatch: microbatchIndex,
    item: z.exactOptional(encoderPart).describe('Encoder task of a gather or scatter, where there are several.'),
    from: rankIndex,
    to: rankIndex,
    start: z.int(),
    end: z.int()
  })
  .describe('One transfer between two ranks: half-open interval [start, end) in ticks.')

/** `tropipe.schedule/1`. Whether it is legal is the checker's to say: ticks may be wrong here, but not of a wrong kind. */
export const scheduleSchema = z
  .strictObject({
    format: z.literal('tropipe.schedule/1'),
    instance: hashText,
    P: z.int().min(1).max(LIMITS.ranks).describe('Ranks.'),
    M: z.int().min(1).max(LIMITS.microbatches).describe('Microbatches.'),
    unit: unitName,
    ticksPerUnit,
    makespan: tick,
    ranks: z.array(z.array(timedEventSchema)).describe('Per rank its events in start order.'),
    transfers: z
      .exactOptional(z.array(transferSchema))
      .describe('Transfers in start order, where the communication model makes them wait.')
  })
  .describe('A timed schedule of one step.')
