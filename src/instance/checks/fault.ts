import type { Fault } from '../../base/fault.ts'
import { brief, type Path, printPath } from '../path.ts'

/** A fault at a path of the document. */
export function faultAt(code: string, path: Path, value: unknown, message: string, advice: string): Fault {
  return { code, path: printPath(path), value: brief(value), message, advice }
}
