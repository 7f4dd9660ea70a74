/** Whether a name is plain: no markup, no control character, nothing that an object already answers to. */
export function isPlainName(name: string): boolean {
  return /^[A-Za-z][A-Za-z0-9._-]{0,63}$/.test(name) && !(name in Object.prototype)
}

/** Whether a free text is printable: line breaks and tabs are the only control characters. */
export function isPlainText(text: string): boolean {
  return !/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(text.replaceAll(/[\n\r\t]/g, ''))
}
