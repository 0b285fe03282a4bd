"""The course of one trace: it is optimized and validated, and something is said of it.

Nothing that an optimizer or the validator does ends a campaign: a crash is a find like any other.
"""

from __future__ import annotations

import signal
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import ClassVar

from fuzz.draw.generator import GeneratedTrace
from fuzz.report.words import printable
from optimizer.ir.check import IllFormed, check
from optimizer.ir.faults import InputError
from optimizer.ir.faults import Unsupported as NotModelled
from optimizer.ir.immutable import replace
from optimizer.ir.run.interpreter import Finished, GuardFailed, Jumped, Program
from optimizer.ir.run.runs import Run
from optimizer.ir.text import format_trace
from optimizer.ir.trace import Trace
from optimizer.ir.types.trace_layout import layout_of
from validator.processes.termination import Terminated
from validator.search.counterexample import State
from validator.verdict import Failed, Fault, Options, Proved, Refuted, Unknown, Unsupported, Verdict


@dataclass(frozen=True, slots=True)
class Optimized:
    """The result of an optimizer (it may be anything), and the names of what took part in it, where it tells:
    rules, passes, transfer functions."""

    trace: object
    fired: frozenset[str] = frozenset()


Optimizer = Callable[[Trace], object]
"""Gives a trace, or `Optimized`; it may raise what stands below, and a crash is any other exception."""

Judge = Callable[[Trace, Trace, State], Verdict]
"""Says whether the second trace is right for the first. The state is one worth running."""


def validating(options: Options) -> Judge:
    """The judge that validates."""
    from validator.prove.judge import validate  # here: who only has a trace optimized does without

    return lambda before, after, state: validate(before, after, options, examples=(state,))


class AlwaysFails(Exception):
    """Raised by an optimizer that has found out that a guard fails on every run that reaches it. `after` is what it
    makes of the trace all the same, if it makes something."""

    def __init__(self, guard: int, after: Trace | None = None) -> None:
        super().__init__(f"always fails: guard {guard}")
        self.guard = guard
        self.after = after


class FindKind(Enum):
    """The kind of a find: something is wrong with the optimizer, or with this tool, which breaks down (`FAULT`) or
    proves what is not so (`DISAGREEMENT` between a proof and a run of what its checker has come up with)."""

    CRASH = "crash"
    HANG = "hang"
    MALFORMED = "malformed"
    REFUTED = "refuted"
    FAULT = "fault"
    DISAGREEMENT = "disagreement"

    @property
    def is_ours(self) -> bool:
        """Is it this tool that is wrong, not the optimizer?"""
        return self in (FindKind.FAULT, FindKind.DISAGREEMENT)


class OutsideFailure(Exception):
    """Raised by an optimizer that has failed in another process. `report` is what it said there, `output` the text
    that it gave."""

    kind: ClassVar[FindKind]

    def __init__(self, message: str, report: str = "", output: str | None = None) -> None:
        super().__init__(message)
        self.report = report
        self.output = output


class Hangs(OutsideFailure):
    """The failure of a program that was killed because it did not answer; the message says how long it was waited."""

    kind = FindKind.HANG


class Garbled(OutsideFailure):
    """The failure of a program whose output is no trace."""

    kind = FindKind.MALFORMED

    def __init__(self, message: str, output: str, report: str = "") -> None:
        super().__init__(message, report, output)


class Crashes(OutsideFailure):
    """The failure of a program that has crashed."""

    kind = FindKind.CRASH


@dataclass(frozen=True, slots=True)
class Made:
    """A trace of a campaign. `parents` name what it was mutated from (none: it was generated), or, where it `is_given`,
    what it is: then the state need not be an example. The campaign that starts at the seed `first` makes it again at
    `seed`."""

    seed: int
    generated: GeneratedTrace
    parents: tuple[str, ...] = ()
    first: int | None = None
    is_given: bool = False


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds that the optimizer and the validator took."""

    optimizing: float = 0.0
    judging: float = 0.0


@dataclass(frozen=True, slots=True)
class Counted:
    """A seed where nothing is wrong, or nothing is known to be. `after` is the optimized trace, None where there is
    none."""

    seed: int
    verdict: Proved | Unknown | Unsupported
    made: Made | None = field(default=None, compare=False)
    after: Trace | None = field(default=None, compare=False)
    fired: frozenset[str] = field(default=frozenset(), compare=False)
    took: Took = field(default=Took(), compare=False)


@dataclass(frozen=True, slots=True)
class Find:
    """A seed where something is wrong. `after` is what the optimizer returned, None if it did not, text where that is
    no trace."""

    seed: int
    kind: FindKind
    made: Made
    after: object
    message: str
    verdict: Verdict | None = None
    report: str = ""
    fired: frozenset[str] = frozenset()
    took: Took = field(default=Took(), compare=False)

    @property
    def generated(self) -> GeneratedTrace:
        return self.made.generated

    @property
    def state(self) -> State:
        """The state on which it shows, or the example."""
        return self.verdict.counterexample.state if isinstance(self.verdict, Refuted) else self.generated.state

    @property
    def obligation(self) -> str:
        """The obligation that is refuted; empty if none is."""
        return self.verdict.counterexample.obligation if isinstance(self.verdict, Refuted) else ""


def text_of(after: object) -> str | None:
    """An optimized trace as text; None where there is none, or one that cannot be written."""
    try:
        return format_trace(after) if isinstance(after, Trace) else None
    except Exception:  # it holds what is no part of a trace
        return None


FAILURES = {
    FindKind.CRASH: "the optimizer crashes",
    FindKind.HANG: "the optimizer hangs",
    FindKind.MALFORMED: "the optimizer's trace is malformed",
    FindKind.REFUTED: "the optimizer's trace is refuted",
    FindKind.FAULT: "the optimizer's trace cannot be judged",
    FindKind.DISAGREEMENT: "the optimizer's trace is proved, and a run contradicts that",
}
"""The words for what each kind of find says of the optimizer."""

Record = Counted | Find


def examine(made: Made, optimizer: Optimizer, judge: Judge, clock: Callable[[], float] = time.perf_counter) -> Record:
    """The record of a trace that is optimized and judged. Raises MemoryError where the optimizer needs more than there
    is."""
    seed, before, start = made.seed, made.generated.trace, clock()

    def find(kind: FindKind, after: object, message: str, report: str = "") -> Find:
        return Find(seed, kind, made, after, printable(message), None, printable(report), took=Took(clock() - start))

    try:
        result = optimizer(before)
    except AlwaysFails as claim:
        if passes(made.generated, claim.guard):
            message = f"the optimizer says that guard {claim.guard} always fails, and it passes on the example"
            return find(FindKind.REFUTED, None, message)
        if claim.after is None:
            unsure = Unsupported(f"the optimizer says that guard {claim.guard} always fails, which may be right")
            return Counted(seed, unsure, made, took=Took(clock() - start))
        result = claim.after
    except NotModelled as limit:
        return Counted(seed, Unsupported(printable(f"the optimizer: {limit}")), made, took=Took(clock() - start))
    except OutsideFailure as failure:
        return find(failure.kind, failure.output, str(failure), failure.report)
    except (MemoryError, Terminated):
        raise
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            raise  # where Ctrl-C is left to another process, it is the optimizer's own
        return find(FindKind.CRASH, None, describe(error), traceback.format_exc())
    optimized = result if isinstance(result, Optimized) else Optimized(result)
    after, optimizing = optimized.trace, clock() - start
    problem = malformed(before, after)
    if problem is not None:
        own = malformed(before, before)  # of what the optimizer was given
        kind, message = (FindKind.MALFORMED, problem) if own is None else (FindKind.FAULT, f"the trace made: {own}")
        return replace(find(kind, after, message), fired=optimized.fired)
    assert isinstance(after, Trace)
    try:
        verdict = judge(before, after, made.generated.state)
    except Exception as error:
        return replace(find(FindKind.FAULT, after, describe(error), traceback.format_exc()), fired=optimized.fired)
    took = Took(optimizing, clock() - start - optimizing)
    return replace(_judged(made, after, verdict), fired=optimized.fired, took=took)


def passes(generated: GeneratedTrace, guard: int) -> bool:
    """Does the trace pass that guard on its example? One that comes from a file need not even get there."""
    run = run_of(generated.trace, generated.state)
    if run is None:
        return False
    left_behind = isinstance(run.outcome, GuardFailed) and run.outcome.guard > guard
    return left_behind or isinstance(run.outcome, Finished | Jumped)


def run_of(trace: Trace, state: State, *others: Trace) -> Run | None:
    """The trace on the state, None where it has no meaning there; other traces may tell of memory, too."""
    try:
        return Program(trace, layout_of(trace, *others)).run(state.inputs, state.world, heap=state.heap)
    except (NotModelled, InputError, ValueError, LookupError, AssertionError):
        return None


_FAULTS = {Fault.INPUT: FindKind.MALFORMED, Fault.TOOL: FindKind.FAULT, Fault.PROOF: FindKind.DISAGREEMENT}


def _judged(made: Made, after: Trace, verdict: Verdict) -> Record:
    match verdict:
        case Proved() | Unknown() | Unsupported():
            return Counted(made.seed, verdict, made, after)
        case Refuted(_, counterexample):
            message = f"{counterexample.obligation}: {counterexample.difference}"
            return Find(made.seed, FindKind.REFUTED, made, after, message, verdict)
        case Failed(fault, reason, report):
            return Find(made.seed, _FAULTS[fault], made, after, reason, verdict, report)


def malformed(before: Trace, after: object) -> str | None:
    """The mistake in what an optimizer returned, apart from its meaning; None if there is none."""
    if not isinstance(after, Trace):
        return f"expected a trace, got {type(after).__name__}"
    try:
        if after.word != before.word:
            return f"expected words of {before.word} bits, got {after.word}"
        if [var.type for var in after.inputs] != [var.type for var in before.inputs]:
            return "expected inputs of the same types, in the same order"
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
    try:
        said = str(error)
    except Exception:  # its class is the optimizer's
        said = ""
    first = (said.splitlines() or [""])[0]
    return f"{type(error).__name__}: {first}{place}" if first else f"{type(error).__name__}{place}"
