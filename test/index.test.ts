import { resolve } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import * as api from '../src/index.ts'
import { ROOT } from './cli/run.ts'

describe('public API', () => {
  it('bundles for a browser without Node built-ins', async () => {
    const { outputFiles, warnings, metafile } = await build({
      entryPoints: [resolve(ROOT, 'src/index.ts')],
      bundle: true,
      platform: 'browser',
      format: 'esm',
      write: false,
      metafile: true
    })
    expect(warnings).toEqual([])
    expect(outputFiles[0].text).not.toMatch(/from\s*["']node:|require\(["']/)
    expect(Object.keys(metafile.inputs).filter(path => /src\/(host\/node|cli)\//.test(path))).toEqual([])
    expect(Object.keys(metafile.inputs).length).toBeGreaterThan(40)
  })

  it('derives, evaluates, verifies and compares without a host', () => {
    const yaml = `
format: tropipe.instance/1
name: tiny
ranks: 2
microbatches: 3
schedule: "<transpose, 1f1b>"
regions:
  - { name: vision, trainable: false, stages: [{ forward: 3, backward: 0 }] }
  - { name: llm, trainable: true, stages: [{ forward: 2, backward: 4 }, { forward: 2, backward: 4 }] }
`
    const parsed = api.parseInstance(yaml, 'yaml')
    if (!parsed.ok) throw new Error('invalid')
    const order = api.familyById('transpose-full')?.apply(parsed.measured)
    if (order?.kind !== 'order') throw new Error('not applicable')
    const evaluation = api.evaluate(order.problem, order.sequences)
    if (evaluation.kind === 'cycle') throw new Error('cycle')
    const document = api.toDocument(order.problem, evaluation.schedule)
    expect(api.verify(parsed.measured, document)).toMatchObject({ legal: true })
    expect(api.compareFamilies(parsed.measured).rows.length).toBeGreaterThan(4)
    expect(api.ganttText(document, { columns: 80, colour: false, unicode: true })).toContain('rank 1')
  })

  it('exports nothing by accident', () => {
    expect(Object.keys(api).sort()).toMatchInlineSnapshot(`
      [
        "BACKENDS",
        "CUT_FORMATS",
        "FAMILIES",
        "FaultError",
        "HARDWARE",
        "READERS",
        "WRITERS",
        "backendVersion",
        "bidirectionalFeed",
        "bodyOrder",
        "bodySequences",
        "bubbleOverWork",
        "bubbleRatio",
        "buildProblem",
        "busyTicks",
        "checkModelled",
        "checkOrder",
        "closedForm",
        "compareFamilies",
        "compareSchedules",
        "comparisonCsv",
        "comparisonMarkdown",
        "comparisonReport",
        "comparisonText",
        "denote",
        "derive",
        "deriveOrder",
        "detectFormat",
        "drawMeasured",
        "drawModelled",
        "encodePlacementMilp",
        "evaluate",
        "expandModelled",
        "familyById",
        "fromDocument",
        "gantt",
        "ganttText",
        "gatesOf",
        "hardwareByName",
        "htmlReport",
        "idleByCause",
        "idleIntervals",
        "idleTicks",
        "importHuggingFace",
        "importMindSpeed",
        "instanceHash",
        "instanceOfProfile",
        "joinTowers",
        "lineChart",
        "loadInstance",
        "measure",
        "memoryProfiles",
        "normalise",
        "optimize",
        "optimizeCut",
        "parallelSources",
        "paretoChart",
        "paretoFront",
        "parseInstance",
        "parseSchedule",
        "peakBytes",
        "peakInFlight",
        "pictureOf",
        "pictureOfDocument",
        "printSchedule",
        "printTerm",
        "readProfile",
        "regimesOf",
        "releaseSolvers",
        "repairTransfers",
        "resultText",
        "runBackend",
        "runtimeOrder",
        "seamsOf",
        "spanTicks",
        "symbolicMakespan",
        "tickWeights",
        "toDocument",
        "toResultDocument",
        "utilisation",
        "verify",
        "weightedBy",
        "writeInstance",
      ]
    `)
  })
})
