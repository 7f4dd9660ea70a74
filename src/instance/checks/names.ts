import type { Fault } from '../../base/fault.ts'
import { didYouMean } from '../../base/suggest.ts'
import { PLAIN_NAME } from '../names.ts'
import { faultAt } from './fault.ts'
import { mapping, type View } from './raw.ts'

/** Region names that clash, and reductions of regions that are not there. */
export function nameFaults(view: View): Fault[] {
  const names = view.regions.map(region => region.value.name)
  const clashes = view.regions.flatMap(({ path, value: { name } }, index) => {
    const first = names.indexOf(name)
    if (typeof name !== 'string' || first === index) return []
    const message = `the name ${JSON.stringify(name)} is taken by regions[${first}]`
    return [faultAt('NAME_CLASH', [...path, 'name'], name, message, 'Give every region its own name.')]
  })
  const known = names.filter((name): name is string => typeof name === 'string' && PLAIN_NAME.test(name))
  const reduce = mapping(mapping(view.root.communication).reduce)
  const unknown = Object.keys(reduce)
    .filter(name => !known.includes(name))
    .map(name => {
      const path = ['communication', 'reduce', name]
      return faultAt('UNKNOWN_REGION', path, reduce[name], 'there is no region of this name', didYouMean(name, known))
    })
  return [...clashes, ...unknown]
}
