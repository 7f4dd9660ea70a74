import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { Model } from './types.ts'

/** SHA-256 of a text, in hexadecimal: what a certificate names an SMT-LIB text by. */
export function textHash(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)))
}

/** SHA-256 of a model's canonical JSON: what a certificate names a model by. */
export function modelHash(model: Model): string {
  return textHash(JSON.stringify(model))
}
