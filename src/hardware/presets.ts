import { fail } from '../base/fault.ts'
import { didYouMean } from '../base/suggest.ts'
import { ASCEND } from './ascend.ts'
import { NVIDIA } from './nvidia.ts'
import type { Hardware } from './types.ts'

/** Every preset, in the order of the list that people see. */
export const HARDWARE: readonly Hardware[] = [...ASCEND, ...NVIDIA]

/** The preset of that id or alias, whatever the case; throws HARDWARE_UNKNOWN with the names that exist. */
export function hardwareByName(name: string, path = 'hardware'): Hardware {
  const wanted = name.trim().toLowerCase()
  const found = HARDWARE.find(one => one.id === wanted || one.aliases.includes(wanted))
  if (found) return found
  return fail(
    'HARDWARE_UNKNOWN',
    path,
    name,
    `there is no hardware preset "${name}"`,
    `${didYouMean(
      wanted,
      HARDWARE.map(one => one.id),
      HARDWARE.flatMap(one => one.aliases)
    )} \`tropipe hardware\` explains them.`
  )
}
