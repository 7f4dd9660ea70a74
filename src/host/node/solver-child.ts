import { answer, type Question } from '../../solvers/worker.ts'
import { plainJson } from './plain-json.ts'

/** One JSON question on stdin, findings and then one reply as lines of stdout; the parent kills this process once it has it. */
let text = ''
process.stdin.setEncoding('utf8')
for await (const chunk of process.stdin) text += chunk
/** Engines print where they like, so a message of ours begins on a line of its own. */
function write(word: 'finding' | 'reply', message: unknown): void {
  process.stdout.write(`\n${word} ${plainJson(message)}\n`)
}

write('reply', await answer(JSON.parse(text) as Question, ({ finding }) => write('finding', finding)))
