"""What is left of what a campaign finds with a fault planted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from random import Random

from faults.killing import OPTIONS, cpu_seconds, judge
from faults.planting import FaultyOptimizer, OptimizerFault

from fuzz.campaign.examine import Find, FindKind, Made, Optimized, Optimizer, examine
from fuzz.campaign.triage import OurParts, Settled, settle
from fuzz.draw.choices import RandomChoices
from fuzz.draw.generator import GeneratedTrace, generate_from
from fuzz.draw.mixes import draw_shape
from fuzz.reduce.trials import Subject
from optimizer.ir.text import format_trace, parse
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
    """The first find of a campaign whose trace has so many operations, and which is the fault's; None if none comes in
    so many seconds of one core."""
    parts = FaultyParts(FaultyOptimizer(fault))
    faulty, start = parts.without(()), cpu_seconds()
    for seed in count() if seeds is None else seeds:
        made = Made(seed, generate_large(seed, least))
        trace = made.generated.trace
        record = examine(made, faulty, judge) if len(trace.ops) >= least and _is_changed(trace, parts.faulty) else None
        if isinstance(record, Find) and record.kind is not FindKind.FAULT:
            if isinstance(examine(made, optimize, judge), Find):
                continue
            return record, parts
        if cpu_seconds() - start > seconds:
            break
    return None


def generate_large(seed: int, least: int) -> GeneratedTrace:
    """A trace as a campaign makes one, of mostly so many operations at least."""
    choices = RandomChoices(Random(seed))
    return generate_from(choices, replace(draw_shape(choices), min_operations=least, max_operations=least))


def _is_changed(trace: Trace, faulty: FaultyOptimizer) -> bool:
    """Does the fault change what becomes of the trace?"""
    try:
        return format_trace(faulty(trace)) != format_trace(optimize(trace))
    except Exception:  # a find of its own
        return True


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
