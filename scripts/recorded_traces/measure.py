"""Judges one recorded trace: what our optimizer makes of it, and what the validator says of that."""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import dataclass, field

from fuzz.cases.recorded import log_stem
from optimizer.ir.dialects.pypy_log import Section
from optimizer.ir.dialects.pypy_trace import read_recorded
from optimizer.ir.faults import InputError, Unsupported
from optimizer.ir.rows.ops import Kind
from optimizer.ir.text import format_trace, parse
from optimizer.ir.trace import Trace
from optimizer.pipeline import run_passes
from validator import Failed, Options, Proved, Refuted, Unknown, validate
from validator.tell.report import verdict_name

COUNTED: dict[str, frozenset[Kind]] = {
    "operations": frozenset(Kind) - {Kind.POSITION},
    "guards": frozenset({Kind.GUARD}),
    "allocations": frozenset({Kind.NEW}),
    "loads": frozenset({Kind.LOAD, Kind.RAW_LOAD}),
    "stores": frozenset({Kind.STORE, Kind.RAW_STORE}),
}
"""The operations that are counted of a trace, outside of exit blocks."""

_NUMBER = re.compile(r"\b[0-9]+(?:\.[0-9]+)?\b")


@dataclass(frozen=True, slots=True)
class Task:
    """A recorded trace, and how long a pair may take."""

    log: str
    number: int
    section: Section
    seconds: float

    @property
    def program(self) -> str:
        return log_stem(self.log)


@dataclass(frozen=True, slots=True)
class Judged:
    """The outcome of a recorded trace. `verdict` is that of the validator, or `crash`; where it is not `proved`,
    `cause` says why, without the numbers in it. `after` is empty where nothing was optimized."""

    program: str
    number: int
    verdict: str
    cause: str = ""
    before: dict[str, int] = field(default_factory=dict)
    after: dict[str, int] = field(default_factory=dict)
    optimizing_s: float = 0.0
    judging_s: float = 0.0
    vacuous: bool | None = False

    @property
    def is_proved(self) -> bool:
        return self.verdict == "proved"

    @property
    def seconds(self) -> float:
        return self.optimizing_s + self.judging_s


def judge(task: Task) -> Judged:
    """Reads the trace, optimizes and judges it; nothing is raised."""
    before: dict[str, int] = {}
    try:
        trace = read_recorded(task.section, task.log)
        before = count(trace)
        if parse(format_trace(trace)) != trace:
            return Judged(task.program, task.number, "crash", "what is printed reads back as another trace", before)
        return _judge(task, trace, before)
    except Unsupported as limit:
        return Judged(task.program, task.number, "unsupported", f"optimizing: {limit.what}", before)
    except (InputError, Exception) as problem:
        return Judged(task.program, task.number, "crash", f"{type(problem).__name__}: {_plain(str(problem))}", before)


def _judge(task: Task, trace: Trace, before: dict[str, int]) -> Judged:
    start = time.perf_counter()
    optimized = run_passes(trace).trace
    middle = time.perf_counter()
    verdict = validate(trace, optimized, Options(timeout_s=task.seconds))
    end = time.perf_counter()
    name, cause, vacuous = verdict_name(verdict), "", None
    match verdict:
        case Proved(evidence):
            vacuous = None if evidence.vacuous is None else bool(evidence.vacuous)
            if end - start > task.seconds:
                name, cause = "unknown", f"proved, but not within {task.seconds:g} s"
        case Unknown() | Failed():
            cause = _plain(verdict.reason)
        case Refuted():
            cause = _plain(verdict.counterexample.obligation)
        case _:
            cause = _plain(verdict.reason)
    return Judged(
        task.program, task.number, name, cause, before, count(optimized), middle - start, end - middle, vacuous
    )


def count(trace: Trace) -> dict[str, int]:
    """The number of operations of each kind."""
    kinds = Counter(operation.op.kind for operation in trace.ops)
    return {name: sum(kinds[kind] for kind in wanted) for name, wanted in COUNTED.items()}


def _plain(text: str) -> str:
    """A text that is the same for all that it says of different lines, guards and values."""
    return _NUMBER.sub("N", text.partition("\n")[0]).removeprefix("line N: ")
