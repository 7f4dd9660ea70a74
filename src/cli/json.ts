/** Longest array or object that stays on one line. */
const LINE = 120

/** JSON with two-space indentation, in which what is short (an event, a list of numbers) stays on one line. */
export function jsonText(value: unknown): string {
  return `${layOut(JSON.parse(JSON.stringify(value)), '')}\n`
}

function layOut(value: unknown, indent: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const isList = Array.isArray(value)
  const inner = `${indent}  `
  const parts = isList
    ? value.map(item => layOut(item, inner))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${layOut(item, inner)}`)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  if (parts.length === 0) return open + close
  const total = parts.reduce((length, part) => length + part.length + 2, indent.length + 2)
  const flat = parts.every(part => !part.includes('\n')) && (total <= LINE || (isList && value.every(isNumber)))
  if (flat) return isList ? `[${parts.join(', ')}]` : `{ ${parts.join(', ')} }`
  return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${indent}${close}`
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number'
}
