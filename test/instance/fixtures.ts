/** The source region of `FROZEN`, to be replaced by tests. */
export const VISION =
  '  - { name: vision, trainable: false, stages: [{ forward: [6, 9, 0], backward: 0, output: 100 }] }'

/** A small valid instance: 2 ranks, 3 microbatches, frozen encoder, ticks of a tenth. */
export const FROZEN = `format: tropipe.instance/1
name: tiny
description: two ranks
source: made up
ranks: 2
microbatches: 3
schedule: "<transpose, 1f1b>"
regions:
${VISION}
  - name: llm
    trainable: true
    stages:
      - { forward: 10, backward: 20.5, activation: 1.0e9, parameters: 8.0e9 }
      - { forward: 10, backward: 20.5 }
communication: { send: 1, gather: 1, reduce: { vision: 0 } }
memory: { capacity: 64.0e9 }
`
