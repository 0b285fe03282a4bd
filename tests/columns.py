"""The values of terms in many states at once."""

from __future__ import annotations

from collections.abc import Sequence

from optimizer.ir.domains.concrete import concrete
from optimizer.ir.domains.term import Term, cone


class Columns:
    """The value of each term in each of the states, which are values of the variables of those `names`."""

    def __init__(self, names: str, states: Sequence[tuple[int, ...]], width: int) -> None:
        self._variables = dict(zip(names, map(list, zip(*states, strict=True)), strict=True))
        self._count = len(states)
        self._domain = concrete(width)
        self._known: dict[Term, list[int]] = {}

    def of(self, root: Term) -> list[int]:
        for term in cone([root], self._known):
            if term.kind == "var":
                self._known[term] = self._variables[term.value]
            elif term.args:
                operation = getattr(self._domain, term.kind)
                self._known[term] = list(map(operation, *[self._known[arg] for arg in term.args]))
            else:
                self._known[term] = [term.value] * self._count
        return self._known[root]

    def where(self, conditions: Sequence[Term]) -> list[int]:
        """The states in which all conditions hold."""
        return [i for i, held in enumerate(zip(*map(self.of, conditions), strict=True)) if all(held)]
