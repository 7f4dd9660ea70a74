import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../../shared/data')

/** Whether the collection of files from outside is there; tests that need it are skipped visibly without it. */
export const hasShared = existsSync(root)

/** Text of a file of the collection. */
export function sharedText(folder: string, name: string): string {
  return readFileSync(join(root, folder, name), 'utf8')
}

/** File names of a folder of the collection; none where it is absent. */
export function sharedFiles(folder: string): string[] {
  return hasShared ? readdirSync(join(root, folder)).sort() : []
}
