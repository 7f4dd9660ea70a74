import type { Model } from '../../encoding/model/types.ts'
import { writeMps } from '../../encoding/text/mps.ts'
import { writeMzn } from '../../encoding/text/mzn.ts'
import { writeSmt2 } from '../../encoding/text/smt2.ts'

/** How a native program is called: the model file it reads, and its arguments. */
export type Call = {
  readonly file: string
  readonly text: string
  /** Settings that a program takes from a file only. */
  readonly options?: string
  readonly args: (paths: Paths) => readonly string[]
}

/** `solution` is the file in which a program that does not print it leaves its point, `options` that of its settings. */
export type Paths = {
  readonly model: string
  readonly solution: string
  readonly options: string
  readonly seconds: number
}

/** The call of a program for a model that it takes; undefined where it does not. */
export function toCall(program: string, model: Model): Call | undefined {
  if (program === 'glpsol' && model.kind === 'milp')
    return {
      file: 'model.mps',
      text: writeMps(model),
      args: ({ model, solution, seconds }) => [
        '--freemps',
        model,
        '--tmlim',
        String(Math.ceil(seconds)),
        '-w',
        solution
      ]
    }
  if (program === 'cbc' && model.kind === 'milp')
    return {
      file: 'model.mps',
      text: writeMps(model),
      args: ({ model, solution, seconds }) => [
        model,
        '-ratio',
        '0',
        '-allow',
        '0',
        '-sec',
        String(seconds),
        '-solve',
        '-solu',
        solution
      ]
    }
  if (program === 'highs' && model.kind === 'milp')
    return {
      file: 'model.mps',
      text: writeMps(model),
      // By default it calls 0.01 % optimal.
      options: 'mip_rel_gap = 0\nmip_abs_gap = 0\n',
      args: ({ model, solution, options, seconds }) => [
        '--model_file',
        model,
        '--options_file',
        options,
        '--time_limit',
        String(seconds),
        '--solution_file',
        solution
      ]
    }
  if (program === 'z3' && model.kind === 'smt')
    return {
      file: 'model.smt2',
      text: writeSmt2(model, { values: true }),
      args: ({ model, seconds }) => [`-T:${Math.ceil(seconds)}`, model]
    }
  if (program === 'minizinc' && model.kind === 'cp')
    return {
      file: 'model.mzn',
      text: writeMzn(model),
      args: ({ model, seconds }) => ['--solver', 'gecode', '--time-limit', String(Math.ceil(seconds * 1000)), model]
    }
  return undefined
}
