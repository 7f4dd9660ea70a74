import type { Backend } from '../port.ts'
import { NATIVE_INFOS } from './info.ts'
import { nativeEngine, runNative } from './run.ts'

/** Native programs, each found on PATH when it is asked for. They run beside this process, so no worker is needed. */
export const backends: readonly Backend[] = NATIVE_INFOS.map(info => {
  const program = info.id.replace('native:', '')
  return {
    ...info,
    solve: async (request, { host, signal } = {}) => {
      if (!host) throw new Error(`${info.id} needs a host`)
      return runNative(program, request, host, signal)
    },
    version: async host => {
      if (!host?.processes) throw new Error(`${info.id} is not installed`)
      return nativeEngine(program, host.processes)
    }
  }
})
