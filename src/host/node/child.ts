import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import type { ProcessRequest, ProcessResult } from '../port.ts'

const LONGEST_OUTPUT = 64 * 2 ** 20
const WATCH_MS = 100

/** Runs one child process to its end. */
export function runChild(request: ProcessRequest): Promise<ProcessResult> {
  return new Promise(resolve => {
    const child = spawn(request.command, [...request.args], { stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true })
    const run = new Run(child, request, resolve)
    run.start()
  })
}

/** One child: collects its output, watches time and memory, and ends it with SIGKILL (exits may lag by seconds). */
class Run {
  #stdout = ''
  #stderr = ''
  #line = ''
  #end: ProcessResult['end'] | undefined
  #timers: NodeJS.Timeout[] = []

  constructor(
    readonly child: ChildProcess,
    readonly request: ProcessRequest,
    readonly resolve: (result: ProcessResult) => void
  ) {}

  start(): void {
    const { child, request } = this
    child.stdout?.setEncoding('utf8').on('data', (text: string) => this.#read(text))
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (this.#stderr.length < LONGEST_OUTPUT) this.#stderr += text
    })
    child.stdin?.on('error', () => {})
    child.stdin?.end(request.stdin ?? '')
    if (request.timeoutMs !== undefined)
      this.#timers.push(setTimeout(() => this.#stop('timeout'), Math.min(request.timeoutMs, 2 ** 31 - 1)))
    if (request.memoryBytes !== undefined)
      this.#timers.push(setInterval(() => void this.#watchMemory(request.memoryBytes as number), WATCH_MS))
    request.signal?.addEventListener('abort', this.#abort)
    if (request.signal?.aborted) this.#abort()
    child.on('error', error =>
      this.#finish('code' in error && error.code === 'ENOENT' ? 'absent' : 'signal', undefined, String(error))
    )
    child.on('close', code => this.#finish(this.#end ?? (code === null ? 'signal' : 'exit'), code ?? undefined))
  }

  readonly #abort = () => this.#stop('cancelled')

  #read(text: string): void {
    if (this.#stdout.length < LONGEST_OUTPUT) this.#stdout += text
    if (!this.request.onLine) return
    const lines = (this.#line + text).split('\n')
    this.#line = lines.pop() ?? ''
    if (lines.some(line => this.request.onLine?.(line))) this.#stop('answered')
  }

  async #watchMemory(limit: number): Promise<void> {
    if ((await residentBytes(this.child.pid)) > limit) this.#stop('memory')
  }

  #stop(end: ProcessResult['end']): void {
    if (this.#end) return
    this.#end = end
    this.child.kill('SIGKILL')
  }

  #finish(end: ProcessResult['end'], code: number | undefined, error = ''): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.request.signal?.removeEventListener('abort', this.#abort)
    this.resolve({ end, code, stdout: this.#stdout, stderr: this.#stderr + error })
  }
}

/** Resident memory of a process in bytes; 0 where it cannot be told (then only the engine's own limit applies). */
async function residentBytes(pid: number | undefined): Promise<number> {
  if (pid === undefined) return 0
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024
}
