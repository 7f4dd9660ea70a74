import type { Hardware, Link } from './types.ts'

/** Seconds of one transfer of `bytes` over a link: launch + latency + bytes over the sustained bandwidth. */
export function transferSeconds(hardware: Hardware, link: Link, bytes: number): number {
  if (bytes <= 0) return 0
  return alphaSeconds(hardware, link) + bytes / (link.effectiveGBs.value * 1e9)
}

/** The fixed part of a transfer or collective in seconds. */
export function alphaSeconds(hardware: Hardware, link: Link): number {
  return (hardware.overheadUs.transfer.value + link.latencyUs.value) / 1e6
}

/** Collectives of a tensor of `bytes` (whole tensor, all members together). */
export type Collective = 'all-gather' | 'reduce-scatter' | 'all-reduce' | 'all-to-all' | 'broadcast'

/**
 * Seconds of a collective over `members`: alpha + beta * bytes, where each member moves (n-1)/n of the tensor once, an
 * all-reduce twice, and a broadcast pipelines the whole tensor. 0 for one member.
 */
export function collectiveSeconds(
  hardware: Hardware,
  link: Link,
  kind: Collective,
  members: number,
  bytes: number
): number {
  if (members <= 1 || bytes <= 0) return 0
  const share = kind === 'broadcast' ? 1 : (kind === 'all-reduce' ? 2 : 1) * ((members - 1) / members)
  return alphaSeconds(hardware, link) + (share * bytes) / (link.effectiveGBs.value * 1e9)
}

/** Roofline of one piece of work on one device: the slower of arithmetic and memory traffic. */
export type Roofline = { readonly seconds: number; readonly bound: 'compute' | 'memory' }

/**
 * max(flops / (peak * fraction), bytes / (bandwidth * fraction)): `flops` and `bytes` of one device in BF16,
 * `sustained` the fraction of the arithmetic peak.
 */
export function roofline(hardware: Hardware, flops: number, bytes: number, sustained: number): Roofline {
  const compute = flops / (hardware.peakTflops.bf16.value * 1e12 * sustained)
  const memory = bytes / (hardware.memory.bandwidthGBs.value * 1e9 * hardware.sustained.memory.value)
  return compute >= memory ? { seconds: compute, bound: 'compute' } : { seconds: memory, bound: 'memory' }
}
