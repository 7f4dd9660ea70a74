import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { runHere } from './cli/memory-io.ts'
import { ROOT } from './cli/run.ts'

const run = promisify(execFile)
const readme = readFileSync(resolve(ROOT, 'README.md'), 'utf8')
const scripts: Record<string, string> = JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8')).scripts

/** Contents of the fenced blocks of one language. */
function blocks(language: string): string[] {
  return [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, body]) => body)
}

const commands = blocks('sh').flatMap(block =>
  block
    .replace(/\\\n\s*/g, '')
    .trim()
    .split('\n')
)
/** What cannot run inside a test run; `.ci/run` runs it on a clean clone. */
const OUTSIDE = ['npm ci', 'npm test']

describe('README', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tropipe-readme-'))
  for (const name of ['instances', 'examples']) symlinkSync(resolve(ROOT, name), join(folder, name))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('every command works, in the order given', { timeout: 180_000 }, async () => {
    const ran: string[] = []
    for (const command of commands.filter(line => !OUTSIDE.includes(line))) {
      const line = command === 'npm start' ? scripts.start : command
      const script = line.replaceAll('npx tropipe', 'tropipe').replaceAll('node bin/tropipe.js', 'tropipe')
      const shell = `tropipe() { '${process.execPath}' '${resolve(ROOT, 'bin/tropipe.js')}' "$@"; }\n${script}`
      const { stdout } = await run('sh', ['-ec', shell], { cwd: folder })
      expect(stdout.length, command).toBeGreaterThan(command.includes(' -o ') ? -1 : 40)
      ran.push(command)
    }
    expect(ran.length).toBeGreaterThanOrEqual(7)
    expect(ran.filter(command => command.startsWith('npx tropipe')).length).toBeGreaterThanOrEqual(6)
  })

  it('what runs outside is run by the pipeline', () => {
    const pipeline = readFileSync(resolve(ROOT, '.ci/run'), 'utf8').split('\n')
    for (const command of OUTSIDE) expect(pipeline).toContain(command)
    expect(commands).toEqual(expect.arrayContaining(OUTSIDE))
  })

  it('the picture is what the command prints', async () => {
    const [solved, compared] = blocks('text')
    const solve = await runHere(['solve', 'instances/smoke/frozen-4x8-e15.yaml'], { columns: 80 })
    for (const line of solved.split('\n').filter(text => !text.startsWith('rank'))) expect(solve.stdout).toContain(line)
    const compare = await runHere(['compare', 'instances/smoke/frozen-4x8-e15.yaml'], { columns: 80 })
    const squeezed = (text: string) => text.split('\n').map(line => line.trim().replace(/ +/g, ' '))
    expect(squeezed(compare.stdout)).toEqual(expect.arrayContaining(squeezed(compared).filter(Boolean)))
  })

  it('the instance is valid and has a schedule', async () => {
    const [instance] = blocks('yaml')
    const { code, stdout } = await runHere(['solve', '-', '--time-limit', '5s', '--json'], { stdin: instance })
    expect(code).toBe(0)
    expect(JSON.parse(stdout).instance.name).toBe('my-step')
  })

  it('the library example runs', async () => {
    const [example] = blocks('ts')
    const text = readFileSync(resolve(ROOT, 'instances/smoke/frozen-4x8-e15.yaml'), 'utf8')
    const program = `const text = ${JSON.stringify(text)}\n${example}`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: ROOT })
    expect(stdout).toMatch(/^361 /)
  })
})
