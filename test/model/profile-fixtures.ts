import { range } from '../../src/base/arrays.ts'

/** Small traces and tables written for these tests, in the shapes that the profilers document. */

type Times = (kind: string, stage: number, microbatch: number, step: number) => number

/** Two ranks, three microbatches: F 100, B 200; microbatch 1 is twice as long on the encoder; step 0 is slow. */
export const usual: Times = (kind, stage, microbatch, step) => {
  const base = { F: 100, B: 200, E: 40, EB: 0 }[kind] ?? 0
  const encoder = stage < 0 && microbatch === 1 ? 2 : 1
  return base * encoder * (step === 0 ? 3 : 1) + step
}

/** One rank's events in the order of a step. */
function actions(rank: number): readonly (readonly [name: string, kind: string, stage: number, microbatch: number])[] {
  const encodes = range(3)
    .filter(m => m % 2 === rank)
    .map(m => [`MPIPE:MPIPE_TRANSPOSE_FWD:${m}`, 'E', -1, m] as const)
  const body = range(3).flatMap(m => [
    [`PP:${rank}F${m}`, 'F', rank, m] as const,
    [`PP:${rank}SEND_F${m}`, 'SEND', rank, m] as const,
    [`PP:${rank}B${m}`, 'B', rank, m] as const
  ])
  return [...encodes, ...body]
}

/** PyTorch: an object, numeric timestamps, host and device spans, ProfilerStep marks. */
export function torchTrace(rank: number, steps: number, times: Times = usual): string {
  let at = 1_000_000
  const events: object[] = [{ ph: 'M', name: 'process_name', pid: 1, args: { name: 'python' } }]
  for (const step of range(steps)) {
    events.push({ ph: 'X', cat: 'user_annotation', name: `ProfilerStep#${step + 5}`, pid: 1, tid: 1, ts: at, dur: 9 })
    for (const [name, kind, stage, microbatch] of actions(rank)) {
      const dur = times(kind, stage, microbatch, step)
      events.push({ ph: 'X', cat: 'user_annotation', name, pid: 1, tid: 1, ts: at, dur: 1 })
      events.push({ ph: 'X', cat: 'gpu_user_annotation', name, pid: 0, tid: 7, ts: at + 0.5, dur })
      at += 10_000
    }
  }
  return JSON.stringify({ schemaVersion: 1, distributedInfo: { rank, world_size: 2 }, traceEvents: events })
}

/** Ascend: a bare list, timestamps as strings, spans on a process labelled NPU, no step marks. */
export function ascendTrace(rank: number, steps: number, times: Times = usual): string {
  const events: object[] = [
    { ph: 'M', name: 'process_name', pid: 31, tid: 0, args: { name: 'Ascend Hardware' } },
    { ph: 'M', name: 'process_labels', pid: 31, tid: 0, args: { labels: 'NPU' } },
    { ph: 's', bp: 'e', name: 'async', id: 3, pid: 30, tid: 1, ts: '1704161511420306.250', cat: 'async_npu' }
  ]
  let at = 1704161511420306n
  for (const step of range(steps))
    for (const [name, kind, stage, microbatch] of actions(rank)) {
      const dur = times(kind, stage, microbatch, step)
      events.push({ ph: 'X', name, pid: 30, tid: 1, ts: `${at}.125`, dur: 1, args: {} })
      events.push({ ph: 'X', name, pid: 31, tid: 3, ts: `${at}.750`, dur, args: { 'Task Type': 'Other' } })
      at += 5000n
    }
  return JSON.stringify(events)
}

/** A trace as an Ascend profiler writes it without any marker. */
export const unmarked = JSON.stringify([
  { ph: 'X', name: 'aten::empty', pid: 1, tid: 1, ts: '1704161511420306.491', dur: 13.08, cat: 'cpu_op', args: {} },
  { ph: 'X', name: 'Computing', pid: 2, tid: 0, ts: '1704161511422904.204', dur: 1.35 }
])

/** Times of two stages and an encoder over four steps, with one outlier. */
export const stageTimes = [
  'kind,stage,microbatch,step,duration_ms',
  ...range(4).flatMap(step =>
    range(3).flatMap(m => [
      `E,,${m},${step},${m === 2 ? 0 : 5 + m}`,
      ...range(2).flatMap(stage => [
        `F,${stage},${m},${step},${step === 0 ? 30 : 10}`,
        `I,${stage},${m},${step},12`,
        `W,${stage},${m},${step},${step === 2 && m === 1 && stage === 1 ? 99 : 8}`
      ])
    ])
  )
].join('\n')

/** As `cluster_step_trace_time.csv`: four ranks, one summary row. */
export const clusterSteps = `Step,Type,Index,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble
,rank,0,900,10,1,11,40,950,0
,rank,1,1200,10,1,11,40,950,0
,rank,2,600,10,1,11,40,950,0
,rank,3,600,10,1,11,40,950,0
,stage,"(0, 1, 2, 3)",1200,10,1,11,40,950,0
`

/** As `step_trace_time.csv` of one rank. */
export const oneRankSteps = `Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,Preparing
0,11,900.5,10,1,11,40,950,0,3
0,12,880.5,10,1,11,40,950,0,3
0,13,890.5,10,1,11,40,950,0,3
`

/** As `kernel_details.csv`: quoted start times with a tab, shapes with doubled quotes, a communication row. */
export const kernels = `Step Id,Model ID,Task ID,Stream ID,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Input Shapes
7,1,1,2,MatMul_1,MatMulV2,AI_CORE,"1736413971558972.912\t",300.5,1,"""8,4;4,2"""
7,1,2,2,Add_1,Add,AI_VECTOR_CORE,"1736413971559972.912\t",100.5,1,"""8,4"""
7,1,N/A,N/A,hcom_send_1,hcom_send_,HCCL,1736413971559999.5,9999,1,N/A
8,1,1,2,MatMul_1,MatMulV2,AI_CORE,"1736413971659972.912\t",401,1,"""8,4;4,2"""
`
