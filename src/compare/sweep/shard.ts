import { fail } from '../../base/fault.ts'

/** Part `index` (from 0) of `count`. */
export type Shard = { readonly index: number; readonly count: number }

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads `i/n` (1/4 .. 4/4), or `auto`: the index variables of a Slurm array, or of a Kubernetes indexed job, which states
 * no count: `auto/n`, or a variable JOB_COMPLETIONS of the job.
 * @throws FaultError SHARD_SYNTAX, NO_SHARD_VARIABLES
 */
export function parseShard(text: string, environment: Environment): Shard {
  const plain = /^(\d{1,6})\/(\d{1,6})$/.exec(text)
  if (plain) return checked(Number(plain[1]) - 1, Number(plain[2]), text)
  const auto = /^auto(?:\/(\d{1,6}))?$/.exec(text)
  if (!auto)
    return fail('SHARD_SYNTAX', '--shard', text, 'a shard is i/n or auto', 'Write 1/4 .. 4/4, auto, or auto/4.')
  return fromEnvironment(environment, auto[1] === undefined ? undefined : Number(auto[1]), text)
}

function fromEnvironment(environment: Environment, stated: number | undefined, text: string): Shard {
  const number = (name: string) => {
    const value = environment[name]
    return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : undefined
  }
  const task = number('SLURM_ARRAY_TASK_ID')
  if (task !== undefined) {
    const first = number('SLURM_ARRAY_TASK_MIN') ?? 0
    const step = number('SLURM_ARRAY_TASK_STEP') ?? 1
    const count = stated ?? number('SLURM_ARRAY_TASK_COUNT')
    if (count !== undefined) return checked((task - first) / step, count, text)
  }
  const index = number('JOB_COMPLETION_INDEX')
  const count = stated ?? number('JOB_COMPLETIONS')
  if (index !== undefined && count !== undefined) return checked(index, count, text)
  const missing =
    index === undefined && task === undefined
      ? 'neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX is set'
      : 'the number of shards is not known'
  return fail(
    'NO_SHARD_VARIABLES',
    '--shard',
    text,
    missing,
    'Give --shard i/n, or auto/n where the job states no count.'
  )
}

function checked(index: number, count: number, text: string): Shard {
  if (Number.isInteger(index) && index >= 0 && index < count) return { index, count }
  return fail('SHARD_SYNTAX', '--shard', text, `there is no part ${index + 1} of ${count}`, 'Write 1/4 .. 4/4.')
}

/** Whether a shard runs the point with this index: points are dealt round, so that shards take about equally long. */
export function inShard({ index, count }: Shard, point: number): boolean {
  return point % count === index
}
