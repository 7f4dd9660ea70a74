/** Public API of `tropipe`: no Node built-ins; what needs a machine comes in through a `Host` (`tropipe/node`). */
export { type Derivation, derive } from './algebra/derive.ts'
export { type DerivedOrder, deriveOrder, type OrderOptions } from './algebra/derive-order.ts'
export { type Gates, gatesOf } from './algebra/gates.ts'
export { type SymbolicMakespan, symbolicMakespan, weightedBy } from './algebra/maxplus/closed-form.ts'
export { type Denotation, denote } from './algebra/maxplus/denotation.ts'
export { printTerm } from './algebra/maxplus/polynomial.ts'
export { type Regime, regimesOf } from './algebra/maxplus/regimes.ts'
export { normalise } from './algebra/normal-form.ts'
export { parseSchedule, printSchedule } from './algebra/notation.ts'
export { type ParallelSource, parallelSources } from './algebra/parallel.ts'
export { bidirectionalFeed } from './algebra/placement.ts'
export { type RuntimeRequest, runtimeOrder } from './algebra/runtime/hyper-parallel.ts'
export { type Seam, seamsOf } from './algebra/seams.ts'
export type { Layout, RegionShape, Shape, Skeleton } from './algebra/types.ts'
export { type Fault, FaultError } from './base/fault.ts'
export {
  type Compared,
  type CompareOptions,
  type Comparison,
  compareFamilies,
  compareSchedules,
  type Metrics,
  type Row
} from './compare/compare.ts'
export { encodePlacementMilp } from './encoding/index.ts'
export {
  CUT_FORMATS,
  detectFormat,
  READERS,
  type Reader,
  type ReadResult,
  WRITERS,
  type WriteResult,
  type Writer
} from './formats/index.ts'
export { HARDWARE, hardwareByName } from './hardware/presets.ts'
export type { Hardware } from './hardware/types.ts'
export { FAMILIES, familyById } from './heuristics/index.ts'
export type { Host } from './host/port.ts'
export {
  type InstanceDocument,
  instanceHash,
  measure,
  type ParsedInstance,
  parseInstance,
  writeInstance
} from './instance/index.ts'
export { checkModelled, type ModelledDocument } from './instance/modelled-schema.ts'
export { type Draw, drawMeasured, drawModelled } from './model/draws.ts'
export { type Imported, importHuggingFace, joinTowers } from './model/import/huggingface.ts'
export { importMindSpeed, type MindSpeedModel } from './model/import/mindspeed.ts'
export { expandModelled, type LoadedInstance, loadInstance } from './model/load.ts'
export type { Modelled } from './model/modelled.ts'
export { readProfile } from './model/profile/read.ts'
export { instanceOfProfile, type Profiled } from './model/profile/to-instance.ts'
export { type CutAnswer, optimizeCut } from './optimize/cuts.ts'
export { type ResultDocument, toResultDocument } from './optimize/document.ts'
export { optimize } from './optimize/optimize.ts'
export type { Answer, CrossCheck, Progress, SolveOptions, SolveResult } from './optimize/types.ts'
export { lineChart, type Series } from './report/charts/lines.ts'
export { type NamedPoint, paretoChart, paretoFront } from './report/charts/pareto.ts'
export { comparisonReport } from './report/html/comparison.ts'
export { htmlReport } from './report/html/report.ts'
export type { Report } from './report/html/types.ts'
export { type Picture, pictureOf, pictureOfDocument } from './report/picture.ts'
export { type GanttOptions, gantt } from './report/svg/gantt.ts'
export { comparisonCsv, comparisonMarkdown, comparisonText } from './report/text/comparison.ts'
export { ganttText } from './report/text/gantt.ts'
export { resultText } from './report/text/result.ts'
export type { Style } from './report/text/style.ts'
export { bodyOrder, bodySequences } from './schedule/body.ts'
export { buildProblem } from './schedule/build.ts'
export type { Certificate, Evidence } from './schedule/certificate.ts'
export { type ClosedForm, closedForm } from './schedule/closed-form.ts'
export { fromDocument, type ScheduleDocument, type TimedEvent, toDocument } from './schedule/document.ts'
export { evaluate } from './schedule/evaluate.ts'
export type { Evaluation } from './schedule/evaluation.ts'
export type { Family, FamilyOrder } from './schedule/family.ts'
export { type Cause, type IdleInterval, idleByCause, idleIntervals } from './schedule/idle.ts'
export type { Measured } from './schedule/measured.ts'
export { memoryProfiles, peakBytes } from './schedule/memory.ts'
export {
  bubbleOverWork,
  bubbleRatio,
  busyTicks,
  idleTicks,
  peakInFlight,
  spanTicks,
  utilisation
} from './schedule/metrics.ts'
export { tickWeights } from './schedule/named.ts'
export type { Problem, Schedule, Sequences } from './schedule/problem.ts'
export { BACKENDS, backendVersion, releaseSolvers, runBackend } from './solvers/index.ts'
export { checkOrder, type OrderVerdict } from './verify/transport/check.ts'
export { type Repair, repairTransfers } from './verify/transport/repair.ts'
export { type Verdict, type Verified, verify } from './verify/verify.ts'
export type { Violation } from './verify/violation.ts'
