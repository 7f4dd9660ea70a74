import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import type { Io } from '../../src/cli/io.ts'
import { buildProgram } from '../../src/cli/program.ts'

const goldens = resolve(import.meta.dirname, '../../../shared/data/hyperparallel-golden')
const files = existsSync(goldens) ? readdirSync(goldens).filter(name => name.endsWith('.json')) : []

/** Runs the command line in this process and returns what it prints. */
async function derive(args: readonly string[]): Promise<string> {
  let printed = ''
  const io = {
    style: { columns: 100, colour: false },
    out: (text: string) => {
      printed += text
    },
    err: () => {}
  } as unknown as Io
  await buildProgram(COMMANDS, io, () => {}).parseAsync(['derive', ...args], { from: 'user' })
  return printed
}

/** The command line that asks for what a golden file's configuration names. */
function commandLine(config: Record<string, unknown>): string[] {
  const mpipe = config.pp_schedule === 'mpipe'
  const spec = mpipe ? '<transpose, 1f1b>' : config.pp_schedule === 'gpipe' ? '<gpipe>' : '<1f1b>'
  return [
    spec,
    ...['--ranks', String(config.pp), '--microbatches', String(config.micro_batch_num)],
    ...['--runtime', 'hyper-parallel', '--json'],
    ...(config.pp_schedule === 'interleaved' ? ['--body', 'interleaved', '--chunks', String(config.vpp)] : []),
    ...(config.pp_less_memory ? ['--less-memory'] : []),
    ...(config.overlap_b_f ? ['--overlap-b-f'] : []),
    ...(mpipe ? ['--layers', String(config.pp_mpipe_transpose_layers)] : []),
    ...(mpipe ? ['--overflow', String(config.pp_mpipe_transpose_overflow)] : []),
    ...(mpipe ? ['--backward', config.pp_mpipe_owner_backward ? 'owner' : 'first-rank'] : []),
    ...(config.preprocess_trainable ? ['--trainable'] : [])
  ]
}

describe('derive --runtime hyper-parallel', () => {
  it.skipIf(files.length === 0).each(files.length > 0 ? files : ['(absent)'])('prints %s', async name => {
    const golden = JSON.parse(readFileSync(join(goldens, name), 'utf8'))
    const document = JSON.parse(await derive(commandLine(golden.config)))
    expect(document.exec_order).toEqual(golden.exec_order)
    expect(document.peak_in_flight).toEqual(golden.metrics.peak_inflight_micro_chunks_per_rank)
  })

  it('prints an order for people', async () => {
    const text = await derive([
      '<transpose, 1f1b>',
      '--ranks',
      '2',
      '--microbatches',
      '2',
      '--runtime',
      'hyper-parallel'
    ])
    expect(text).toContain('rank 0  E0 er1 F0 fs0 F1 fs1 br0 B0 br1 B1')
    expect(text).toContain('Peak in flight per rank: 2, 1')
  })

  it('refuses what the runtime does not have', async () => {
    const size = ['--ranks', '2', '--microbatches', '2', '--runtime', 'hyper-parallel']
    await expect(derive(['<1f1b, gpipe>', ...size])).rejects.toThrow(/RUNTIME_SCHEDULE/)
    await expect(derive(['<1f1b>', '--chunks', '2', '--body', '1f1b', ...size])).rejects.toThrow(/RUNTIME_CHUNKS/)
  })
})
