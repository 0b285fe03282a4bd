"""A campaign against a planted fault."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from faults.planting import FaultyOptimizer, OptimizerFault

from fuzz.campaign import Find, FindKind, Judge, Made, Optimizer, examine
from fuzz.generate import GeneratedTrace, generate_for
from fuzz.reduction.reduce import reduce_find
from fuzz.reduction.trials import Subject
from optimizer.ir.text import format_trace
from optimizer.ir.trace import Trace, all_operations
from optimizer.pipeline import optimize
from validator.counterexample import State
from validator.judge import validate
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
    many seconds of one core, or in so many traces. The find is reduced for so many seconds."""
    start, faulty = cpu_seconds(), FaultyOptimizer(fault)
    seeds: Iterable[int] = count(first) if most is None else range(first, first + most)
    for traces, seed in enumerate(seeds, start=1):
        made = Made(seed, generate_for(seed))
        record = _fault_of_the_optimizer(made, faulty)
        spent = cpu_seconds() - start
        if record is not None and _fault_of_the_optimizer(made, optimize) is None:
            return _found(record, faulty, traces, spent, reduce_s)
        if spent > seconds:
            break
    return None


def _found(find: Find, faulty: FaultyOptimizer, traces: int, spent: float, reduce_s: float) -> Found:
    before = find.generated.trace
    after = reduce_find(find, Subject(faulty, judge, OPTIONS, optimize), reduce_s).before if reduce_s else before
    sizes = [sum(1 for _ in all_operations(trace)) for trace in (before, after)]
    return Found(find.seed, find.kind, find.message, traces, spent, sizes[0], format_trace(after), sizes[1])


def _fault_of_the_optimizer(made: Made, optimizer: Optimizer, judged: Judge = judge) -> Find | None:
    record = examine(made, optimizer, judged)
    return record if isinstance(record, Find) and record.kind is not FindKind.FAULT else None


def shows(fault: OptimizerFault, trace: Trace) -> bool:
    """Is the trace optimized wrong with the fault, and right without it?"""
    made = Made(0, GeneratedTrace(trace, State(()), {}))
    wrong = _fault_of_the_optimizer(made, FaultyOptimizer(fault), _judge_alone)
    return wrong is not None and _fault_of_the_optimizer(made, optimize, _judge_alone) is None


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
