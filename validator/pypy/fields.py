"""The fields that never change: PyPy prints `pure` behind immutable fields and behind quasi-immutable ones alike.

A recorded trace watches a quasi-immutable field (`quasiimmut_field`) before it reads it, and does not say which field
that is. So every field that a trace reads from an object which it has watched before may be one, in the whole log.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from optimizer.ir.types.memory_types import Field, lone_field
from validator.pypy.lines import Line
from validator.pypy.sameness import Node, Sameness
from validator.pypy.straight import BEFORE

_PURE = " pure>"
_TYPES = {"<FieldS": "int", "<FieldU": "int", "<FieldP": "ref", "<FieldF": "float"}


def is_pure(memory: str) -> bool:
    """Does PyPy's optimizer take it that a memory of that name never changes?"""
    return memory.endswith(_PURE)


@dataclass(slots=True)
class Fields:
    """Immutable and changing fields among those that a log names."""

    pure: set[str] = field(default_factory=set)
    may_change: set[str] = field(default_factory=set)

    def add(self, recorded: tuple[Line, ...], sameness: Sameness) -> None:
        """Takes in a recorded trace."""
        watched: set[Node] = set()
        for line in recorded:
            if line.name == "quasiimmut_field":
                watched.add(sameness.of(BEFORE, line.args[0]))
            elif (found := line.access) and is_pure(found.memory):
                self.pure.add(found.memory)
                if sameness.of(BEFORE, found.place[0]) in watched and not found.is_store:
                    self.may_change.add(found.memory)

    def never_changes(self, name: str) -> bool:
        return name in self.pure and name not in self.may_change and name.partition(" ")[0] in _TYPES

    def declared(self, memories: list[str]) -> tuple[Field, ...]:
        """The declarations of those that are immutable."""
        return tuple(
            lone_field(name, _TYPES[name.partition(" ")[0]], immutable=True)
            for name in memories
            if self.never_changes(name)
        )
