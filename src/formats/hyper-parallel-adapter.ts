import type { ForeignOrder } from '../schedule/foreign.ts'

/**
 * A Python module that makes the stock schedule class run an `exec_order` document: it subclasses the class it is given,
 * replaces the order and the owner map, and sets the environment that the order needs.
 */
export function adapterModule(order: ForeignOrder, environment: Readonly<Record<string, string>>): string {
  return `"""Feeds a schedule written by tropipe to hyper-parallel.

Use:
    import this module before anything reads the environment, then build the
    schedule with the class that \`with_order\` returns instead of the stock one:

    schedule_class = with_order(ScheduleMPipeTranspose, "order.json")

The document lists the steps of every rank. P = ${order.ranks.length} ranks, M = ${order.microbatches} microbatches.
A data sampler that loads inside the schedule must deal microbatches to their
owners too: give it \`owned_micros\`.
"""
import json
import os

P = ${order.ranks.length}
M = ${order.microbatches}
OWNER_OF_MICRO = ${pythonList(order.owners)}
ENVIRONMENT = ${pythonDict(environment)}
P2P_TRANSPORT = ${JSON.stringify(order.ranks.flat().some(action => action.op === 'batch') ? 'batch' : 'plain')}

os.environ.update(ENVIRONMENT)


def load(path):
    """The document; raises where it is not the one that this module was made for."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    for key, value in (("P", P), ("M", M), ("owner_of_micro", OWNER_OF_MICRO)):
        if document[key] != value:
            raise ValueError(f"{path}: {key} is {document[key]!r}, the adapter expects {value!r}")
    return document


def owned_micros(rank):
    """Microbatches that a rank encodes, ascending."""
    return [micro for micro, owner in enumerate(OWNER_OF_MICRO) if owner == rank]


def _step(entry, meta_step, types):
    if entry is None:
        return None
    subs = [_step(sub, meta_step, types) for sub in entry.get("sub_steps", [])]
    extra = {"sub_steps": subs} if subs else {}
    return meta_step(entry["micro"], types[entry["type"]], entry["stage"], **extra)


def exec_order(document, meta_step, *step_types):
    """rank -> list of steps, built from the runtime's own step class and type enums."""
    types = {member.name: member for enum in step_types for member in enum}
    lists = document["exec_order"]
    return {int(rank): [_step(entry, meta_step, types) for entry in lists[rank]] for rank in lists}


def with_order(schedule_class, path, meta_step=None, step_types=None):
    """A subclass of the stock schedule class that runs the document's order.

    The step class and enums are taken from the runtime unless given.
    """
    document = load(path)
    if meta_step is None or step_types is None:
        from hyper_parallel.core.pipeline_parallel.scheduler import MetaStep, MetaStepType
        from hyper_parallel.core.pipeline_parallel.mpipe.step_types import MpipeStepType

        meta_step, step_types = MetaStep, (MetaStepType, MpipeStepType)

    class TropipeSchedule(schedule_class):
        """The stock class with the order and the owners of the document."""

        def construct_exec_order(self):
            super().construct_exec_order()
            self.exec_order = exec_order(document, meta_step, *step_types)

        def owner_of(self, micro_index):
            return OWNER_OF_MICRO[micro_index]

        def owned_micros(self, rank=None):
            mine = self.stages[0].stage_index % P if rank is None else rank
            return owned_micros(mine)

    return TropipeSchedule
`
}

function pythonList(values: readonly number[]): string {
  return `[${values.join(', ')}]`
}

function pythonDict(values: Readonly<Record<string, string>>): string {
  return `{${Object.entries(values)
    .map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
    .join(', ')}}`
}
