import { closest, distance } from 'fastest-levenshtein'

/** The known word that was probably meant, or `undefined` when none is near. */
function suggest(word: string, known: readonly string[]): string | undefined {
  if (known.length === 0 || word.length > 64) return undefined
  const best = closest(word.toLowerCase(), [...known].sort())
  return distance(word.toLowerCase(), best.toLowerCase()) <= Math.max(1, Math.floor(best.length / 2)) ? best : undefined
}

/** One line of advice for an unknown word. */
export function didYouMean(word: string, known: readonly string[]): string {
  const best = suggest(word, known)
  const list = known.length > 0 ? `Known here: ${known.join(', ')}.` : 'Remove it.'
  return best ? `Did you mean "${best}"? ${list}` : list
}
