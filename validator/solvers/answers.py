"""Answers of solvers, and the solvers that there are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from optimizer.ir.domains.term import Term


class SolverChoice(Enum):
    """The solvers that are asked: one of them alone, or all that are installed, in a fixed order."""

    AUTO = "auto"
    Z3 = "z3"
    BITWUZLA = "bitwuzla"
    CVC5 = "cvc5"


@dataclass(frozen=True, slots=True)
class Unsat:
    """No values satisfy the conditions, says the solver `by`."""

    by: str = "z3"


@dataclass(frozen=True, slots=True)
class Sat:
    """These values satisfy the conditions: of each variable, index, and thing that objects have, that matters. Words
    are signed; equal references are equal numbers, 0 is NULL; classes are numbers, see
    `validator.prove.terms.object_kinds`."""

    model: Mapping[Term, int]
    by: str = "z3"


@dataclass(frozen=True, slots=True)
class GaveUp:
    """No answer: `reason` is "effort" where the budget ran out, "wall" where the time of the pair did, "memory" where
    the memory was at its limit, or the solver's own word; of several, the last one that is not "effort". `tried` are
    the solvers that gave up, in the order in which they were asked."""

    reason: str
    tried: tuple[str, ...] = ("z3",)

    @property
    def is_repeatable(self) -> bool:
        """Does the answer depend on the query and its effort only?"""
        return self.reason == "effort"


Answer = Unsat | Sat | GaveUp

Reply = Mapping[str, int] | GaveUp | None
"""The reply of a solver's process to a script: the values of the names that were asked for, as bit patterns; None where
the conditions contradict."""
