/** Attributes of an element; `undefined` and `false` leave the attribute out. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;'
}

/**
 * Text as character data or attribute value of XML and HTML: markup characters become entities; characters that XML
 * forbids (control characters, lone surrogates) become U+FFFD.
 */
export function escapeText(text: string): string {
  return text
    .replace(LONE_SURROGATE, '\ufffd')
    .replace(FORBIDDEN, '\ufffd')
    .replace(/[&<>"']/g, character => ENTITIES[character])
}

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** What XML 1.0 forbids, and the bidirectional overrides that make a name look like another. */
const FORBIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to replace
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/g

/** An element with escaped attributes; `children` is markup already. Numbers keep at most two decimals. */
export function element(name: string, attributes: Attributes = {}, ...children: readonly string[]): string {
  const list = Object.entries(attributes)
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([key, value]) => (value === true ? ` ${key}=""` : ` ${key}="${escapeText(show(value as string | number))}"`))
    .join('')
  return children.length === 0 ? `<${name}${list}/>` : `<${name}${list}>${children.join('')}</${name}>`
}

/** Character data. */
export function text(value: string): string {
  return escapeText(value)
}

function show(value: string | number): string {
  return typeof value === 'number' ? String(Math.round(value * 100) / 100) : value
}
