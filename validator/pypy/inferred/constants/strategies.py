"""The classes of the strategies that lists get when something is stored to them.

A list of Python that is empty gets another strategy, a constant object, as soon as an item is appended, and a storage
that is made for it. Often that happens in a bridge, behind which the loop goes on, where it has asked for the class of
the strategy in front of its label. No log prints the class of a constant. But the storages of lists of integers are of
one type, and so are those of floats; and the recorded traces of a log have asked for the strategies of the lists in
whose storages they have found such items. So that of a list that gets such a storage, which is new, is assumed to be of
the class that they have found, if that is one class, in all of them; but only of a list that has been found to have a
strategy before with which no recorded trace has found anything in a storage, as that of empty lists is. Where another
one is given up, the next may be one of several for such items (that for integers and floats holds them, too).

This is told by the recorded traces alone, whatever became of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from optimizer.ir.immutable import replace
from validator.pypy.printed.kinds.lists import OF_ONE_TYPE, STORAGE, types_of_lists
from validator.pypy.printed.kinds.tables import CLASS_TESTS, STRATEGY, class_name, in_storages
from validator.pypy.printed.lines import Line, Printed, is_pointer
from validator.pypy.printed.straight import Sides


@dataclass(slots=True)
class Strategies:
    """The classes of the strategies of lists, by the arrays of these ("": not known)."""

    _found: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def add(self, recorded: Printed) -> None:
        kinds = types_of_lists(recorded)
        for name, storage in in_storages(recorded.lines, STORAGE).items():
            self._found[kinds.get(name, "")].add(storage.split()[-1])

    def of(self, array: str, before: str) -> str | None:
        """The class of the strategy that a list of a type gets, which has had a strategy of that class before; None if
        it is not known."""
        classes = self._found.get(array, ()) if array in OF_ONE_TYPE else ()
        is_of_empty = before and not any(before in found for found in self._found.values())
        return min(classes) if is_of_empty and len(classes) == 1 else None


def with_strategies(sides: Sides, strategies: Strategies) -> tuple[Sides, tuple[str, ...]]:
    """The bridge to an inner label whose recorded trace says of which classes the strategies are that lists get in it,
    and what is assumed for that."""
    if sides.target is None:
        return sides, ()
    lines, told = list[Line](), dict[str, str]()
    for line, array, strategy, before in _given(sides.before):
        lines.append(line)
        if array and (class_ := strategies.of(array, before)):
            lines.append(Line(None, "record_exact_class", (strategy, f"ConstClass({class_})")))
            told[array] = class_
    assumed = tuple(f"the strategy of a list of {array} is of class {class_}" for array, class_ in told.items())
    return replace(sides, before=sides.before.with_lines(tuple(lines))) if told else sides, assumed


def _given(recorded: Printed) -> Iterator[tuple[Line, str, str, str]]:
    """The lines of a trace; with one that stores a new list to where a constant strategy has just been stored, the
    array of the list, the strategy, and the class of that in front ("": it is none of these, or not known)."""
    kinds = types_of_lists(recorded)
    new = {line.result for line in recorded.lines if line.name == "new"}
    loaded, classes = dict[str, str](), dict[str, str]()
    owner = strategy = before = ""
    for line in recorded.lines:
        found, array = line.access, ""
        if line.may_write:
            owner, loaded, classes = "", {}, {}
        elif line.name in CLASS_TESTS and line.args[0] in loaded:
            classes[loaded[line.args[0]]] = class_name(line.args[1])
        elif found and STRATEGY.fullmatch(found.memory) and not found.is_store:
            loaded[found.value] = found.place[0]
        elif found and STRATEGY.fullmatch(found.memory):
            owner, strategy = (found.place[0], found.value) if is_pointer(found.value) else ("", "")
            before, loaded, classes = classes.get(owner, ""), {}, {}
        elif found and found.is_store and STORAGE.fullmatch(found.memory):
            array = kinds.get(found.value, "") if found.place[0] == owner and found.value in new else ""
            owner = ""
        yield line, array, strategy, before
