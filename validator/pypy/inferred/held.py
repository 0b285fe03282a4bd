"""The contents of memories at a place of a trace, as its accesses tell them."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field

from validator.pypy.printed.lines import Access

Node = tuple[str, str]
"""A text with the trace in which it stands; constants that mean the same in both stand in none, ""."""


@dataclass(slots=True)
class Memory:
    """The contents of one memory at a place of a trace: the accesses that tell them, by their keys, and the keys by the
    names of the objects; and the references that were ever stored, by those."""

    accesses: dict[tuple[Node, ...], Access] = field(default_factory=dict)
    keys: dict[str, set[tuple[Node, ...]]] = field(default_factory=dict)
    stored: dict[str, list[str]] = field(default_factory=dict)

    def put(self, key: tuple[Node, ...], access: Access) -> None:
        if (old := self.accesses.get(key)) is not None:
            self.keys[old.place[0]].discard(key)
        self.accesses[key] = access
        self.keys.setdefault(access.place[0], set()).add(key)

    def forget(self, name: str, index: tuple[Node, ...] = ()) -> None:
        """Forgets what the object of that name holds; where the number of an item is given, but for others."""
        for key in self.keys.pop(name):
            if index and key[1:] != index and are_numbers(key[1:]):
                self.keys.setdefault(name, set()).add(key)
            else:
                del self.accesses[key]


def are_numbers(nodes: tuple[Node, ...]) -> bool:
    return not any(map(operator.itemgetter(0), nodes))
