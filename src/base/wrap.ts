/** No-break space: keeps two words together while lines are broken, and is printed as a space. */
const NBSP = '\u00a0'

/** Spaces between a number and the word after it, which is its unit more often than not, and behind a sign. */
const INSIDE = /(?<=(?:^|[\s(=])[-+]?\d(?:[\d.,]*\d)?) (?=[a-zA-Z%µ])|(?<=(?:^|\s)[-+=]) (?=\w)/g

/** Where a line may be broken: at spaces, but not between a number and its unit, nor behind a sign. */
export function words(text: string): string[] {
  return text.replace(INSIDE, NBSP).split(' ')
}

/** The spaces that kept words together, as they are printed. */
export function unglued(text: string): string {
  return text.replaceAll(NBSP, ' ')
}

/** Breaks text at spaces into lines of at most `width`, after `head` on the first line and `indent` on the others. */
export function wrap(text: string, width: number, indent = '', head = indent): string {
  const lines: string[] = []
  let line = head
  let started = false
  for (const word of words(text)) {
    const joined = started ? `${line} ${word}` : line + word
    if (joined.length > width && started) {
      lines.push(line.trimEnd())
      line = indent + word
    } else line = joined
    started = true
  }
  return unglued([...lines, line].join('\n'))
}

/** Text as a line of its own, with its end, that continues below indented by two more. */
export function line(text: string, width: number, indent = ''): string {
  return `${wrap(text, width, `${indent}  `, indent)}\n`
}

/**
 * Breaks the lines of a text that are longer than `width`, what continues indented by two more. Lines laid out in columns
 * (two spaces inside) stay as they are.
 */
export function reflow(text: string, width: number): string {
  return text
    .split('\n')
    .map(line => {
      const [indent] = /^ */.exec(line) ?? ['']
      const body = line.slice(indent.length)
      return line.length <= width || body.includes('  ') ? line : wrap(body, width, `${indent}  `, indent)
    })
    .join('\n')
}
