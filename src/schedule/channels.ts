import type { GraphEvent } from '../algebra/derive.ts'
import type { Channel, Edge } from './problem.ts'

/** Index of each lag table in `Problem.lags`. */
export const LAG = { send: 0, gather: 1, scatter: 2 } as const

/** Collectives and losses take no event of their own: their edges join their neighbours. */
export function folds(event: GraphEvent): boolean {
  return event.kind === 'Coll' || event.kind === 'Loss'
}

/** Channel of a seam's collective. */
export function channelOf(comm: 'Gather' | 'Scatter' | 'Send' | 'RecvGrad'): Channel {
  return ({ Gather: 'gather', Scatter: 'scatter', Send: 'send', RecvGrad: 'recvGrad' } as const)[comm]
}

/** Channel of an edge inside a region: between stages a send; between an event and its own backward none. */
export function innerChannel(type: Edge['type'], from: GraphEvent, to: GraphEvent): Channel | undefined {
  if (
    (from.kind !== 'Fwd' && from.kind !== 'Bwd') ||
    (to.kind !== 'Fwd' && to.kind !== 'Bwd') ||
    from.stage === to.stage
  )
    return undefined
  return type === 'gradient' ? 'recvGrad' : 'send'
}

/** Lag table of a channel; -1 for none. */
export function lagOf(channel: Channel): number {
  switch (channel) {
    case 'send':
    case 'recvGrad':
      return LAG.send
    case 'gather':
      return LAG.gather
    case 'scatter':
      return LAG.scatter
    case 'handoff':
      return -1
  }
}
