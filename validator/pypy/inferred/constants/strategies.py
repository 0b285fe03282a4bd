"""The classes of the strategies that lists get when something is stored to them.

A list of Python that is empty gets another strategy, a constant object, as soon as an item is appended, and a storage
that is made for it. Often that happens in a bridge, behind which the loop goes on, where it has asked for the class of
the strategy in front of its label. No log prints the class of a constant. But the storages of lists of integers are of
one type, and so are those of floats; and the recorded traces of a log have asked for the strategies of the lists in
whose storages they have found such items. So that of a list that gets such a storage is assumed to be of the class that
they have found, if that is one class, in all of them.

This is told by the recorded traces alone, whatever became of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from optimizer.ir.immutable import replace
from validator.pypy.printed.kinds.lists import OF_ONE_TYPE, STORAGE, types_of_lists
from validator.pypy.printed.kinds.tables import STRATEGY, in_storages
from validator.pypy.printed.lines import Line, Printed, is_pointer
from validator.pypy.printed.straight import Sides


@dataclass(slots=True)
class Strategies:
    """The classes of the strategies of lists, by the arrays of these."""

    _found: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def add(self, recorded: Printed) -> None:
        kinds = types_of_lists(recorded)
        for name, storage in in_storages(recorded.lines, STORAGE).items():
            self._found[kinds.get(name, "")].add(storage.split()[-1])

    def assumed(self) -> dict[str, str]:
        """The class of the strategies of lists of one type, by the array, where they have one."""
        return {array: min(found) for array, found in self._found.items() if array in OF_ONE_TYPE and len(found) == 1}


def with_strategies(sides: Sides, classes: Mapping[str, str]) -> tuple[Sides, tuple[str, ...]]:
    """The bridge to an inner label whose recorded trace says of which classes the strategies are that lists get in it,
    and what is assumed for that."""
    if sides.target is None:
        return sides, ()
    lines, told = list[Line](), dict[str, str]()
    for line, array, strategy in _given(sides.before):
        lines.append(line)
        if array in classes:
            lines.append(Line(None, "record_exact_class", (strategy, f"ConstClass({classes[array]})")))
            told[array] = classes[array]
    assumed = tuple(f"the strategy of a list of {array} is of class {class_}" for array, class_ in told.items())
    return replace(sides, before=sides.before.with_lines(tuple(lines))) if told else sides, assumed


def _given(recorded: Printed) -> Iterator[tuple[Line, str, str]]:
    """The lines of a trace; with one that stores a list to where a constant strategy has just been stored, the array of
    the list, and the strategy ("": it is none of these)."""
    kinds, owner, strategy = types_of_lists(recorded), "", ""
    for line in recorded.lines:
        found = line.access
        array = ""
        if line.may_write:
            owner = ""
        elif found and found.is_store and STRATEGY.fullmatch(found.memory):
            owner, strategy = (found.place[0], found.value) if is_pointer(found.value) else ("", "")
        elif found and found.is_store and STORAGE.fullmatch(found.memory):
            array = kinds.get(found.value, "") if found.place[0] == owner else ""
            owner = ""
        yield line, array, strategy
