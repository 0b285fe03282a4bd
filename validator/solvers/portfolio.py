"""Asks solvers, one after the other, always in the same order: Z3 with a small effort, then whatever else is installed
and chosen, Z3 with all the effort."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from optimizer.ir.plain_terms import PlainTerms
from optimizer.ir.term import Term
from validator.solvers.answers import Answer, GaveUp, SolverChoice

if TYPE_CHECKING:
    from validator.solvers.z3_solver import Solver

FIRST_EFFORT = 300_000
"""What most queries need far less than, in Z3's rlimit units."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query as it was put: SMT-LIB text that any solver reads, with `(check-sat)`, and what was answered."""

    text: str
    answer: Answer


class Portfolio:
    """The solvers for the queries over `terms`. `memory_mb` is a limit for each solver's process. `observe` is told
    every query and its last answer."""

    def __init__(
        self,
        terms: PlainTerms,
        choice: SolverChoice = SolverChoice.AUTO,
        memory_mb: int = 4096,
        observe: Callable[[Query], None] | None = None,
    ) -> None:
        self._terms = terms
        self._z3: Solver | None = None

    def check(self, conditions: Sequence[Term], effort: int, left_s: float) -> Answer:
        """Can all `conditions` hold at once? `effort` is in units of Z3's rlimit; with no more than `FIRST_EFFORT`, Z3
        alone is asked. `left_s` is the time until the net closes."""
        if left_s <= 0:
            return GaveUp("wall", ())
        if self._z3 is None:
            from validator.solvers.z3_solver import Solver

            self._z3 = Solver(self._terms)
        return self._z3.check(conditions, effort, left_s)
