import { resolve } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

/** Bundles an entry for a browser; whatever resolves to a Node built-in fails the build. */
async function bundle(entry: string, external: readonly string[] = []): Promise<{ bytes: number; inputs: string[] }> {
  const result = await build({
    entryPoints: [resolve(root, entry)],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    external: [...external],
    logLevel: 'silent'
  })
  return { bytes: result.outputFiles[0].contents.length, inputs: Object.keys(result.metafile.inputs) }
}

describe('bundles for a browser', () => {
  it('the main export needs no Node built-in and carries no solver', async () => {
    const { bytes, inputs } = await bundle('src/index.ts')
    expect(bytes).toBeGreaterThan(100_000)
    expect(
      inputs.filter(path => /node_modules\/(highs|z3-solver|glpk\.js|or-tools-wasm|javascript-lp-solver)/.test(path))
    ).toEqual([])
    expect(inputs.filter(path => path.includes('src/host/node'))).toEqual([])
    expect(inputs.some(path => path.endsWith('src/optimize/optimize.ts'))).toBe(true)
  })

  it('the browser host too', async () => {
    const { inputs } = await bundle('src/host/browser/index.ts')
    expect(inputs.filter(path => path.includes('node_modules'))).toEqual([])
  })
})
