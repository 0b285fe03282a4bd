"""Asks Z3 whether what must hold at a place follows from what may be assumed there:

- that guards have passed;
- that an operation of the recorded trace with at most as many events ahead is defined, if all guards ahead of it pass;
- that an exit block of it is defined where its guard, with at most as many events ahead, is the first one that fails;
- what is known of the values that the optimized trace has loaded by then;
- what holds of the terms whatever the traces do.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import z3

from validator.check.facts import Facts, Place
from validator.check.universe import Universe

_QUICK, _FEW, _MORE = 10_000, 100_000, 1_000_000
"""Efforts of the queries that come first."""
_INTERRUPTED = "interrupted from keyboard"


class OutOfTime(Exception):
    """The pair takes longer than it may."""


class Asking:
    """Asks with an effort of so many of Z3's units of resources a query, for so many seconds in all."""

    def __init__(self, universe: Universe, effort: int, timeout_s: float) -> None:
        self.facts = Facts(universe)
        self._opaque = universe.words.opaque
        self._effort = effort
        self._deadline = time.monotonic() + timeout_s
        self._solver = z3.Then("simplify", "propagate-values", "solve-eqs", "simplify", "smt").solver()
        self.queries = 0
        self.model: Any = None  # of the last claim that has values for which it does not hold

    def holds(
        self, place: Place, given: Sequence[Any], claim: Any, ahead: Callable[[Place], Sequence[Any]] | None = None
    ) -> bool | None:
        """Does the claim hold at the place wherever all of `given` do? None where Z3 gives up; False where it has
        values for which it does not, though no run may have them. Little effort is made without `ahead`, which says
        what is promised behind the place."""
        if time.monotonic() > self._deadline:
            raise OutOfTime
        answer: bool | None = z3.is_true(z3.simplify(claim))
        for query, effort in () if answer else self._queries(place, [*given, z3.Not(claim)], ahead):
            answer = self._refutes(query, effort)
            if answer:
                return True
        return answer if answer or ahead is not None else None

    def _queries(
        self, place: Place, asked: list[Any], ahead: Callable[[Place], Sequence[Any]] | None
    ) -> Iterator[tuple[list[Any], int]]:
        """Queries of ever more that may be assumed, with ever more effort; the last one is the exact one."""
        exactly = self._opaque.exactly
        near = [*self.facts.near(asked, place), *asked]
        yield near, _QUICK
        exact = [exactly(one) for one in near]
        yield exact, _FEW
        if ahead is not None:
            whole = [*self.facts.all(place), *ahead(place), *asked]
            yield whole, _FEW
            yield exact, _MORE
            yield whole, _MORE
            yield [exactly(one) for one in whole], self._effort

    def _refutes(self, query: Sequence[Any], effort: int) -> bool | None:
        """Does nothing satisfy the query?"""
        self.queries += 1
        solver = self._solver
        solver.set("rlimit", effort)
        solver.set("ctrl_c", signal.getsignal(signal.SIGINT) is not signal.SIG_IGN)
        if effort > _MORE:
            solver.set("timeout", max(1, int(1000 * (self._deadline - time.monotonic()))))
        solver.reset()
        solver.add(*query)
        try:
            answer = solver.check()
            if answer == z3.sat:
                self.model = solver.model()
        except z3.Z3Exception:
            return None
        if answer == z3.unknown and solver.reason_unknown() == _INTERRUPTED:
            signal.raise_signal(signal.SIGINT)  # Z3 has taken it for itself
        return None if answer == z3.unknown else bool(answer == z3.unsat)
