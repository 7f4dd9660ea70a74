// Removes the build output, so that a deleted source file leaves no stale module behind.
import { rmSync } from 'node:fs'

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true })
