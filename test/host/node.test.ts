import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { nodeHost } from '../../src/host/node/index.ts'

const host = nodeHost()
const processes = host.processes as NonNullable<typeof host.processes>
const files = host.files as NonNullable<typeof host.files>
const node = (script: string) => ({ command: process.execPath, args: ['-e', script] })

describe('child processes', () => {
  it('returns output and code', async () => {
    const result = await processes.run({ ...node('console.log(1); console.error(2); process.exit(3)') })
    expect(result).toEqual({ end: 'exit', code: 3, stdout: '1\n', stderr: '2\n' })
  })

  it('passes stdin', async () => {
    const echo = 'process.stdin.on("data", d => process.stdout.write(String(d).toUpperCase()))'
    expect((await processes.run({ ...node(echo), stdin: 'abc' })).stdout).toBe('ABC')
  })

  it('stops one that runs too long', async () => {
    const result = await processes.run({ ...node('for (;;) {}'), timeoutMs: 500 })
    expect(result.end).toBe('timeout')
  })

  it('stops one that takes too much memory', async () => {
    const hog = 'const all = []; setInterval(() => all.push(Buffer.alloc(2e7, 1)), 10)'
    const result = await processes.run({ ...node(hog), memoryBytes: 300e6, timeoutMs: 30_000 })
    expect(result.end).toBe('memory')
  })

  it('stops one that has answered', async () => {
    const lags = 'console.log("reply 5"); setInterval(() => {}, 1000)'
    const result = await processes.run({ ...node(lags), onLine: line => line.startsWith('reply'), timeoutMs: 20_000 })
    expect(result).toMatchObject({ end: 'answered', stdout: 'reply 5\n' })
  })

  it('stops one that is cancelled', async () => {
    const abort = new AbortController()
    setTimeout(() => abort.abort(), 100)
    const result = await processes.run({ ...node('for (;;) {}'), signal: abort.signal })
    expect(result.end).toBe('cancelled')
  })

  it('says that there is no such program', async () => {
    expect((await processes.run({ command: 'no-such-program-anywhere', args: [] })).end).toBe('absent')
    expect(await processes.find('no-such-program-anywhere')).toBeUndefined()
  })
})

describe('files', () => {
  it('writes whole files and leaves no drafts', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tropipe-test-'))
    await files.writeText(join(folder, 'a.txt'), 'one')
    await files.writeText(join(folder, 'a.txt'), 'two')
    expect(readdirSync(folder)).toEqual(['a.txt'])
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('two')
    await expect(files.writeText(join(folder, 'none', 'a.txt'), 'x')).rejects.toThrow()
    rmSync(folder, { recursive: true })
  })

  it('gives a folder for a while', async () => {
    const seen = await files.withTempFolder(async folder => {
      await files.writeText(`${folder}/x`, 'y')
      return folder
    })
    expect(() => readdirSync(seen)).toThrow()
  })
})
