/** Bytes of one GiB. */
export const GIB = 2 ** 30

/** Whole microseconds; work that exists takes at least one. */
export function us(seconds: number): number {
  return seconds === 0 ? 0 : Math.max(1, Math.round(seconds * 1e6))
}

/** Bytes as GiB with one decimal. */
export function gib(bytes: number): string {
  return (bytes / GIB).toFixed(1)
}

/** FLOPs as TFLOP with four digits. */
export function tera(flops: number): string {
  return Number((flops / 1e12).toPrecision(4)).toString()
}
