import { range } from '../base/arrays.ts'
import { type Hardware, HOPS, type Hop, type Topology } from './types.ts'

/**
 * Which devices a pipeline rank spans. `inner` devices (tensor x context parallel) of one replica lie side by side;
 * replicas come next, pipeline ranks last (`replica-first`, the usual order), or the other way (`pipeline-first`).
 */
export type Mapping = {
  readonly ranks: number
  readonly inner: number
  readonly replicas: number
  readonly order: 'replica-first' | 'pipeline-first'
}

/** Global index of the device that is member `inner` of replica `replica` of a rank. */
export function deviceOf(mapping: Mapping, rank: number, replica: number, inner: number): number {
  const block = mapping.order === 'replica-first' ? rank * mapping.replicas + replica : replica * mapping.ranks + rank
  return block * mapping.inner + inner
}

/** How far two devices are apart. */
export function hopBetween(topology: Topology, from: number, to: number): Hop {
  const perNode = topology.devicesPerCard * topology.cardsPerNode
  const sizes = [1, topology.devicesPerCard, perNode, perNode * topology.nodesPerSupernode]
  const level = sizes.findIndex(size => Math.floor(from / size) === Math.floor(to / size))
  return level < 0 ? 'across' : HOPS[level]
}

/** The farther of two hops. */
export function farther(left: Hop, right: Hop): Hop {
  return HOPS.indexOf(left) >= HOPS.indexOf(right) ? left : right
}

/** The farthest hop that the transfer between two ranks crosses: device by device of one replica, over all replicas. */
export function rankHop(topology: Topology, mapping: Mapping, from: number, to: number): Hop {
  let worst: Hop = 'self'
  for (const replica of range(mapping.replicas))
    for (const inner of [0, mapping.inner - 1])
      worst = farther(
        worst,
        hopBetween(topology, deviceOf(mapping, from, replica, inner), deviceOf(mapping, to, replica, inner))
      )
  return worst
}

/** The farthest hop inside a group of devices. */
export function groupHop(topology: Topology, devices: readonly number[]): Hop {
  return devices.reduce<Hop>((worst, device) => farther(worst, hopBetween(topology, devices[0], device)), 'self')
}

/** Devices of one rank's inner group (replica 0). */
export function innerGroup(mapping: Mapping, rank: number): number[] {
  return range(mapping.inner).map(inner => deviceOf(mapping, rank, 0, inner))
}

/** Devices that hold the same weights of a rank in all replicas. */
export function dataGroup(mapping: Mapping, rank: number): number[] {
  return range(mapping.replicas).map(replica => deviceOf(mapping, rank, replica, 0))
}

/** Devices that hold a copy of a Replicated region: every rank of every replica. */
export function replicaGroup(mapping: Mapping): number[] {
  return range(mapping.ranks).flatMap(rank => dataGroup(mapping, rank))
}

/** The link of a hop; `self` has none. */
export function linkOf(hardware: Hardware, hop: Hop) {
  return hop === 'self' ? undefined : hardware.links[hop]
}

/** Devices that a mapping needs. */
export function devicesNeeded(mapping: Mapping): number {
  return mapping.ranks * mapping.inner * mapping.replicas
}
