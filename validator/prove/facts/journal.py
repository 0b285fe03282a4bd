"""Tables whose changes can be taken back, so that a question under more conditions needs no copy of what is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol, TypeVar

K = TypeVar("K")
V = TypeVar("V")
S = TypeVar("S")

_ABSENT: Any = object()


class Journal:
    """Writes into tables; what was written since a mark can be taken back, the latest mark first."""

    __slots__ = ("_entries", "_marks")

    def __init__(self) -> None:
        self._entries: list[tuple[dict[Any, Any], Any, Any]] = []
        self._marks: list[int] = []

    def mark(self) -> None:
        """Marks a point: changes from here on can be taken back."""
        self._marks.append(len(self._entries))

    def put(self, table: dict[K, V], key: K, value: V) -> None:
        if self._marks:
            self._entries.append((table, key, table.get(key, _ABSENT)))
        table[key] = value

    def drop(self, table: dict[K, V], key: K) -> None:
        """Leaves the table without the key, which it has."""
        if self._marks:
            self._entries.append((table, key, table[key]))
        del table[key]

    def drop_all(self, table: dict[K, V]) -> None:
        if self._marks:
            self._entries += [(table, key, value) for key, value in table.items()]
        table.clear()

    def take_back(self) -> None:
        """Everything is as it was at the latest mark, which is gone."""
        mark = self._marks.pop()
        for table, key, value in reversed(self._entries[mark:]):
            if value is _ABSENT:
                table.pop(key, None)
            else:
                table[key] = value
        del self._entries[mark:]


class Marked(Protocol):
    """An object that remembers what was done since marks."""

    def mark(self) -> None: ...

    def take_back(self) -> None: ...


def go_on(way: list[S], steps: Sequence[S], marked: Marked) -> Iterator[S]:
    """Has `way` lead along `steps`. What was done from the first one on that differs is taken back, at once; those that
    are new are given one by one, to be done behind a mark of their own."""
    same = next((place for place, (one, step) in enumerate(zip(way, steps, strict=False)) if one != step), len(steps))
    for _ in range(same, len(way)):
        way.pop()
        marked.take_back()
    return _new(way, steps[len(way) :], marked)


def _new(way: list[S], steps: Sequence[S], marked: Marked) -> Iterator[S]:
    for step in steps:
        marked.mark()
        way.append(step)
        yield step
