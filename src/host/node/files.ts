import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Files } from '../port.ts'

/** Text files of this machine. */
export const nodeFiles: Files = {
  readText: path => readFile(path, 'utf8'),
  writeText: async (path, text) => {
    const draft = join(dirname(path), `.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`)
    try {
      await writeFile(draft, text)
      await rename(draft, path)
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
  },
  withTempFolder: async use => {
    const folder = await mkdtemp(join(tmpdir(), 'tropipe-'))
    try {
      return await use(folder)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
}
