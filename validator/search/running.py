"""The running rung: both traces run on states, and what the runs rule out of an alignment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from itertools import islice, takewhile, tee

from optimizer.ir.immutable import replace
from optimizer.ir.run.interpreter import GuardFailed
from optimizer.ir.trace import Trace
from optimizer.ir.types.layout import Layout
from validator.prove.align import Alignment
from validator.search.counterexample import Counterexample, State
from validator.search.replay import Replay, Runs
from validator.search.simplify import simplify_state
from validator.search.states import sample_states
from validator.verdict import Options

_MOST_RERUN = 1_000_000
"""The number of operations that are run again, at most, to see which origins of a guard a state rules out."""


class Running:
    """The runs of a pair of traces, on samples and on what solvers find. `layout` is the one that the pair shares.

    `counterexamples` are the states that ruled something out, one suffices where nothing is left. No sample is run any
    more once `is_late`.
    """

    def __init__(
        self,
        before: Trace,
        after: Trace,
        options: Options,
        layout: Layout,
        alignment: Alignment,
        examples: Sequence[State],
        is_late: Callable[[], bool],
    ) -> None:
        self._before = before
        self._alignment = alignment
        self._is_late = is_late
        self._simplifies = options.simplify
        self._replay = Replay(before, after, options, layout)
        self._samples = tee(sample_states(before, after, examples, layout), 1)[0]  # copies run, this one stays
        self._ran = 0
        self._runs: list[Runs] = []
        self.counterexamples: list[Counterexample] = []

    def reaches_end(self, first: int, last: int | None) -> bool:
        """Does the recorded trace go to its end on one of the samples `first` to `last` (not included)?"""
        return any(map(self._replay.reaches_end, self._in_time(first, last)))

    def _in_time(self, first: int, last: int | None) -> Iterator[State]:
        """The samples `first` to `last` (not included), as long as it is not late."""
        return takewhile(lambda _: not self._is_late(), islice(copy(self._samples), first, last))

    def differs(self, state: State, origins: Sequence[int | None]) -> bool:
        """Do the two traces differ on the state, under those origins?"""
        return self._replay.counterexample(state, origins) is not None

    def rules_out(self, most: int | None) -> bool:
        """Does a run that was made already, or one on the first `most` samples (None: on any), show that the best
        assignment is wrong?"""
        if any(map(self._rule_out, self._runs)):
            return True
        for state in self._in_time(self._ran, most):
            self._ran += 1
            runs = self._replay.run(state)
            if runs is not None:
                self._runs.append(runs)
                if self._rule_out(runs):
                    return True
        return False

    def learn(self, state: State, origins: Sequence[int | None]) -> bool:
        """Take a state that a solver found for a counterexample to the best assignment; False where it is none."""
        runs = self._replay.run(state)
        if runs is None or not self.differs(state, origins) or not self._rule_out(runs, "solving"):
            return False
        self._runs.append(runs)
        return True

    def _rule_out(self, runs: Runs, by: str = "running") -> bool:
        """Do these runs show that the best assignment is wrong? If so, keep them as a counterexample, and take from the
        alignment all that they rule out."""
        guard = self._replay.left_at(runs)
        origins = self._alignment.best()
        if origins is None:
            return False
        origin = None if guard is None else origins[guard]
        if self._replay.difference(runs, origin) is None:
            return False
        wrong = [origin]
        if guard is not None:
            wrong += self._others_ruled_out(runs, guard, origin)
        found = self._replay.counterexample(self._simplest(runs.state, guard, wrong), origins)
        assert found is not None
        found = replace(found, by=by)
        if guard is None or origin is None:
            self.counterexamples = [found]
            self._alignment.give_up()
        else:
            self.counterexamples.append(found)
            self._alignment.exclude(guard, set(wrong))
        return True

    def _others_ruled_out(self, runs: Runs, guard: int, origin: int | None) -> Iterator[int]:
        """The other origins that those runs take from the guard: of very many, the first ones. (What is not taken now
        is when it is the best one.)"""
        left = runs.before.outcome.guard if isinstance(runs.before.outcome, GuardFailed) else None
        most = max(1, _MOST_RERUN // len(self._before.ops))
        for k in self._alignment.allowed(guard):
            if k == origin:
                continue
            if left is None or k <= left:  # it has to be run again, to leave there
                most -= 1
            if most >= 0 and self._replay.difference(runs, k):
                yield k

    def _simplest(self, state: State, guard: int | None, wrong: Sequence[int | None]) -> State:
        """A state that rules out as much as `state` does, and breaks the same obligations: a simpler one, if that is
        wanted."""

        def names(candidate: State) -> list[str] | None:
            runs = self._replay.run(candidate)
            if runs is None or self._replay.left_at(runs) != guard:
                return None
            found = [self._replay.difference(runs, k) for k in wrong]
            return None if None in found else [one.obligation for one in found if one]

        if not self._simplifies:
            return state
        wrong = wrong[:4]
        broken = names(state)
        return simplify_state(state, self._before, lambda candidate: names(candidate) == broken)
