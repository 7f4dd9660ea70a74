import { isPlain, layoutOf } from '../algebra/types.ts'
import { notYet } from '../base/fault.ts'
import type { Measured } from './measured.ts'

/** @throws FaultError NOT_YET outside the timed scope (spec section 2) */
export function checkTimedScope(measured: Measured): void {
  const sharded = measured.regions.filter(region => layoutOf(region.skeleton) === 'Sharded')
  const misplaced = measured.regions.findIndex(
    (region, index) => index > 0 && layoutOf(region.skeleton) === 'Replicated'
  )
  if (misplaced > 0) {
    notYet(
      `regions[${misplaced}]`,
      measured.regions[misplaced].skeleton,
      'timing a Replicated region that is not the source',
      'Make it 1f1b, or use `tropipe derive`, which accepts it untimed.'
    )
  }
  const extended = sharded.find(region => !isPlain(region.skeleton))
  if (extended) {
    notYet(
      'schedule',
      extended.skeleton,
      `timing the skeleton ${extended.skeleton} as an instance`,
      'Use `tropipe derive`, or compare its family on a 1f1b instance.'
    )
  }
  const skeletons = [...new Set(sharded.map(region => region.skeleton))]
  if (skeletons.length > 1) {
    notYet(
      'schedule',
      skeletons,
      'timing Sharded regions of different skeletons',
      'Give all Sharded regions one skeleton.'
    )
  }
}
