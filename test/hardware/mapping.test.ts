import { describe, expect, it } from 'vitest'
import {
  dataGroup,
  deviceOf,
  devicesNeeded,
  groupHop,
  hopBetween,
  linkOf,
  rankHop,
  replicaGroup
} from '../../src/hardware/mapping.ts'
import { hardwareByName } from '../../src/hardware/presets.ts'

const die = hardwareByName('ascend-910c')

describe('rank to device mapping', () => {
  it('classifies device pairs by card, node, supernode', () => {
    const hops = [0, 1, 2, 15, 16, 767, 768].map(device => hopBetween(die.topology, 0, device))
    expect(hops).toEqual(['self', 'card', 'node', 'node', 'supernode', 'supernode', 'across'])
  })

  it('8 ranks of one die each sit in half a node', () => {
    const mapping = { ranks: 8, inner: 1, replicas: 1, order: 'replica-first' } as const
    const seams = [0, 1, 2, 3, 4, 5, 6].map(rank => rankHop(die.topology, mapping, rank, rank + 1))
    expect(seams).toEqual(['card', 'node', 'card', 'node', 'card', 'node', 'card'])
  })

  it('512 dies as TP8 PP8 DP8: seams cross nodes, inside one supernode', () => {
    const mapping = { ranks: 8, inner: 8, replicas: 8, order: 'replica-first' } as const
    expect(devicesNeeded(mapping)).toBe(512)
    expect(rankHop(die.topology, mapping, 0, 1)).toBe('supernode')
    expect(rankHop(hardwareByName('ascend-910b-376t').topology, mapping, 0, 1)).toBe('across')
    expect(groupHop(die.topology, dataGroup(mapping, 3))).toBe('supernode')
    expect(replicaGroup(mapping).length).toBe(64)
    expect(linkOf(die, 'supernode')?.name).toContain('UB')
    expect(linkOf(die, 'self')).toBeUndefined()
  })

  it('device numbers are a permutation in both orders', () => {
    for (const order of ['replica-first', 'pipeline-first'] as const) {
      const mapping = { ranks: 3, inner: 2, replicas: 4, order }
      const seen = new Set<number>()
      for (let rank = 0; rank < 3; rank++)
        for (let replica = 0; replica < 4; replica++)
          for (let inner = 0; inner < 2; inner++) seen.add(deviceOf(mapping, rank, replica, inner))
      expect([...seen].sort((a, b) => a - b)).toEqual([...Array(24).keys()])
    }
  })
})
