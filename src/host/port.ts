/** A worker that hosts one solver backend at a time; messages are structured-clone data. */
export type WorkerHandle = {
  readonly post: (message: unknown) => void
  /** Called for each message; replaces the listener set before. */
  readonly onMessage: (listener: (message: unknown) => void) => void
  /** Called once when the worker ends or fails, with readable text where it failed; replaces the listener set before. */
  readonly onExit: (listener: (error: string | undefined) => void) => void
  /** Stops it, even in the middle of a computation. */
  readonly terminate: () => Promise<void>
  /** Whether the process stays alive for it (an idle worker must not keep it alive). */
  readonly keepAlive: (alive: boolean) => void
}

/** How a child process is to be run. `memoryBytes` is a cap on its resident memory, watched from outside. */
export type ProcessRequest = {
  readonly command: string
  readonly args: readonly string[]
  readonly stdin?: string
  readonly timeoutMs?: number
  readonly memoryBytes?: number
  readonly signal?: AbortSignal
  /** Called with each whole line of its output as it comes; `true` stops the child: some exit long after their answer. */
  readonly onLine?: (line: string) => boolean
}

/** How a child process ended; `absent` means that there is no such program. Output is cut at a few megabytes. */
export type ProcessResult = {
  readonly end: 'exit' | 'signal' | 'timeout' | 'memory' | 'cancelled' | 'absent' | 'answered'
  readonly code: number | undefined
  readonly stdout: string
  readonly stderr: string
}

/** Child processes, where the surroundings have them. */
export type Processes = {
  readonly run: (request: ProcessRequest) => Promise<ProcessResult>
  /** Runs the solver child of this package with one JSON message in and one out. */
  readonly runSolverChild: (
    message: unknown,
    limits: Omit<ProcessRequest, 'command' | 'args'>
  ) => Promise<ProcessResult>
  /** Path of a program on PATH, or undefined. */
  readonly find: (program: string) => Promise<string | undefined>
}

/** Text files, where the surroundings have them. */
export type Files = {
  readonly readText: (path: string) => Promise<string>
  /** Replaces the file in one step: no reader ever sees half of it. */
  readonly writeText: (path: string, text: string) => Promise<void>
  /** Runs `use` with a fresh folder that is removed afterwards. */
  readonly withTempFolder: <T>(use: (folder: string) => Promise<T>) => Promise<T>
}

/** Everything that the product needs from its surroundings. One object per process or page; passed down, never global. */
export type Host = {
  readonly platform: 'node' | 'browser'
  /** Milliseconds on a clock that never runs backwards. */
  readonly now: () => number
  /** Calls back once after `ms`; returns the cancellation. */
  readonly after: (ms: number, callback: () => void) => () => void
  /** Starts a solver worker of this package. */
  readonly spawnSolver: () => WorkerHandle
  /** Threads that may compute at once, at least 1. */
  readonly parallelism: number
  readonly processes?: Processes
  readonly files?: Files
  readonly env: (name: string) => string | undefined
}
