/** A message as one line of JSON; typed arrays become lists, where JSON would make them objects without a length. */
export function plainJson(message: unknown): string {
  return JSON.stringify(message, (_, value) => (value instanceof Float64Array ? Array.from(value) : value))
}
