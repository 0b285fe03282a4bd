"""Concrete runs of both traces, compared as section 5 of the trace language says.

This is the word that decides: no difference is reported that the interpreter has not shown. It knows nothing of terms
or solvers, and it does not trust the alignment: it is told the origins, and judges the runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from optimizer.ir.interpreter import (
    Finished,
    GuardFailed,
    Jumped,
    Outcome,
    Program,
    Run,
    Stopped,
    Undefined,
    World,
)
from optimizer.ir.trace import Trace, exit_of
from validator.verdict import Counterexample, Failargs, Guards, Options, State

Origins = Sequence[int | None]


@dataclass(frozen=True, slots=True)
class Difference:
    """What is wrong on a state: the obligation that it breaks, and a sentence."""

    obligation: str
    sentence: str
    expected: Run | None = None


@dataclass(frozen=True, slots=True)
class Runs:
    """Both traces' runs on one state, whose world may stop at an event so that `before` is defined on it."""

    state: State
    before: Run
    after: Run


class Replay:
    """Runs a pair of traces on states, and compares."""

    def __init__(self, before: Trace, after: Trace, options: Options) -> None:
        self._before = Program(before)
        self._after = Program(after)
        self._options = options
        self._listed = [exit_of(guard).failargs is not None for guard in before.guards]

    def run(self, state: State) -> Runs | None:
        """Both runs on `state`, or None where the recorded trace is malformed on it.

        Where the recorded trace is undefined behind an event, the world is made to stop there: on such a world the
        recorded trace is defined, and is all that the optimized one may rely on.
        """
        before = self._before.run(state.inputs, state.world)
        if isinstance(before.outcome, Undefined):
            if not before.events:
                return None
            state = State(state.inputs, World(state.world.results, len(before.events) - 1))
            before = self._before.run(state.inputs, state.world)
            assert isinstance(before.outcome, Stopped)
        return Runs(state, before, self._after.run(state.inputs, state.world))

    def left_at(self, runs: Runs) -> int | None:
        """The guard at which the optimized trace left, if it did."""
        return runs.after.outcome.guard if isinstance(runs.after.outcome, GuardFailed) else None

    def difference(self, runs: Runs, origin: int | None) -> Difference | None:
        """What is wrong, where the guard at which the optimized trace left (if it did) has that origin."""
        before, after = runs.before, runs.after
        if isinstance(after.outcome, Undefined):
            number, reason = after.outcome.op, after.outcome.reason
            return Difference(
                f"op {number}: defined",
                f"the optimized trace does operation {number} where {reason}; the recorded trace never does",
            )
        for number, (wanted, got) in enumerate(zip(before.events, after.events, strict=False)):
            if (wanted.name, wanted.descr, len(wanted.args)) != (got.name, got.descr, len(got.args)):
                return Difference(f"event {number}: kind", f"event {number} is another one in the optimized trace")
            for i, (x, y) in enumerate(zip(wanted.args, got.args, strict=True)):
                if x != y:
                    return Difference(
                        f"event {number}: argument {i}", f"argument {i} of event {number} is {y}, not {x}"
                    )
        if isinstance(after.outcome, GuardFailed):
            return self._at_guard(runs, after.outcome, origin)
        return _at_end(before, after)

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
        expected = self._before.run(runs.state.inputs, runs.state.world, leave_at=origin)
        # Where `before` itself is defined, all that can be undefined here is the exit block of a guard that it passes.
        reached = isinstance(expected.outcome, GuardFailed | Undefined) and not self._left_ahead(expected, origin)
        if not reached or len(expected.events) != len(runs.after.events):
            return Difference(
                f"guard {guard}: events",
                f"guard {guard} fails with {_count(len(runs.after.events), 'event')} done, and the recorded guard "
                f"{origin} stands behind another number",
            )
        return self._condition(runs, guard, origin, expected) or self._failargs(left, origin, expected)

    def _left_ahead(self, expected: Run, origin: int) -> bool:
        return isinstance(expected.outcome, GuardFailed) and expected.outcome.guard != origin

    def _condition(self, runs: Runs, guard: int, origin: int, expected: Run) -> Difference | None:
        name = f"guard {guard}: condition"
        mode, outcome = self._options.guards, runs.before.outcome
        if mode is Guards.SAME and outcome != expected.outcome:
            return Difference(name, f"guard {guard} fails where the recorded guard {origin} holds", expected)
        if mode is Guards.EARLY:
            returning = World(runs.state.world.results)
            freely = self._before.run(runs.state.inputs, returning).outcome
            if isinstance(freely, Finished | Jumped):
                return Difference(name, f"guard {guard} fails where the recorded trace goes on to its end", expected)
        return None

    def _failargs(self, left: GuardFailed, origin: int, expected: Run) -> Difference | None:
        listed, got, guard = self._listed[origin], left.failargs, left.guard
        if self._options.failargs is Failargs.IGNORE or not listed or got is None:
            return None
        if not isinstance(expected.outcome, GuardFailed):
            return Difference(
                f"guard {guard}: origin's exit block",
                f"guard {guard} fails where the exit block of the recorded guard {origin} is undefined",
            )
        wanted = expected.outcome.failargs
        assert wanted is not None
        if len(wanted) != len(got):
            return Difference(
                f"guard {guard}: failargs",
                f"guard {guard} hands over {_count(len(got), 'value')}, the recorded guard {origin} {len(wanted)}",
                expected,
            )
        for i, (x, y) in enumerate(zip(wanted, got, strict=True)):
            if x is not None and x != y:
                found = "a dead slot (None)" if y is None else str(y)
                return Difference(
                    f"guard {guard}: failarg {i}",
                    f"failarg {i} of guard {guard} is {found}, that of the recorded guard {origin} is {x}",
                    expected,
                )
        return None

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
            found.obligation,
            runs.state,
            runs.before,
            runs.after,
            found.sentence,
            tuple(origins),
            found.expected,
        )


def _at_end(before: Run, after: Run) -> Difference | None:
    """The optimized trace went to its end, or stopped at an event."""
    wanted, got = before.outcome, after.outcome
    if isinstance(got, Stopped):
        if isinstance(wanted, Stopped):
            return None
        how = _ending(wanted)
        return Difference(
            f"event {got.event}: reached",
            f"the optimized trace does event {got.event}; the recorded one {how} before",
        )
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
    if len(wanted.args) != len(got.args):
        return Difference(
            "end: arguments", f"the end hands over {_count(len(got.args), 'value')}, not {len(wanted.args)}"
        )
    for i, (x, y) in enumerate(zip(wanted.args, got.args, strict=True)):
        if x != y:
            return Difference(f"end: argument {i}", f"argument {i} of the end is {y}, not {x}")
    return None


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
