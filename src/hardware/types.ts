/** How far a number can be trusted: two agreeing primary sources, one primary source, secondary or inferred. */
export type Confidence = 'high' | 'medium' | 'low'

/** A number with where it comes from. The unit is part of the name of the field that holds it. */
export type Sourced = {
  readonly value: number
  readonly source: string
  readonly confidence: Confidence
  readonly note?: string
}

/** A sustained fraction of a peak (0..1] with the range that published systems span. */
export type Fraction = Sourced & { readonly low: number; readonly high: number }

/** How far apart two devices are; `self` needs no link. Ordered from near to far. */
export const HOPS = ['self', 'card', 'node', 'supernode', 'across'] as const
export type Hop = (typeof HOPS)[number]

/** One direction of a link between two devices, as an alpha-beta model. */
export type Link = {
  readonly name: string
  /** GB/s (1e9 bytes), one direction, per device: datasheet or simulator peak. */
  readonly peakGBs: Sourced
  /** GB/s that a transfer sustains. */
  readonly effectiveGBs: Sourced
  /** Microseconds on the wire and in the switches. */
  readonly latencyUs: Sourced
}

/** How devices are packed; 1 supernode level where the scale-up domain is the node. */
export type Topology = {
  readonly devicesPerCard: number
  readonly cardsPerNode: number
  readonly nodesPerSupernode: number
}

/** One piece of hardware. `deviceUnit` says what one device is: everything per device hangs on it by a factor of 2. */
export type Hardware = {
  readonly id: string
  readonly title: string
  readonly aliases: readonly string[]
  readonly deviceUnit: 'die' | 'card'
  /** Dense peak in TFLOPS (1e12 multiply and add operations per second) by number format. */
  readonly peakTflops: { readonly bf16: Sourced } & Readonly<Record<string, Sourced>>
  readonly memory: {
    readonly nominalGiB: Sourced
    /** More than this does not fit in practice. */
    readonly hardGiB: Sourced
    /** What planners leave for parameters, optimizer states and activations. */
    readonly safeGiB: Sourced
    /** GB/s (1e9 bytes). */
    readonly bandwidthGBs: Sourced
  }
  readonly sustained: {
    readonly denseLlm: Fraction
    readonly moeLlm: Fraction
    readonly vit: Fraction
    /** Upper end that a single matrix product reaches. */
    readonly kernel: Fraction
    /** Of the memory bandwidth. */
    readonly memory: Fraction
  }
  /** Host time per call, microseconds. */
  readonly overheadUs: { readonly matmul: Sourced; readonly vector: Sourced; readonly transfer: Sourced }
  readonly topology: Topology
  readonly links: Readonly<Record<Exclude<Hop, 'self'>, Link>>
  readonly notes: readonly string[]
}
