"""What stands in for the rungs without a solver where a solver alone decides: nothing is settled, rewritten or left
out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from optimizer.ir.domains.term import Term
from validator.prove.obligations import Obligation, Pair, Place


@dataclass(frozen=True, slots=True)
class Assumed:
    """What may be assumed at a place, as it is written; no term says more for it."""

    learned: list[Term]
    contradiction: bool = False

    def rebuild(self, root: Term) -> Term:
        return root


class NoRungs:
    """Has what `validator.prove.cheap_rungs.CheapRungs` has, and settles nothing."""

    def __init__(self, pair: Pair) -> None:
        self._pair = pair

    def settle(self, obligation: Obligation) -> str | None:
        return None

    def at_once(self, obligation: Obligation) -> str | None:
        return None

    def known(self, place: Place, given: tuple[Term, ...] = ()) -> Assumed:
        return Assumed([*given, *self._pair.assumptions(place)])

    def slice(self, start: Sequence[Term], conditions: Sequence[Term]) -> list[Term]:
        return [*start, *conditions]
