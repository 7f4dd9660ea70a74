// Bundles the command line into dist/bin: a process that starts opens few files, and each command its own part only.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const outdir = resolve(root, 'dist/bin')

/** The parser of command lines loads the child process module for subcommands that are programs of their own: we have none. */
const noProgramsAsCommands = {
  name: 'no-programs-as-commands',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:child_process$/ }, ({ importer, path }) =>
      /node_modules\/commander\//.test(importer) ? { path, namespace: 'absent' } : undefined
    )
    onLoad({ filter: /.*/, namespace: 'absent' }, () => ({ contents: 'module.exports = {}' }))
  }
}

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: ['src/cli/main.ts'],
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // Names stay, so that the stack of a fault can be read.
  minifySyntax: true,
  minifyWhitespace: true,
  metafile: true,
  plugins: [noProgramsAsCommands],
  logLevel: 'warning',
  // Engines are loaded by solver workers, from their own packages.
  external: ['glpk.js', 'highs', 'javascript-lp-solver', 'or-tools-wasm', 'z3-solver'],
  // Packages in CommonJS form ask for Node's own modules this way.
  banner: {
    js: "import{createRequire as tropipeCreateRequire}from'node:module';const require=tropipeCreateRequire(import.meta.url);"
  }
})

const folders = Object.keys(metafile.inputs).flatMap(
  path => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []
)
const licences = [...new Set(folders)].sort().map(folder => licenceOf(resolve(root, folder)))
writeFileSync(join(outdir, 'LICENSES.txt'), licences.join(`\n${'-'.repeat(80)}\n\n`))

/** Name, version and licence text of a package that is part of the bundle. */
function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find(entry => /^licen[cs]e/i.test(entry))
  if (!file) throw new Error(`${name} has no licence text to carry along`)
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
}
