/** Every different text with a mark for it, in the order in which they come: a, b, ... z, aa, ... */
export function lettered(texts: readonly string[]): ReadonlyMap<string, string> {
  const letter = (index: number): string =>
    (index < 26 ? '' : letter(Math.floor(index / 26) - 1)) + String.fromCharCode(97 + (index % 26))
  return new Map([...new Set(texts)].map((text, index) => [text, letter(index)]))
}
