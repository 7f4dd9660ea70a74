import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Solver packages that an answer may rest on. */
const SOLVERS = ['glpk.js', 'highs', 'z3-solver', 'javascript-lp-solver', 'or-tools-wasm'] as const

/** Version of this package. */
export async function ownVersion(): Promise<string> {
  return (await manifestAbove(dirname(fileURLToPath(import.meta.url)), 'tropipe')) ?? 'unknown'
}

/** Name and version of this tool, of Node and of every solver package; absent ones say so. */
export async function allVersions(): Promise<readonly (readonly [name: string, version: string])[]> {
  const solvers = await Promise.all(
    SOLVERS.map(async name => [name, (await installedVersion(name)) ?? 'not installed'] as const)
  )
  return [['tropipe', await ownVersion()], ['node', process.versions.node], ...solvers]
}

/** Version of an installed package; its manifest need not be exported. */
async function installedVersion(name: string): Promise<string | undefined> {
  try {
    return await manifestAbove(dirname(fileURLToPath(import.meta.resolve(name))), name)
  } catch {
    return undefined
  }
}

async function manifestAbove(folder: string, name: string): Promise<string | undefined> {
  try {
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    if (manifest.name === name) return manifest.version
  } catch {
    // no manifest here: look further up
  }
  const parent = dirname(folder)
  return parent === folder ? undefined : manifestAbove(parent, name)
}
