import type { FamilyProof, Member } from './family.ts'
import type { ProofViolation, Strength } from './proof.ts'

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
export type FamilyDocument = {
  readonly format: 'tropipe.proof/1'
  readonly legal: boolean
  readonly strength: Strength
  readonly schedule: string
  /** `event` names the size. */
  readonly violations: readonly ProofViolation[]
  readonly members: readonly Row[]
}

/** What was proved of a family, as a document. */
export function familyDocument(family: FamilyProof): FamilyDocument {
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
