import { maximum } from '../base/arrays.ts'
import type { FamilyProof, Member } from './family.ts'

/** One row per member; `solver` is what Z3 said, where it was asked. */
type Row = {
  readonly family: string
  readonly variant: string
  readonly P: number
  readonly M: number
  readonly legal: boolean
  readonly events: number
  readonly edges: number
  readonly inFlight: readonly number[]
  readonly needed: readonly string[]
  readonly implied: readonly string[]
  readonly solver: string
}

const rowOf = ({ family, variant, ranks, microbatches, proof }: Member): Row => ({
  family,
  variant,
  P: ranks,
  M: microbatches,
  legal: proof.faults.length === 0 && proof.confirmation?.status !== 'refuted',
  events: proof.graph.nodes.length,
  edges: proof.graph.edges.length,
  inFlight: proof.inFlight,
  needed: proof.needed,
  implied: proof.implied,
  solver: proof.confirmation?.status ?? 'not asked'
})

/** `tropipe.proof/1` of a family: the same fields, with one row per member. */
export function familyDocument(family: FamilyProof): unknown {
  const violations = family.members.flatMap(({ proof, ranks, microbatches }) =>
    proof.faults.map(({ code, rank, message, advice }) => ({
      code,
      rank,
      event: `P=${ranks}, M=${microbatches}`,
      message,
      advice
    }))
  )
  return {
    format: 'tropipe.proof/1',
    legal: family.proved,
    strength: 'this order, for every duration',
    schedule: family.schedule,
    violations,
    members: family.members.map(rowOf)
  }
}

/** One line per family, variant and P, with all its M. */
export function familyText(family: FamilyProof): string {
  const groups = new Map<string, Member[]>()
  for (const member of family.members) {
    const key = `${member.family}|${member.variant}|${member.ranks}`
    groups.set(key, [...(groups.get(key) ?? []), member])
  }
  const rows = [...groups.values()].map(members => {
    const [first] = members
    const legal = members.filter(member => rowOf(member).legal).length
    const asked = members.filter(member => member.proof.confirmation)
    const confirmed = asked.filter(member => member.proof.confirmation?.status === 'confirmed').length
    const sizes = members.map(member => member.microbatches)
    return [
      first.family,
      first.variant,
      String(first.ranks),
      `${Math.min(...sizes)}..${Math.max(...sizes)}`,
      `${legal} of ${members.length}`,
      `${confirmed} of ${asked.length}`,
      String(maximum(members.flatMap(member => member.proof.inFlight)))
    ]
  })
  const head = ['family', 'source', 'P', 'M', 'proved', 'also by Z3', 'in flight']
  const widths = head.map((title, column) => maximum([title.length, ...rows.map(row => row[column].length)]))
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd()
  const all = family.members.length
  const verdict = family.proved
    ? `proved: all ${all} orders of ${family.schedule}`
    : `refuted: not all of ${all} orders of ${family.schedule}`
  const faults = family.members.flatMap(({ proof, ranks, microbatches }) =>
    proof.faults.map(fault => `P=${ranks} M=${microbatches}: ${fault.code} ${fault.message}`)
  )
  return `${verdict} are legal for every duration\n\n${[head, ...rows].map(line).join('\n')}\n${faults.slice(0, 10).join('\n')}`
}
