import { fail } from '../base/fault.ts'
import { didYouMean } from '../base/suggest.ts'
import { SKELETONS, type Skeleton } from './types.ts'

/**
 * Reads `<transpose, 1f1b>` into its skeletons; the paper's angle brackets (U+27E8, U+27E9, U+3008, U+3009) are accepted as well.
 * @throws FaultError SCHEDULE_SYNTAX
 */
export function parseSchedule(text: string): Skeleton[] {
  const body = /^\s*[<\u27e8\u3008\u2329]([^<>\u27e8\u27e9\u3008\u3009\u2329\u232a]*)[>\u27e9\u3009\u232a]\s*$/.exec(
    text
  )
  if (!body) {
    fail(
      'SCHEDULE_SYNTAX',
      'schedule',
      text,
      'a schedule is a list of skeletons in angle brackets',
      'Write for example "<transpose, 1f1b>".'
    )
  }
  return body[1].split(',').map((part, index) => {
    const name = part.trim().toLowerCase()
    const skeleton = SKELETONS.find(known => known === name)
    if (!skeleton) {
      fail('UNKNOWN_SKELETON', `schedule[${index}]`, part.trim(), `"${part.trim()}" is not a skeleton`, adviceFor(name))
    }
    return skeleton
  })
}

/** Advice for a word that is no skeleton; it may be several of them. */
function adviceFor(name: string): string {
  const words = name.split(/\s+/)
  const several = words.length > 1 && words.every(word => SKELETONS.some(known => known === word))
  return several ? `Put commas between skeletons: "<${words.join(', ')}>".` : didYouMean(name, SKELETONS)
}

/** Prints skeletons in the notation that `parseSchedule` reads back. */
export function printSchedule(skeletons: readonly Skeleton[]): string {
  return `<${skeletons.join(', ')}>`
}
