"""The fields that never change: PyPy prints `pure` behind immutable fields and behind quasi-immutable ones alike.

A recorded trace watches a quasi-immutable field (`quasiimmut_field`) before it reads it, and does not say which field
that is. So every field that a trace reads from an object which it has watched before may be one, in the whole log.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from optimizer.ir.types.memory_types import Field, lone_field
from validator.pypy.lines import Line, access

_PURE = " pure>"
_TYPES = {"<FieldS": "int", "<FieldU": "int", "<FieldP": "ref", "<FieldF": "float"}


@dataclass(slots=True)
class Fields:
    """Immutable and changing fields among those that a log names."""

    pure: set[str] = field(default_factory=set)
    may_change: set[str] = field(default_factory=set)

    def add(self, recorded: tuple[Line, ...]) -> None:
        """Takes in a recorded trace."""
        watched: set[str] = set()
        for line in recorded:
            if line.name == "quasiimmut_field":
                watched.add(line.args[0])
            elif (found := access(line)) and found.memory.endswith(_PURE):
                self.pure.add(found.memory)
                if found.place[0] in watched and not found.is_store:
                    self.may_change.add(found.memory)

    def is_immutable(self, name: str) -> bool:
        return name in self.pure and name not in self.may_change and name.partition(" ")[0] in _TYPES

    def declared(self, memories: list[str]) -> tuple[Field, ...]:
        """The declarations of those that are immutable."""
        return tuple(
            lone_field(name, _TYPES[name.partition(" ")[0]], immutable=True)
            for name in memories
            if self.is_immutable(name)
        )
