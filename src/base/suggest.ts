import { distance } from 'fastest-levenshtein'

/** The known word that was probably meant, or `undefined` when none is near. */
function suggest(word: string, known: readonly string[]): string | undefined {
  if (word.length > 64) return undefined
  const [best] = known
    .map(candidate => ({ candidate, far: farness(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, far }) => far < Math.max(1, Math.floor(candidate.length / 2)) + 1)
    .sort((a, b) => a.far - b.far || (a.candidate < b.candidate ? -1 : 1))
  return best?.candidate
}

/** Edits between two words; of equally many, letters that only changed places are nearer than other letters. */
function farness(a: string, b: string): number {
  return distance(a, b) + distance(sorted(a), sorted(b)) / 1000
}

function sorted(word: string): string {
  return [...word].sort().join('')
}

/** One line of advice for an unknown word: the nearest of the known ones, and all of them. `also` are known, but not listed. */
export function didYouMean(word: string, known: readonly string[], also: readonly string[] = []): string {
  const best = suggest(word, [...known, ...also])
  const list = known.length > 0 ? `Known here: ${known.join(', ')}.` : 'Remove it.'
  return best ? `Did you mean "${best}"? ${list}` : list
}
