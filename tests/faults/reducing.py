"""What is left of what a campaign finds with a fault planted."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from faults.killing import OPTIONS, cpu_seconds, judge
from faults.planting import FaultyOptimizer, OptimizerFault

from fuzz.campaign import Find, FindKind, Made, Optimized, Optimizer, examine
from fuzz.generate import generate_for
from fuzz.reduction.trials import Subject
from fuzz.triage import OurParts, Settled, settle
from optimizer.ir.text import parse
from optimizer.ir.trace import Trace
from optimizer.pipeline import DEFAULT_PASSES, optimize


@dataclass(frozen=True)
class FaultyParts:
    """Our optimizer with a fault, taken apart."""

    faulty: FaultyOptimizer

    @property
    def parts(self) -> Mapping[str, Sequence[str]]:
        return OurParts().parts

    def without(self, names: Collection[str]) -> Optimizer:
        passes = [name for name in DEFAULT_PASSES if name not in names]

        def optimized(trace: Trace) -> Optimized:
            done = self.faulty.run(trace, passes, names)
            return Optimized(done.trace, frozenset(done.fired))

        return optimized


def find_large(
    fault: OptimizerFault, least: int, seconds: float, seeds: Iterable[int] | None = None
) -> tuple[Find, FaultyParts] | None:
    """The first find of a campaign whose trace has so many operations, and which is the fault's; else the largest that
    comes in so many seconds."""
    parts = FaultyParts(FaultyOptimizer(fault))
    faulty, start = parts.without(()), time.perf_counter()
    largest: Find | None = None
    for seed in count() if seeds is None else seeds:
        made = Made(seed, generate_for(seed))
        size = len(made.generated.trace.ops)
        if largest is not None and size <= len(largest.generated.trace.ops):
            continue
        record = examine(made, faulty, judge)
        if isinstance(record, Find) and record.kind is not FindKind.FAULT:
            if isinstance(examine(made, optimize, judge), Find):
                continue
            largest = record
            if size >= least:
                break
        if time.perf_counter() - start > seconds:
            break
    return None if largest is None else (largest, parts)


def reduced(find: Find, parts: FaultyParts, budget_s: float = 60.0) -> Settled:
    return settle(find, Subject(parts.without(()), judge, OPTIONS), budget_s, parts)


def smallest_known(fault: OptimizerFault) -> int | None:
    """The number of operations of the smallest trace that was written down for the fault."""
    return len(parse(fault.smallest).ops) if fault.smallest else None


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table."""

    fault: OptimizerFault
    find: Find
    settled: Settled
    seconds: float

    @property
    def sizes(self) -> tuple[int, int]:
        return len(self.find.generated.trace.ops), len(self.settled.reduced.before.ops)


def row_of(fault: OptimizerFault, least: int, seconds: float) -> Row | None:
    """The row of a fault; its seconds are those of one core."""
    found = find_large(fault, least, seconds)
    if found is None:
        return None
    start = cpu_seconds()
    settled = reduced(*found)
    return Row(fault, found[0], settled, cpu_seconds() - start)
