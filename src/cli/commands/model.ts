import { FaultError } from '../../base/fault.ts'
import { unitSentence } from '../../hardware/explain.ts'
import { nodeHost } from '../../host/node/index.ts'
import { type InstanceDocument, type Syntax, writeInstance } from '../../instance/index.ts'
import { checkModelled, type ModelledDocument } from '../../instance/modelled-schema.ts'
import { toModelDocument, toProfileDocument } from '../../model/document.ts'
import { expandResolved } from '../../model/load.ts'
import type { Modelled } from '../../model/modelled.ts'
import { readProfile } from '../../model/profile/read.ts'
import { instanceOfProfile } from '../../model/profile/to-instance.ts'
import { hardwareOf, resolvePlan } from '../../model/resolve.ts'
import { withBestCuts } from '../../optimize/model-cuts.ts'
import { modelText } from '../../report/text/model.ts'
import { profileText } from '../../report/text/profile.ts'
import { releaseSolvers } from '../../solvers/index.ts'
import { defineCommand } from '../command.ts'
import { EXIT } from '../exit.ts'
import { type Io, printDocument } from '../io.ts'
import { atOptions, MODEL_OPTIONS, type ModelOptions, mappingOf, nameOf, readModelled } from '../model-options.ts'

/** `tropipe model`: from a model config, hardware and a workload to a measured instance. */
export const model = defineCommand({
  details:
    'Reads a Hugging Face config.json or a MindSpeed-MM model.json (--config), an instance in the modelled form (FILE), or the files of a profile (--profile). -o writes the measured instance that solve and compare take; --json prints a tropipe.model/1 document.',
  options: MODEL_OPTIONS,
  examples: [
    'tropipe model --config examples/configs/qwen2.5-vl-7b.json --hardware ascend-910c --ranks 8 --microbatches 16 -o qwen.yaml',
    'tropipe model --config examples/configs/qwen3.5-9b.json --hardware ascend-910c --ranks 8 --microbatches 16 --cut best -o best.yaml',
    'tropipe model --profile rank0.json.gz,rank1.json.gz -o measured.yaml',
    'tropipe model --config examples/configs/deepseek-v3.json --vision examples/configs/qwen2-vl-vit.json --hardware cloudmatrix384 --ranks 8 --microbatches 64 --tp 8 --dp 8 --ep 64'
  ],
  run: async ({ operands: [file], options, io }) => {
    if (options.profile) return profiled(options.profile, options, io)
    const mapping = file === undefined ? await mappingOf(options, io) : await readModelled(file, io)
    const checked = checkModelled(mapping)
    if (!checked.ok) throw new FaultError(file === undefined ? atOptions(checked.faults) : checked.faults, file)
    const modelled = await expand(checked.document, options, io).catch(error => {
      throw file === undefined && error instanceof FaultError ? new FaultError(atOptions(error.faults)) : error
    })
    await save(modelled.document, options.output, io)
    if (options.json) await printDocument(io, toModelDocument(modelled))
    else io.out(modelText(viewOf(modelled, hardwareOf(checked.document.hardware)), io.style))
    saved(options, io)
    return EXIT.done
  }
})

/** The measured instance, with the best cuts where they are asked for. */
async function expand(document: ModelledDocument, { cut, timeLimit }: ModelOptions, io: Io): Promise<Modelled> {
  const resolved = resolvePlan(document)
  if (cut !== 'best') return expandResolved(document, resolved)
  const host = nodeHost()
  io.err('searching the best cuts\n')
  try {
    const best = await withBestCuts(resolved.plan, host, { timeLimitMs: timeLimit })
    return expandResolved(document, { plan: best.plan, assumptions: [...resolved.assumptions, ...best.assumptions] })
  } finally {
    await releaseSolvers(host)
  }
}

async function save(document: InstanceDocument, output: string | undefined, io: Io): Promise<void> {
  if (output !== undefined) await io.write(output, writeInstance(document, syntaxOfOutput(output)))
}

function saved({ output, json }: ModelOptions, io: Io): void {
  if (output !== undefined && !json) io.out(`\nwrote ${output}\n`)
}

/** An instance out of the files of a profile. */
async function profiled(paths: readonly string[], options: ModelOptions, io: Io) {
  const files = []
  for (const name of paths) files.push({ name, text: await io.read(name) })
  const { ranks, microbatches, trainable } = options
  const found = instanceOfProfile(readProfile(files), {
    name: nameOf(paths[0]),
    trainable,
    ...(ranks === undefined ? {} : { ranks }),
    ...(microbatches === undefined ? {} : { microbatches })
  })
  await save(found.document, options.output, io)
  if (options.json) await printDocument(io, toProfileDocument(found))
  else io.out(profileText(found, io.style))
  saved(options, io)
  return EXIT.done
}

function viewOf(modelled: Modelled, hardware: ReturnType<typeof hardwareOf>) {
  const { document, counts, flopsPerToken, assumptions, derivations, warnings } = modelled
  const name = `${document.name}  ${document.schedule}  ${document.ranks} ranks x ${document.microbatches} microbatches`
  return {
    name,
    hardware: `${hardware.title}: ${unitSentence(hardware)}`,
    counts,
    flopsPerToken,
    assumptions,
    derivations,
    warnings
  }
}

function syntaxOfOutput(path: string): Syntax {
  return /\.json$/i.test(path) ? 'json' : 'yaml'
}
