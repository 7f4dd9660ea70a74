import fs from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { answer, type Question } from '../../solvers/worker.ts'
import { muteStandardStreams } from './mute.ts'

muteStandardStreams(fs)
const post = (message: unknown) => parentPort?.postMessage(message)
parentPort?.on('message', async (question: Question) => post(await answer(question, post)))
