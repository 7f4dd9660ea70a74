import { answer, type Question } from '../../solvers/worker.ts'

/** One JSON question on stdin, one JSON reply as the last line of stdout; the parent kills this process once it has it. */
let text = ''
process.stdin.setEncoding('utf8')
for await (const chunk of process.stdin) text += chunk
const reply = await answer(JSON.parse(text) as Question)
const plain = JSON.stringify(reply, (_, value) => (value instanceof Float64Array ? Array.from(value) : value))
process.stdout.write(`\nreply ${plain}\n`)
