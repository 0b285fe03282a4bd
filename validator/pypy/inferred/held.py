"""The contents of memories at a place of a trace, as its accesses tell them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from validator.pypy.printed.lines import Access

Node = tuple[str, str]
"""A text with the trace in which it stands; constants that mean the same in both stand in none, ""."""

Key = tuple[Node, ...]
"""The class of an object and, of an item, that of its index."""


@dataclass(slots=True)
class Memory:
    """The contents of one memory at a place of a trace: the accesses that tell them, by their keys; the keys by the
    number of the item, () for others, and by the names of the objects; and the references that were ever stored, by
    those."""

    accesses: dict[Key, Access] = field(default_factory=dict)
    keys: dict[Key, dict[str, set[Key]]] = field(default_factory=dict)
    stored: dict[str, list[str]] = field(default_factory=dict)

    def put(self, key: Key, access: Access) -> None:
        names = self.keys.setdefault(number_of(key), {})
        if (old := self.accesses.get(key)) is not None:
            names[old.place[0]].discard(key)
        self.accesses[key] = access
        names.setdefault(access.place[0], set()).add(key)

    def forget(self, number: Key, gone: Callable[[Key, Iterable[str]], Iterable[str]]) -> None:
        """Forgets what those of the objects of such names hold that are `gone`, by the number of the item; where that
        number is given, but for other items."""
        for one in [one for one in ({number, ()} if number else self.keys) if one in self.keys]:
            names = self.keys[one]
            for name in [*gone(one, names)]:
                for key in names.pop(name):
                    del self.accesses[key]


def number_of(key: Key) -> Key:
    """The number of the item at this place; () for a field, and for an item at an index that varies."""
    return () if any(map(operator.itemgetter(0), key[1:])) else key[1:]
