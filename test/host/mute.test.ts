import { expect, it } from 'vitest'
import { muteStandardStreams } from '../../src/host/node/mute.ts'

it('drops what goes to the standard streams, and nothing else', () => {
  const written: unknown[][] = []
  const fs = {
    writeSync: (fd: number, ...rest: string[]) => {
      written.push([fd, ...rest])
      return rest.join('').length
    }
  }
  muteStandardStreams(fs as never)
  expect([fs.writeSync(1, 'out'), fs.writeSync(2, 'err'), fs.writeSync(7, 'file', 'x')]).toEqual([0, 0, 5])
  expect(written).toEqual([[7, 'file', 'x']])
})
