import type { Collective, Shape } from './types.ts'

/** An untimed event of the derived graph (paper section 3.5). `stage` counts Sharded slabs only; Replicated work has none. */
export type GraphEvent =
  | {
      readonly kind: 'Fwd' | 'Bwd'
      readonly region: number
      readonly stage?: number
      readonly rank: number
      readonly microbatch: number
    }
  | {
      /** Input part of a split backward: it stands for Bwd in every dependency. */
      readonly kind: 'BwdInput'
      readonly region: number
      readonly stage: number
      readonly rank: number
      readonly microbatch: number
    }
  | {
      readonly kind: 'BwdWeight'
      readonly region: number
      readonly stage: number
      readonly rank: number
      readonly microbatch: number
    }
  | { readonly kind: 'Coll'; readonly comm: Collective; readonly seam: number; readonly microbatch: number }
  | { readonly kind: 'Broadcast'; readonly region: number }
  | {
      readonly kind: 'DpReduce'
      readonly region: number
      readonly group: 'ReplicaGroup' | 'DataGroup'
      readonly rank?: number
    }
  | { readonly kind: 'Loss'; readonly microbatch: number }
  | { readonly kind: 'StepBarrier' }

/** Why an event waits for another one (paper section 3.5). */
export type EdgeType = 'activation' | 'gradient' | 'turnaround' | 'accumulate' | 'sequence'

/** Dependency between two events, by index. */
export type GraphEdge = { readonly from: number; readonly to: number; readonly type: EdgeType }

/** A compute event: it has a rank and a microbatch. */
export type ComputeEvent = Extract<GraphEvent, { readonly rank: number; readonly microbatch: number }>

/** A compute event that others find as the forward or the backward of its slab. */
type Run = Exclude<ComputeEvent, { kind: 'BwdWeight' }>

/** Collects events and edges; finds the runs (Fwd, Bwd) again by region, slab within it, and microbatch. */
export class GraphBuilder {
  readonly events: GraphEvent[] = []
  readonly edges: GraphEdge[] = []
  readonly #microbatches: number
  /** Index of the first slab of each region among all slabs, Replicated ones included. */
  readonly #slabs: readonly number[]
  readonly #counts: readonly number[]
  readonly #runs: { readonly Fwd: Int32Array; readonly Bwd: Int32Array }

  constructor(shape: Shape) {
    let slabs = 0
    this.#slabs = shape.regions.map(region => {
      slabs += region.stages.length
      return slabs - region.stages.length
    })
    this.#counts = shape.regions.map(region => region.stages.length)
    this.#microbatches = shape.microbatches
    const table = () => new Int32Array(slabs * shape.microbatches).fill(-1)
    this.#runs = { Fwd: table(), Bwd: table() }
  }

  add(event: GraphEvent): number {
    return this.events.push(event) - 1
  }

  /** Adds a run; the input part of a split backward is found as the backward. */
  addRun(event: Run, local: number): number {
    const id = this.add(event)
    const kind = event.kind === 'Fwd' ? 'Fwd' : 'Bwd'
    this.#runs[kind][this.#cell(event.region, local, event.microbatch)] = id
    return id
  }

  find(kind: 'Fwd' | 'Bwd', region: number, local: number, microbatch: number): number | undefined {
    if (local >= this.#counts[region]) return undefined
    const id = this.#runs[kind][this.#cell(region, local, microbatch)]
    return id >= 0 ? id : undefined
  }

  #cell(region: number, local: number, microbatch: number): number {
    return (this.#slabs[region] + local) * this.#microbatches + microbatch
  }

  link(from: number | undefined, to: number | undefined, type: EdgeType): void {
    if (from !== undefined && to !== undefined) this.edges.push({ from, to, type })
  }
}
