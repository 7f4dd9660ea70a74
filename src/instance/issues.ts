import type * as z from 'zod'
import type { Fault } from '../base/fault.ts'
import { didYouMean } from '../base/suggest.ts'
import { brief, type Path, printPath, valueAt } from './path.ts'

type Issue = z.core.$ZodIssue

/** Every fault that a schema finds in a value; of two limits that one number breaks, the narrower. */
export function schemaFaults(root: unknown, schema: z.ZodType, issues: readonly Issue[]): Fault[] {
  const faults = issues.flatMap(issue => faultsOf({ root, schema }, issue, issue.path))
  return [...new Map(faults.map(fault => [`${fault.code} ${fault.path}`, fault])).values()]
}

type Context = { readonly root: unknown; readonly schema: z.ZodType }

function faultsOf(context: Context, issue: Issue, path: Path): Fault[] {
  const value = valueAt(context.root, path)
  const fault = (code: string, message: string, advice: string): Fault[] => [
    { code, path: printPath(path), value: brief(value), message, advice }
  ]
  switch (issue.code) {
    case 'invalid_union':
      return unionFaults(context, issue, path)
    case 'unrecognized_keys':
      return issue.keys.map(key => unknownKey(context, path, key))
    case 'invalid_value': {
      const words = issue.values.map(String)
      if (value === undefined) return fault('MISSING', `${last(path)} is missing`, `Give ${either(words)}.`)
      const code = last(path) === 'format' ? 'FORMAT' : 'VALUE'
      const advice =
        typeof value === 'string' && words.length > 1 ? didYouMean(value, words) : `Write ${either(words)}.`
      return fault(code, `${last(path)} must be ${either(words)}`, advice)
    }
    case 'invalid_type':
      return fault(...typeFault(value, issue.expected, last(path)))
    case 'too_small':
      return fault(...smallFault(value, issue))
    case 'too_big':
      return fault(...bigFault(value, issue))
    case 'invalid_format':
      return fault('NAME', `${last(path)} is not a plain name`, NAME_ADVICE)
    case 'custom':
      return fault('TEXT', `${last(path)} has control characters`, 'Remove them; line breaks and tabs are fine.')
    default:
      return fault('VALUE', issue.message, 'Correct this value.')
  }
}

type Wording = [code: string, message: string, advice: string]

function typeFault(value: unknown, expected: string, name: string): Wording {
  const noun = NOUNS[expected] ?? expected
  if (value === undefined) return ['MISSING', `${name} is missing`, `Give ${noun}.`]
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return ['NOT_FINITE', `${name} is not a finite number`, 'Give a finite number.']
    if (expected === 'int') return ['NOT_INTEGER', `${name} must be a whole number`, 'Give a whole number.']
  }
  const quoted = typeof value === 'string' && (expected === 'number' || expected === 'int')
  return ['TYPE', `${name} must be ${noun}`, quoted ? 'Write the number without quotes and units.' : `Give ${noun}.`]
}

const NOUNS: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping'
}

function smallFault(value: unknown, issue: { readonly minimum: number | bigint; readonly origin: string }): Wording {
  if (issue.origin !== 'number' && issue.origin !== 'int') {
    return ['EMPTY_LIST', 'the list is empty', `Give at least ${issue.minimum} entry.`]
  }
  if (typeof value === 'number' && value < 0) return ['NEGATIVE', 'the number is negative', 'Give 0 or more.']
  return ['RANGE', `the number is below ${issue.minimum}`, `Give ${issue.minimum} or more.`]
}

function bigFault(value: unknown, issue: { readonly maximum: number | bigint; readonly origin: string }): Wording {
  if (issue.origin === 'string') return ['TEXT_LENGTH', `the text is over ${issue.maximum} characters`, 'Shorten it.']
  if (value === Number.POSITIVE_INFINITY) return ['NOT_FINITE', 'the number is not finite', 'Give a finite number.']
  if (issue.origin === 'number' && Number(issue.maximum) === Number.MAX_SAFE_INTEGER) {
    return ['TOO_LARGE', 'the number is above 2^53 - 1', 'Use a coarser unit, or check the number.']
  }
  return ['RANGE', `the number is above ${issue.maximum}`, `Give ${issue.maximum} or less.`]
}

const NAME_ADVICE = 'Use a letter, then letters, digits, "_", "-" or ".", at most 64 characters.'

/** The faults of the alternative that the value's shape fits; a shape that fits none is one fault. */
function unionFaults(context: Context, issue: Issue & { code: 'invalid_union' }, path: Path): Fault[] {
  if (issue.errors.length === 0) {
    const value = brief(valueAt(context.root, path))
    const advice = `Use a known ${last(path)}; the JSON Schema under schema/ lists them.`
    return [{ code: 'VALUE', path: printPath(path), value, message: `${last(path)} is not a known one`, advice }]
  }
  const fitting = issue.errors.find(
    issues =>
      !issues.some(
        inner => inner.path.length === 0 && inner.code === 'invalid_type' && !isBadNumber(inner, context, path)
      )
  )
  if (fitting) return fitting.flatMap(inner => faultsOf(context, inner, [...path, ...inner.path]))
  const value = valueAt(context.root, path)
  const expected = issue.errors.flatMap(issues => (issues[0]?.code === 'invalid_type' ? [issues[0].expected] : []))
  const noun = either(expected.map(type => NOUNS[type] ?? type))
  const [code, message, advice] = typeFault(value, noun, last(path))
  const quoted = typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))
  return [
    {
      code,
      path: printPath(path),
      value: brief(value),
      message,
      advice: quoted ? 'Write the number without quotes.' : advice
    }
  ]
}

/** NaN and infinities are of the right kind for a number, though the schema reports them as a wrong type. */
function isBadNumber(issue: Issue, context: Context, path: Path): boolean {
  return issue.code === 'invalid_type' && issue.expected === 'number' && typeof valueAt(context.root, path) === 'number'
}

function unknownKey(context: Context, path: Path, key: string): Fault {
  const name = printPath([...path, key])
  const value = brief(valueAt(context.root, [...path, key]))
  const advice = didYouMean(key, knownKeys(context, path))
  return { code: 'UNKNOWN_KEY', path: name, value, message: `${JSON.stringify(key)} is not a known key`, advice }
}

/** Keys that the schema knows at a path; the first object of a union that is met. */
function knownKeys(context: Context, path: Path): readonly string[] {
  return Object.keys(objectAt(context.schema, path)?.def.shape ?? {})
}

type AnyObject = z.core.$ZodObject['_zod']

function objectAt(schema: z.core.$ZodType, path: Path): AnyObject | undefined {
  const def = schema._zod.def as unknown as Record<string, unknown> & { type: string }
  if (def.innerType) return objectAt(def.innerType as z.core.$ZodType, path)
  if (def.type === 'union') {
    for (const option of def.options as readonly z.core.$ZodType[]) {
      const found = objectAt(option, path)
      if (found) return found
    }
    return undefined
  }
  if (path.length === 0) return def.type === 'object' ? (schema as z.core.$ZodObject)._zod : undefined
  const [step, ...rest] = path
  if (def.type === 'array') return objectAt(def.element as z.core.$ZodType, rest)
  const child = def.type === 'object' ? (def.shape as Record<PropertyKey, z.core.$ZodType>)[step] : undefined
  return child && objectAt(child, rest)
}

function last(path: Path): string {
  const step = path.at(-1)
  if (step === undefined) return 'the document'
  return typeof step === 'number' ? `entry ${step}` : String(step)
}

function either(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? 'a value') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}
