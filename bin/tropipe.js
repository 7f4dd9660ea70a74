#!/usr/bin/env node
import module from 'node:module'

// Later Node versions keep what they compiled for the next start.
module.enableCompileCache?.()
await import('../dist/bin/main.js')
