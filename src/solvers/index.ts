export { BACKENDS } from './backends.ts'
export type {
  Backend,
  BackendInfo,
  Capabilities,
  Engine,
  Finding,
  Outcome,
  SolveRequest,
  Status,
  Stop
} from './port.ts'
export { backendVersion, type RunOptions, releaseSolvers, runBackend } from './run.ts'
