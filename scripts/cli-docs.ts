// Writes docs/cli.md from the option table (`npm run docs`).
import { writeFileSync } from 'node:fs'
import { COMMANDS } from '../src/cli/commands/index.ts'
import { cliReference } from '../src/cli/reference.ts'

writeFileSync(new URL('../docs/cli.md', import.meta.url), await cliReference(COMMANDS))
