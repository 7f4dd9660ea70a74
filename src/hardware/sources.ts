import type { Confidence, Fraction, Link, Sourced } from './types.ts'

/** Where the numbers of the presets come from, by short name. */
export const SOURCES = {
  simulator: 'Ascend/msmodeling@84fec853 tensor_cast/device.py',
  roce: 'Ascend/msmodeling docs/design/a3_roce_device_profile_design.md',
  cloudMatrix: 'arXiv 2506.12708 (CloudMatrix384)',
  hccl: 'HCCL measurements on A3 dies, CANN 8.5 (Horacehxw/msModeling comm_alignment_report_20260312)',
  tuner: 'mindspore-ai/hyper-parallel@fdd0a808 auto_parallel/fast-tuner (memory limit)',
  pangu: 'arXiv 2505.04519 (Pangu Ultra MoE)',
  a100: 'NVIDIA A100 datasheet',
  h100: 'NVIDIA H100 datasheet',
  h200: 'NVIDIA H200 datasheet',
  deepseek: 'arXiv 2412.19437 (DeepSeek-V3 report)',
  vendors: 'vendor listings',
  simumax: 'SimuMax defaults',
  training: 'published training runs: arXiv 2408.03505, 2408.04275, 2503.23830, 2505.04519',
  derived: 'derived from the numbers beside it'
} as const

/** A sourced number. */
export function sourced(value: number, source: string, confidence: Confidence, note?: string): Sourced {
  return { value, source, confidence, ...(note ? { note } : {}) }
}

/** A sustained fraction with its published range. */
export function fraction(
  value: number,
  low: number,
  high: number,
  source: string,
  confidence: Confidence,
  note?: string
): Fraction {
  return { ...sourced(value, source, confidence, note), low, high }
}

/** A link; numbers are GB/s, GB/s and microseconds. */
export function link(name: string, peakGBs: Sourced, effectiveGBs: Sourced, latencyUs: Sourced): Link {
  return { name, peakGBs, effectiveGBs, latencyUs }
}
