/** Columns that an example takes in `--help` and in the docs. */
const WIDTH = 80

/** A command line that a shell reads from several lines: broken before options, each line but the last ended by `\`. */
export function commandLines(command: string, indent = ''): string {
  const parts = command.split(/ (?=--?[a-z])/)
  const lines = [parts[0]]
  for (const part of parts.slice(1)) {
    const joined = `${lines[lines.length - 1]} ${part}`
    if (indent.length + joined.length + 2 <= WIDTH) lines[lines.length - 1] = joined
    else lines.push(`  ${part}`)
  }
  return lines.map(line => indent + line).join(' \\\n')
}
