import { parseRange, type Range } from '../values.ts'
import type { OptionTable } from './spec.ts'

/** Orders that come from elsewhere: what they are read as, what they become, how strongly they are proved. */
export type OrderConfig = {
  readonly to: string | undefined
  readonly repair: boolean
  readonly from: string | undefined
  readonly instance: string | undefined
  readonly allDurations: boolean
  readonly optimal: boolean
  readonly family: string | undefined
  readonly rankRange: Range | undefined
  readonly microbatchRange: Range | undefined
}

/** Their rows. */
export const ORDER_OPTIONS: OptionTable<OrderConfig> = {
  to: { flag: 'to', value: 'FORMAT', help: 'format to write', fallback: undefined },
  repair: { flag: 'repair', help: 'list the transfers anew, so that the order hangs on no transport', fallback: false },
  from: {
    flag: 'from',
    value: 'FORMAT',
    help: 'format to read (default: found out from the text)',
    fallback: undefined
  },
  instance: {
    flag: 'instance',
    value: 'FILE',
    help: 'the instance that a schedule or order is for',
    fallback: undefined
  },
  allDurations: {
    flag: 'all-durations',
    help: 'prove the order for every duration, not these times alone',
    fallback: false
  },
  optimal: { flag: 'optimal', help: 'check the certificate of a result again, by other means', fallback: false },
  family: {
    flag: 'family',
    value: 'SPEC',
    help: 'prove every order of a schedule such as "<transpose, 1f1b>", for all sizes in the ranges',
    fallback: undefined
  },
  rankRange: {
    flag: 'ranks',
    value: 'a..b',
    help: 'numbers of ranks, with --family',
    fallback: undefined,
    parse: parseRange
  },
  microbatchRange: {
    flag: 'microbatches',
    value: 'c..d',
    help: 'numbers of microbatches, with --family',
    fallback: undefined,
    parse: parseRange
  }
}
