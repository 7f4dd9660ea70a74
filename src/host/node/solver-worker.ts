import fs from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { answer, type Question } from '../../solvers/worker.ts'
import { muteStandardStreams } from './mute.ts'

muteStandardStreams(fs)
parentPort?.on('message', async (question: Question) => parentPort?.postMessage(await answer(question)))
