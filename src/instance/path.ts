/** Steps into a document: mapping keys and list indices. */
export type Path = readonly PropertyKey[]

/** Prints `['regions', 0, 'a b']` as `regions[0]["a b"]`. */
export function printPath(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    const key = String(step)
    if (!/^[A-Za-z_][\w-]*$/.test(key)) return `${text}[${JSON.stringify(key)}]`
    return text === '' ? key : `${text}.${key}`
  }, '')
}

/** The value at a path, `undefined` where there is none. Own properties only. */
export function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, step) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    return (value as Record<PropertyKey, unknown>)[step]
  }, root)
}

/** What a fault shows of a value: scalars as they are (cut when long), containers by their size. */
export function brief(value: unknown): unknown {
  if (Array.isArray(value)) return `list of ${value.length}`
  if (typeof value === 'object' && value !== null) return `mapping of ${Object.keys(value).length}`
  if (typeof value === 'string' && value.length > 120) return `${value.slice(0, 117)}...`
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
}
