"""A campaign: for each seed a trace is generated, optimized and validated, and something is said of it.

Nothing that an optimizer or the validator does ends a campaign: a crash is a find like any other.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from fuzz.generate import GeneratedTrace, generate_for
from optimizer.ir.check import IllFormed, check
from optimizer.ir.faults import InputError
from optimizer.ir.faults import Unsupported as NotModelled
from optimizer.ir.layout import layout_of
from optimizer.ir.trace import Trace
from validator.verdict import Failed, Fault, Proved, Refuted, State, Unknown, Unsupported, Verdict

Optimizer = Callable[[Trace], Trace]

Judge = Callable[[Trace, Trace, State], Verdict]
"""What says whether the second trace is right for the first, which runs to its end on the state."""


class AlwaysFails(Exception):
    """What an optimizer raises that has found out that a guard fails on every run that reaches it."""

    def __init__(self, guard: int) -> None:
        super().__init__(f"always fails: guard {guard}")
        self.guard = guard


class FindKind(Enum):
    """What is wrong: with the optimizer, or (`FAULT`) with this tool."""

    CRASH = "crash"
    MALFORMED = "malformed"
    REFUTED = "refuted"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Counted:
    """A seed where nothing is wrong, or nothing is known to be."""

    seed: int
    verdict: Proved | Unknown | Unsupported


@dataclass(frozen=True, slots=True)
class Find:
    """A seed where something is wrong. `after` is what the optimizer returned, None if it did not."""

    seed: int
    kind: FindKind
    generated: GeneratedTrace
    after: object
    message: str
    verdict: Verdict | None = None
    report: str = ""


Record = Counted | Find


def run_campaign(seeds: Iterable[int], optimizer: Optimizer, judge: Judge) -> Iterator[Record]:
    """One record a seed, in order, as they come."""
    for seed in seeds:
        yield examine(seed, optimizer, judge)


def examine(seed: int, optimizer: Optimizer, judge: Judge) -> Record:
    """What becomes of the trace of one seed."""
    generated = generate_for(seed)
    before = generated.trace

    def find(kind: FindKind, after: object, message: str, report: str = "") -> Find:
        return Find(seed, kind, generated, after, message, None, report)

    try:
        after = optimizer(before)
    except AlwaysFails as claim:
        message = f"the optimizer says that guard {claim.guard} always fails, and it passes on the example"
        return find(FindKind.REFUTED, None, message)
    except NotModelled as limit:
        return Counted(seed, Unsupported(f"the optimizer: {limit}"))
    except (Exception, SystemExit) as error:
        return find(FindKind.CRASH, None, describe(error), traceback.format_exc())
    problem = malformed(before, after)
    if problem is not None:
        return find(FindKind.MALFORMED, after, problem)
    try:
        verdict = judge(before, after, generated.state)
    except Exception as error:
        return find(FindKind.FAULT, after, describe(error), traceback.format_exc())
    return _judged(seed, generated, after, verdict)


def _judged(seed: int, generated: GeneratedTrace, after: Trace, verdict: Verdict) -> Record:
    match verdict:
        case Proved() | Unknown() | Unsupported():
            return Counted(seed, verdict)
        case Refuted(_, counterexample):
            message = f"{counterexample.obligation}: {counterexample.difference}"
            return Find(seed, FindKind.REFUTED, generated, after, message, verdict)
        case Failed(fault, reason, report):
            kind = FindKind.MALFORMED if fault is Fault.INPUT else FindKind.FAULT
            return Find(seed, kind, generated, after, reason, verdict, report)


def malformed(before: Trace, after: object) -> str | None:
    """What is wrong with what an optimizer returned, apart from its meaning; None if nothing is."""
    if not isinstance(after, Trace):
        return f"expected a trace, got {type(after).__name__}"
    if after.word != before.word:
        return f"expected words of {before.word} bits, got {after.word}"
    if [var.type for var in after.inputs] != [var.type for var in before.inputs]:
        return "expected inputs of the same types, in the same order"
    try:
        check(after)
        layout_of(before, after)
    except IllFormed as error:
        return error.message
    except InputError as error:
        return str(error)
    except Exception as error:
        return f"expected a trace, got something that cannot be read: {describe(error)}"
    return None


def describe(error: BaseException) -> str:
    """An exception in one line, with the place that raised it."""
    # Frames of the import system say nothing to a user.
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith("<")]
    place = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
    first = (str(error).splitlines() or [""])[0]
    return f"{type(error).__name__}: {first}{place}" if first else f"{type(error).__name__}{place}"
