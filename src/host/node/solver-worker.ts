import { parentPort } from 'node:worker_threads'
import { answer, type Question } from '../../solvers/worker.ts'

parentPort?.on('message', async (question: Question) => parentPort?.postMessage(await answer(question)))
