import { type Fault, FaultError } from '../../base/fault.ts'
import type { Assumption } from '../assumption.ts'

/** What one import finds wrong and fills in. */
export type Notes = { readonly faults: Fault[]; readonly assumptions: Assumption[] }

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>

/** Whether a value is a JSON object (not a list). */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Own property of a JSON object; `undefined` for absent and for null. */
export function own(json: Json, key: string): unknown {
  return Object.hasOwn(json, key) && json[key] !== null ? json[key] : undefined
}

/** What is used where a key is missing, and why that is right. */
export type Fallback = { readonly value: number; readonly why: string }

const LARGEST = 16_777_216

/**
 * Reads numbers out of one object of a config under several possible names, collecting faults and what was filled in.
 * `field` names the part of the model in assumptions, `path` the place in the file.
 */
export class Reader {
  readonly json: Json
  readonly path: string
  readonly field: string
  readonly notes: Notes
  readonly #defaults: Readonly<Record<string, number>>
  readonly #type: string

  constructor(
    json: Json,
    place: { readonly path: string; readonly field: string; readonly type: string },
    notes: Notes,
    defaults: Readonly<Record<string, number>> = {}
  ) {
    this.json = json
    this.path = place.path
    this.field = place.field
    this.notes = notes
    this.#type = place.type
    this.#defaults = defaults
  }

  /** A positive whole number under the first key that is there; else the fallback, else the default of the model type. */
  count(name: string, keys: readonly string[], fallback?: Fallback, least = 1): number {
    const key = keys.find(one => own(this.json, one) !== undefined)
    if (key !== undefined) return this.#checked(key, own(this.json, key), least)
    if (fallback) return this.#filled(name, fallback)
    if (Object.hasOwn(this.#defaults, name))
      return this.#filled(name, { value: this.#defaults[name], why: `default of model type ${this.#type}` })
    this.notes.faults.push({
      code: 'CONFIG_MISSING',
      path: this.#at(keys[0]),
      value: undefined,
      message: `${keys.join(' or ')} is missing, and model type ${this.#type} has no default for it`,
      advice: `Add ${keys[0]} to the config, or take the model's complete config.json.`
    })
    return 1
  }

  /** True, false, or the fallback where the key is missing. */
  flag(keys: readonly string[], fallback: boolean): boolean {
    const key = keys.find(one => typeof own(this.json, one) === 'boolean')
    return key === undefined ? fallback : (this.json[key] as boolean)
  }

  /** Whether any of the keys is there. */
  has(...keys: readonly string[]): boolean {
    return keys.some(key => own(this.json, key) !== undefined)
  }

  /** A list, or undefined. */
  list(key: string): readonly unknown[] | undefined {
    const value = own(this.json, key)
    return Array.isArray(value) ? value : undefined
  }

  /** Notes a decision that is not a plain number. */
  assume(name: string, value: string | number | boolean, why: string): void {
    this.notes.assumptions.push({ field: `${this.field}.${name}`, value, why })
  }

  #at(key: string): string {
    return this.path ? `${this.path}.${key}` : key
  }

  #filled(name: string, fallback: Fallback): number {
    this.assume(name, fallback.value, fallback.why)
    return fallback.value
  }

  #checked(key: string, value: unknown, least: number): number {
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= LARGEST) return value
    this.notes.faults.push({
      code: 'CONFIG_VALUE',
      path: this.#at(key),
      value,
      message: `${key} must be a whole number from ${least} to ${LARGEST}`,
      advice: 'Compare with the config.json that the model was published with.'
    })
    return Math.max(1, least)
  }
}

/** Throws what an import collected, if anything. */
export function throwFaults(notes: Notes): void {
  if (notes.faults.length > 0) throw new FaultError(notes.faults)
}
