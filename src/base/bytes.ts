const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const

/** Bytes with a decimal prefix and three significant digits, e.g. `12.3 GB`. */
export function showBytes(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log10(bytes) / 3))
  const scaled = bytes / 1000 ** power
  return `${power === 0 ? scaled : scaled.toPrecision(3)} ${BYTE_UNITS[power]}`
}
