import { isUtf8 } from 'node:buffer'
import { constants } from 'node:fs'
import { access, appendFile, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { FaultError, fail } from '../base/fault.ts'

/** Largest input that is read, in bytes (spec: files over 64 MB are faults). */
const MAX_BYTES = 64 * 1024 * 1024

/** Text of a file; `-` is stdin. @throws FaultError FILE_READ, FILE_TOO_LARGE, NOT_TEXT */
export async function readInput(path: string): Promise<string> {
  if (path === '-') return await decode(path, await readStdinOnce())
  try {
    return await decode(path, await readFile(path))
  } catch (error) {
    if (error instanceof FaultError) throw error
    return fail('FILE_READ', path, path, reasonOf(error, 'cannot read the file'), 'Check the path and its permissions.')
  }
}

/** Writes next to the target and renames, so that a reader, or a crash, never sees half a file. @throws FaultError FILE_WRITE */
export async function writeOutput(path: string, text: string): Promise<void> {
  const { randomBytes } = await import('node:crypto')
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(4).toString('hex')}.tmp`)
  try {
    await writeFile(draft, text, { flag: 'wx' })
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    fail(
      'FILE_WRITE',
      path,
      path,
      reasonOf(error, 'cannot write the file'),
      'Check that the folder exists and is writable.'
    )
  }
}

/** Refuses an output path that cannot be written, before any work is done for it. @throws FaultError FILE_WRITE */
export async function checkOutput(path: string): Promise<void> {
  const what = 'cannot write the file'
  const advice = 'Check that the folder exists and is writable.'
  try {
    await access(dirname(path), constants.W_OK)
  } catch (error) {
    fail('FILE_WRITE', path, path, reasonOf(error, what), advice)
  }
  const target = await stat(path).catch(() => undefined)
  if (target?.isDirectory()) fail('FILE_WRITE', path, path, `${what}: it is a folder`, 'Give the name of a file.')
}

let stdinWasRead = false

async function readStdinOnce(): Promise<Buffer> {
  if (stdinWasRead)
    fail('FILE_READ', '-', '-', 'stdin was read already', 'Give "-" once, and names of files for everything else.')
  stdinWasRead = true
  return readStdin()
}

async function readStdin(): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of process.stdin) {
    size += chunk.length
    if (size > MAX_BYTES) break
    chunks.push(chunk)
  }
  return size > MAX_BYTES ? Buffer.alloc(size) : Buffer.concat(chunks)
}

async function decode(path: string, bytes: Buffer): Promise<string> {
  if (bytes.length > MAX_BYTES) {
    fail(
      'FILE_TOO_LARGE',
      path,
      bytes.length,
      'the file is larger than 64 MB',
      'Split the instance, or shorten its lists.'
    )
  }
  const text = textOf(await inflated(path, bytes))
  const advice = 'Save it as UTF-8, or give another file.'
  return text ?? fail('NOT_TEXT', path, undefined, 'the file is not text in UTF-8', advice)
}

/** UTF-8 without a byte order mark; `undefined` for other bytes. UTF-16 has zeros where its letters are plain. */
function textOf(bytes: Buffer): string | undefined {
  if (!isUtf8(bytes) || bytes.includes(0)) return undefined
  return new TextDecoder().decode(bytes)
}

/** Contents of a gzip file (profiler traces come so), within the same limit; other bytes as they are. */
async function inflated(path: string, bytes: Buffer): Promise<Buffer> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes
  const { gunzipSync } = await import('node:zlib')
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_BYTES })
  } catch (error) {
    const tooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    return fail(
      tooLarge ? 'FILE_TOO_LARGE' : 'FILE_READ',
      path,
      bytes.length,
      tooLarge ? 'unpacked, the file is larger than 64 MB' : 'cannot unpack the file: it is not a whole gzip file',
      tooLarge ? 'Cut the trace to a few steps.' : 'Copy the file again.'
    )
  }
}

function reasonOf(error: unknown, what: string): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      return `${what}: there is no such file or folder`
    case 'EACCES':
    case 'EPERM':
      return `${what}: permission denied`
    case 'EISDIR':
      return `${what}: it is a folder`
    case 'ENOTDIR':
      return `${what}: a part of the path is not a folder`
    case 'ENOSPC':
    case 'EROFS':
      return `${what}: the disk is full or read-only`
    default:
      throw error
  }
}

/** Text of a file, or undefined where there is none yet. @throws FaultError FILE_READ */
export async function textOrNothing(path: string): Promise<string | undefined> {
  try {
    await access(path)
  } catch {
    return undefined
  }
  return readInput(path)
}

/** Adds text to the end of a file, which is made where needed. @throws FaultError FILE_WRITE */
export async function appendTo(path: string, text: string): Promise<void> {
  try {
    await appendFile(path, text)
  } catch (error) {
    fail(
      'FILE_WRITE',
      path,
      path,
      reasonOf(error, 'cannot write the file'),
      'Check that the folder exists and is writable.'
    )
  }
}
