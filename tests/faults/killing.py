"""A campaign against a planted fault."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import TypeGuard

from faults.planting import FaultyOptimizer, OptimizerFault

from fuzz.campaign.examine import Find, FindKind, Made, Record, examine
from fuzz.draw.generator import GeneratedTrace, generate_for
from fuzz.reduce.reduce import reduce_find
from fuzz.reduce.trials import Subject
from optimizer.ir.text import format_trace
from optimizer.ir.trace import Trace, all_operations
from optimizer.pipeline import optimize
from validator.prove.judge import validate
from validator.search.counterexample import State
from validator.verdict import Options, Verdict

OPTIONS = Options(effort=1_000_000, timeout_s=5.0)


@dataclass(frozen=True, slots=True)
class Found:
    """What shows the fault: `traces` were tried, in so many seconds of one core. The trace has `size` operations, and
    `reduced_size` when it is `reduced`."""

    seed: int
    kind: FindKind
    message: str
    traces: int
    seconds: float
    size: int
    reduced: str
    reduced_size: int


def judge(before: Trace, after: Trace, state: State) -> Verdict:
    return validate(before, after, OPTIONS, examples=(state,))


def find(
    fault: OptimizerFault, seconds: float, first: int = 0, most: int | None = None, reduce_s: float = 0.0
) -> Found | None:
    """What a campaign from that seed finds with the fault planted, and not without it; None if it finds nothing in so
    many seconds of one core, or in so many traces. The find is reduced for so many seconds.

    What the fault does not change is judged once for all faults, and its seconds count for each.
    """
    spent, faulty = 0.0, FaultyOptimizer(fault)
    seeds: Iterable[int] = count(first) if most is None else range(first, first + most)
    for traces, seed in enumerate(seeds, start=1):
        right = _right(seed)
        start = cpu_seconds()
        record, unspent = _with_fault(right, faulty)
        spent += right.making + cpu_seconds() - start + unspent
        if _blames_optimizer(record) and not _blames_optimizer(right.record):
            return _found(record, faulty, traces, spent, reduce_s)
        if spent > seconds:
            break
    return None


@dataclass(frozen=True, slots=True)
class _Right:
    """What becomes of a trace without a fault; it was made in so many seconds of one core."""

    made: Made
    record: Record
    making: float


@lru_cache(maxsize=1 << 13)
def _right(seed: int) -> _Right:
    start = cpu_seconds()
    made = Made(seed, generate_for(seed))
    making = cpu_seconds() - start
    return _Right(made, examine(made, optimize, judge, cpu_seconds), making)


def _with_fault(right: _Right, faulty: FaultyOptimizer) -> tuple[Record, float]:
    """What becomes of the trace with the fault, and the seconds of judging that were not spent again."""
    known, unspent = right.record, 0.0

    def judged(before: Trace, after: Trace, state: State) -> Verdict:
        nonlocal unspent
        if known.verdict is None or after != known.after:
            return judge(before, after, state)
        unspent = known.took.judging
        return known.verdict

    record = examine(right.made, faulty, judged)
    return record, unspent


def _blames_optimizer(record: Record) -> TypeGuard[Find]:
    return isinstance(record, Find) and record.kind is not FindKind.FAULT


def _found(find: Find, faulty: FaultyOptimizer, traces: int, spent: float, reduce_s: float) -> Found:
    before = find.generated.trace
    after = reduce_find(find, Subject(faulty, judge, OPTIONS, optimize), reduce_s).before if reduce_s else before
    sizes = [sum(1 for _ in all_operations(trace)) for trace in (before, after)]
    return Found(find.seed, find.kind, find.message, traces, spent, sizes[0], format_trace(after), sizes[1])


def shows(fault: OptimizerFault, trace: Trace) -> bool:
    """Is the trace optimized wrong with the fault, and right without it?"""
    made = Made(0, GeneratedTrace(trace, State(()), {}))
    records = [examine(made, optimizer, _judge_alone) for optimizer in (FaultyOptimizer(fault), optimize)]
    return [_blames_optimizer(record) for record in records] == [True, False]


def _judge_alone(before: Trace, after: Trace, _: State) -> Verdict:
    return validate(before, after, OPTIONS)


def cpu_seconds() -> float:
    """What this process, its children and those that have ended have used of processors, in seconds (Linux)."""
    times = os.times()
    ticks = sum(map(_ticks, _children()))
    return times.user + times.system + times.children_user + times.children_system + ticks / os.sysconf("SC_CLK_TCK")


def _children() -> list[str]:
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


def _ticks(child: str) -> int:
    try:
        fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12])
