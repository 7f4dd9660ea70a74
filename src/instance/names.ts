/**
 * A plain name: a letter, then letters, digits, `_`, `-` and `.`, at most 64 characters: no markup, no control
 * character, and no word that every object already answers to.
 */
export const PLAIN_NAME =
  /^(?!(?:constructor|hasOwnProperty|isPrototypeOf|propertyIsEnumerable|toLocaleString|toString|valueOf)$)[A-Za-z][A-Za-z0-9._-]{0,63}$/

/** Whether a free text is printable: line breaks and tabs are the only control characters. */
export function isPlainText(text: string): boolean {
  return !/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(text.replaceAll(/[\n\r\t]/g, ''))
}
