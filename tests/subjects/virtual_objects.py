"""Objects that have not been allocated yet, and how exits of guards make them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from planted import faulty
from trace_text import Op, is_variable, number

Place = tuple[str, str, str]
"""A field, an object, and an index, which is empty where there is none."""

_DEFAULTS = {"i": "0", "r": "NULL", "f": "0.0"}


@dataclass
class Virtual:
    """An allocation, and the last store to each of its fields or items."""

    op: Op
    length: int | None = None
    stores: dict[tuple[str, str], Op] = field(default_factory=dict)

    def holds(self, index: str) -> bool:
        """Is it known which field or item that is?"""
        place = number(index) if index else None
        return place is None if self.length is None else place is not None and 0 <= place < self.length

    def read(self, load: Op, place: Place) -> str:
        store = self.stores.get((place[0], place[2]))
        return store.args[-1] if store else _DEFAULTS[load.name[-1]]


class Exit:
    """The exit block of a guard, which makes the virtual objects that it needs."""

    def __init__(self, virtuals: dict[str, Virtual], resolve: Callable[[str], str], suffix: str) -> None:
        self._virtuals = virtuals
        self._resolve = resolve
        self._suffix = suffix
        self._made: dict[str, str] = {}
        self.block: list[Op] = []

    def complete(self, guard: Op, stores: Iterable[Op]) -> None:
        """The guard's exit makes what it needs and does these stores first."""
        guard.failargs = guard.failargs and [self._value(value) for value in guard.failargs]
        inner = [op.copied(self._value) for op in guard.block]
        guard.block = [*self.block, *(store.copied(self._resolve) for store in stores), *inner]

    def _value(self, value: str, depth: int = 0) -> str:
        value = self._resolve(value)
        if not is_variable(value) or value not in self._virtuals:
            return value
        virtual = self._virtuals[value]
        is_made_again = depth and faulty("shared object twice in an exit") and not self._holds_virtuals(virtual)
        if value in self._made and not is_made_again:
            return self._made[value]
        name = self._made[value] = f"{value}{self._suffix}_{len(self.block)}"
        self.block.append(Op(virtual.op.name, virtual.op.args, name, virtual.op.descr))
        if depth and faulty("shallow exit"):
            return name
        for store in virtual.stores.values():
            args = [name, *store.args[1:-1], self._value(store.args[-1], depth + 1)]
            self.block.append(Op(store.name, args, None, store.descr))
        return name

    def _holds_virtuals(self, virtual: Virtual) -> bool:
        return any(self._resolve(store.args[-1]) in self._virtuals for store in virtual.stores.values())
