"""Concrete runs of both traces, compared as section 5 of the trace language says.

This is the word that decides: no difference is reported that the interpreter has not shown. It knows nothing of terms
or solvers, and it does not trust the alignment: it is told the origins, and judges the runs. What the runs allocated
is the same up to one renaming for all events and the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from optimizer.ir.faults import Unspecified
from optimizer.ir.immutable import replace
from optimizer.ir.run.functions import FINDS_OTHER, NOT_MADE
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.heap_comparison import Mismatch, Renaming, sight_of_end, sight_of_event
from optimizer.ir.run.interpreter import (
    TOO_LONG,
    Finished,
    GuardFailed,
    Jumped,
    Outcome,
    Program,
    Run,
    Stopped,
    Undefined,
)
from optimizer.ir.run.objects import NULL
from optimizer.ir.trace import Trace, exit_of
from optimizer.ir.types.calls import may_be_raised_before
from optimizer.ir.types.layout import Layout
from validator.prove.jump_targets import are_apart, shared_label
from validator.search.counterexample import Counterexample, State
from validator.verdict import Failargs, Guards, Options

Origins = Sequence[int | None]


@dataclass(frozen=True, slots=True)
class Difference:
    """A fault on a state: the obligation that it breaks, and a sentence."""

    obligation: str
    sentence: str
    expected: Run | None = None


@dataclass(frozen=True, slots=True)
class Runs:
    """Both traces' runs on one state, whose world may stop at an event so that `before` is defined on it, and whose
    heap describes every object of both traces.

    `events` is the first difference between the events of both, as many as both have done; if there is none, `renaming`
    knows the allocations that events have seen.
    """

    state: State
    before: Run
    after: Run
    events: Difference | None = None
    renaming: Renaming = field(default_factory=Renaming)


class Replay:
    """Runs a pair of traces on states, and compares. `layout` is the one that the pair shares."""

    def __init__(self, before: Trace, after: Trace, options: Options, layout: Layout) -> None:
        self._layout = layout
        self._traces = before, after
        self._options = options
        self._label = shared_label(before, after)
        self._listed = [exit_of(guard).failargs is not None for guard in before.guards]
        self._went_on: tuple[Runs, bool] | None = None

    @cached_property
    def _before(self) -> Program:
        return Program(self._traces[0], self._layout)

    @cached_property
    def _after(self) -> Program:
        return Program(self._traces[1], self._layout)

    def reaches_end(self, state: State) -> bool:
        """Does the recorded trace go to its end on the state?"""
        try:
            return isinstance(self._run(self._before, state).outcome, Finished | Jumped)
        except Unspecified:
            return False

    def run(self, state: State) -> Runs | None:
        """Both runs on `state`, or None where the recorded trace is malformed on it, or it contradicts declarations, or
        something in its heap has not been written, or one of the runs looks at what nobody says what it is, such as the
        bytes of NaN.

        Where the recorded trace is undefined behind an event, the world is made to stop there: on such a world the
        recorded trace is defined, and is all that the optimized one may rely on.
        """
        try:
            return self._runs(self._completed(state))
        except Unspecified:
            return None

    def _runs(self, state: State) -> Runs | None:
        if state.heap is not None and not state.heap.is_as_declared(valid=0 not in state.world.invalid):
            return None
        if state.heap is not None and not state.heap.is_written():
            return None
        if state.world.pending != NULL and not may_be_raised_before(self._traces[0]):
            return None
        before = self._run(self._before, state)
        if isinstance(before.outcome, Undefined):
            if not before.events:
                return None
            state = replace(state, world=replace(state.world, stops_at=len(before.events) - 1))
            before = self._run(self._before, state)
            assert isinstance(before.outcome, Stopped)
        # What `before` has read or watched, no event changes in either run.
        after = self._run(self._after, State(state.inputs, before.world, state.heap))
        if before.unclear or after.unclear or _is_too_long(after):
            return None
        renaming = Renaming()
        return Runs(state, before, after, _at_events(before, after, renaming), renaming)

    def _completed(self, state: State) -> State:
        """The state with a heap that describes the opaque constants of both traces."""
        heap = Heap(self._layout) if state.heap is None else state.heap.copy()
        heap.layout = self._layout  # that of an example may know one trace only
        for program in (self._before, self._after):
            program.prepare(heap)
        return State(state.inputs, state.world, heap if heap.objects or heap.names else None)

    def _run(self, program: Program, state: State, leave_at: int | None = None) -> Run:
        return program.run(state.inputs, state.world, leave_at=leave_at, heap=state.heap)

    def left_at(self, runs: Runs) -> int | None:
        """The guard at which the optimized trace left, if it did."""
        return runs.after.outcome.guard if isinstance(runs.after.outcome, GuardFailed) else None

    def difference(self, runs: Runs, origin: int | None) -> Difference | None:
        """The fault, where the guard at which the optimized trace left (if it did) has that origin; None where that
        hangs on the bytes of NaN."""
        try:
            return self._difference(runs, origin)
        except Unspecified:
            return None

    def _difference(self, runs: Runs, origin: int | None) -> Difference | None:
        after = runs.after
        if runs.renaming.doubtful:
            return runs.events
        if isinstance(after.outcome, Undefined):
            number, reason = after.outcome.op, after.outcome.reason
            if reason in (NOT_MADE, FINDS_OTHER):
                return Difference(
                    f"op {number}: made before",
                    f"the optimized trace does operation {number}, where {reason}",
                )
            return Difference(
                f"op {number}: defined",
                f"the optimized trace does operation {number} where {reason}; the recorded trace never does",
            )
        if runs.events is not None:
            return runs.events
        if isinstance(after.outcome, GuardFailed):
            return self._at_guard(runs, after.outcome, origin)
        return _at_end(runs, self._label)

    def _at_guard(self, runs: Runs, left: GuardFailed, origin: int | None) -> Difference | None:
        before, guard = runs.before, left.guard
        if origin is None:
            return Difference(
                f"guard {guard}: condition",
                f"guard {guard} fails, and no guard was recorded that it stands for",
            )
        if isinstance(before.outcome, GuardFailed) and before.outcome.guard < origin:
            k = before.outcome.guard
            return Difference(
                f"guard {k}: left",
                f"the recorded trace leaves at guard {k}; the optimized one only later, at its guard {guard}",
            )
        expected = self._run(self._before, runs.state, leave_at=origin)
        if _is_too_long(expected):
            return None
        # Where `before` itself is defined, all that can be undefined here is the exit block of a guard that it passes.
        there = expected.outcome
        reached = there.guard == origin if isinstance(there, GuardFailed) else isinstance(there, Undefined)
        if not reached or len(expected.events) != len(runs.after.events):
            return Difference(
                f"guard {guard}: events",
                f"guard {guard} fails with {_count(len(runs.after.events), 'event')} done, and the recorded guard "
                f"{origin} stands behind another number",
            )
        return self._condition(runs, guard, origin, expected) or self._handed_over(runs, left, origin, expected)

    def _condition(self, runs: Runs, guard: int, origin: int, expected: Run) -> Difference | None:
        name = f"guard {guard}: condition"
        mode, outcome = self._options.guards, runs.before.outcome
        if mode is Guards.SAME and outcome != expected.outcome:
            return Difference(name, f"guard {guard} fails where the recorded guard {origin} holds", expected)
        if mode is Guards.EARLY and self._goes_on(runs):
            return Difference(name, f"guard {guard} fails where the recorded trace goes on to its end", expected)
        return None

    def _goes_on(self, runs: Runs) -> bool:
        """Does the recorded trace go to its end where all events return?"""
        world = runs.state.world
        if world.stops_at is None:
            return isinstance(runs.before.outcome, Finished | Jumped)
        if self._went_on is None or self._went_on[0] is not runs:  # the same for all origins
            freely = self._run(self._before, replace(runs.state, world=replace(world, stops_at=None)))
            self._went_on = runs, isinstance(freely.outcome, Finished | Jumped)
        return self._went_on[1]

    def _handed_over(self, runs: Runs, left: GuardFailed, origin: int, expected: Run) -> Difference | None:
        """The difference in the failargs, or in the heap that is left behind."""
        guard = left.guard
        if self._options.failargs is Failargs.IGNORE:
            return None
        is_listed = self._listed[origin] and left.failargs is not None
        if not isinstance(expected.outcome, GuardFailed):
            return Difference(
                f"guard {guard}: origin's exit block",
                f"guard {guard} fails where the exit block of the recorded guard {origin} is undefined",
            )
        wanted, got = sight_of_end(expected), sight_of_end(runs.after)
        if not is_listed:
            wanted, got = (replace(sight, values=()) for sight in (wanted, got))
        if len(wanted.values) != len(got.values):
            return Difference(
                f"guard {guard}: failargs",
                f"guard {guard} hands over {_count(len(got.values), 'value')}, the recorded guard {origin} "
                f"{len(wanted.values)}",
                expected,
            )
        found = runs.renaming.copy().difference(wanted, got)
        if found is None:
            return None
        sentence = f"where guard {guard} fails, {found}"
        if found.value is not None:
            sentence = f"failarg {found.value} of guard {guard} is {found.got}, that of the recorded guard {origin} is "
            sentence += found.wanted
        return Difference(_obligation(f"guard {guard}", "failarg", found), sentence, expected)

    def counterexample(self, state: State, origins: Origins) -> Counterexample | None:
        """The counterexample that `state` is under these origins, if it is one."""
        runs = self.run(state)
        if runs is None:
            return None
        guard = self.left_at(runs)
        found = self.difference(runs, None if guard is None else origins[guard])
        if found is None:
            return None
        return Counterexample(
            self._traces,
            found.obligation,
            runs.state,
            runs.before,
            runs.after,
            found.sentence,
            tuple(origins),
            found.expected,
        )


def _at_events(before: Run, after: Run, renaming: Renaming) -> Difference | None:
    """The difference of the first events, as many as both runs have done."""
    for number, (wanted, got) in enumerate(zip(before.events, after.events, strict=False)):
        if (wanted.name, wanted.descr, len(wanted.args)) != (got.name, got.descr, len(got.args)):
            return Difference(f"event {number}: kind", f"event {number} is another one in the optimized trace")
        found = renaming.difference(sight_of_event(wanted), sight_of_event(got))
        if found is not None:
            return _mismatch(f"event {number}", f"event {number}", found)
    return None


def _mismatch(where: str, place: str, found: Mismatch) -> Difference:
    """The difference in what an event or the end is handed."""
    sentence = f"at {place}, {found}"
    if found.value is not None:
        sentence = f"argument {found.value} of {place} is {found.got}, not {found.wanted}"
    return Difference(_obligation(where, "argument", found), sentence)


def _obligation(where: str, what: str, found: Mismatch) -> str:
    if found.memory == "exception":
        return f"{where}: exception"
    return f"{where}: heap {found.memory}" if found.value is None else f"{where}: {what} {found.value}"


def _at_end(runs: Runs, label: str | None) -> Difference | None:
    """The optimized trace went to its end, or stopped at an event. The `label` is the target at which both start."""
    before, after = runs.before, runs.after
    wanted, got = before.outcome, after.outcome
    if isinstance(got, Stopped):
        if isinstance(wanted, Stopped):
            return None
        sentence = f"the optimized trace does event {got.event}; the recorded one {_ending(wanted)} before"
        return Difference(f"event {got.event}: reached", sentence)
    if isinstance(wanted, GuardFailed):
        return Difference(
            f"guard {wanted.guard}: left",
            f"the recorded trace leaves at guard {wanted.guard}; the optimized one goes on to its end",
        )
    if len(before.events) != len(after.events):
        return Difference(
            "end: events",
            f"the recorded trace does {_count(len(before.events), 'event')}, the optimized one {len(after.events)}",
        )
    assert isinstance(wanted, Finished | Jumped)
    assert isinstance(got, Finished | Jumped)
    if type(wanted) is not type(got):
        return Difference("end: kind", f"the recorded trace {_ending(wanted)}, the optimized one {_ending(got)}")
    if isinstance(wanted, Jumped) and isinstance(got, Jumped) and are_apart(wanted.target, got.target, label):
        there, here = wanted.target or label, got.target or label
        return Difference("end: target", f"the recorded trace jumps to {there}, the optimized one to {here}")
    if len(wanted.args) != len(got.args):
        return Difference(
            "end: arguments", f"the end hands over {_count(len(got.args), 'value')}, not {len(wanted.args)}"
        )
    found = runs.renaming.copy().difference(sight_of_end(before), sight_of_end(after))
    return None if found is None else _mismatch("end", "the end", found)


def _is_too_long(run: Run) -> bool:
    return isinstance(run.outcome, Undefined) and run.outcome.reason == TOO_LONG


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _ending(outcome: Outcome) -> str:
    match outcome:
        case Finished():
            return "finishes"
        case Jumped():
            return "jumps"
        case GuardFailed(guard):
            return f"leaves at guard {guard}"
        case Stopped(event):
            return f"stops at event {event}"
        case Undefined(op):
            return f"is undefined at operation {op}"
