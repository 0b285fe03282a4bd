"""New objects told by what is put into them, where both traces put constants into objects without a common name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set

from validator.pypy.inferred.written import ALLOCATIONS
from validator.pypy.printed.lines import Line

_NESTED = 3
"""The number of new objects in one another that are told by their contents."""


class Made:
    """The objects that these operations make, told by what is put into them, where nothing else tells which of both
    traces are the same: they have no names in common. `of` gives the classes of values, of which both traces have the
    `shared` ones."""

    def __init__(self, lines: Iterable[Line], of: Callable[[str], object], shared: Set[object]) -> None:
        self._of, self._shared = of, shared
        self._held: dict[str | None, tuple[str, dict[str, str]]] = {}
        for line in lines:
            if line.name in ALLOCATIONS:
                self._held[line.result] = line.descr, {}
            elif (found := line.access) and found.is_store and found.place[0] in self._held:
                self._held[found.place[0]][1][found.memory] = found.value

    def told(self, text: str, depth: int = _NESTED) -> object:
        """The class of a value; of an object that one trace alone makes, its descr and what it holds in the end."""
        if text not in self._held or not depth or self._of(text) in self._shared:
            return self._of(text)
        descr, held = self._held[text]
        return descr, *((memory, self.told(value, depth - 1)) for memory, value in sorted(held.items()))
