"""Fields of objects over calls that are given these objects, and do not write them.

Structs of several types share their names, as RPython's lists do. So that a function does not write such a field is
inferred of the very object that it is given (`OF_GIVEN`), and no declaration has words for that: behind the call, what
was in the field in front of it stands for what is loaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, field

from optimizer.ir.immutable import replace
from validator.pypy.inferred.effects import OF_GIVEN, Effect
from validator.pypy.inferred.numbering import Preserved
from validator.pypy.printed.lines import Access, Line, Printed
from validator.pypy.printed.straight import Sides

_FORGETS = ("gc_store", "label")


def with_given(sides: Sides, effects: Set[Effect], leaves: Preserved) -> tuple[Sides, tuple[str, ...]]:
    """The pair whose recorded trace, with that of the loop that it jumps to, has the earlier values for such loads; and
    what is assumed for that. Calls leave other memory as it is, as `leaves` says."""
    walk = _Walk(frozenset(one for one in effects if one.memory.endswith(OF_GIVEN)), leaves)
    before, target = walk.passed(sides.before), sides.target
    if target is not None:
        target = replace(target, before=walk.passed(target.before))
    return replace(sides, before=before, target=target), tuple(sorted(map(str, walk.used)))


@dataclass(slots=True)
class _Walk:
    """The values of fields, by the field and the object, each with the effects that it rests on, and those `used`."""

    effects: frozenset[Effect]
    leaves: Preserved
    known: dict[tuple[str, str], tuple[str, frozenset[Effect]]] = field(default_factory=dict)
    used: set[Effect] = field(default_factory=set)

    def passed(self, printed: Printed) -> Printed:
        """The trace with earlier values."""
        self.known.clear()
        return printed.with_lines(tuple(map(self._line, printed.lines)))

    def _line(self, line: Line) -> Line:
        found = line.access
        if found and len(found.place) == 1:
            return self._accessed(line, found)
        if line.may_write:
            self.known = dict(self._behind(line))
        elif line.name.startswith(_FORGETS):
            self.known.clear()
        return line

    def _accessed(self, line: Line, access: Access) -> Line:
        key = access.memory, access.place[0]
        if access.is_store:  # it may be another one's
            self.known = {one: held for one, held in self.known.items() if one[0] != access.memory}
        elif key in self.known:
            value, effects = self.known[key]
            self.used |= effects
            return replace(line, name=f"same_as_{line.name[-1]}", args=(value,), descr="") if effects else line
        self.known[key] = access.value, frozenset()
        return line

    def _behind(self, call: Line) -> Iterator[tuple[tuple[str, str], tuple[str, frozenset[Effect]]]]:
        """The values that are known behind a call."""
        for (memory, base), (value, effects) in self.known.items():
            effect = Effect(call.function, "writes", memory + OF_GIVEN)
            if self.leaves(call.function, memory):
                yield (memory, base), (value, effects)
            elif effect in self.effects and base in call.called_with:
                yield (memory, base), (value, effects | {effect})
