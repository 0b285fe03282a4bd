"""Frames that a call forces.

The fields of a frame that runs in compiled code are not in memory before a call forces it (`force_virtualizable`). In a
pair that call touches nothing: an access in front of it would see what stands there behind it. PyPy records no such
access: it forces a frame before it looks at a field, once under each name (`_nonstandard_virtualizable` in
pyjitpl.py). Once forced, a frame stays so, since it does not go on while the trace runs; a new one is none that runs.
Names tell nothing of which frames are one, and a label may bind a name anew. So an optimized trace has no access to an
object that is neither new nor forced under that name since the last label, in front of whatever call that forces, if
the recorded one accesses such a field behind the call alone.

Only the virtualizable's fields are written by such a call. These are the inputs of loops, and a loop that nobody enters
from another loads all of them in front (`patch_new_loop_to_load_virtualizable_fields` in compile.py). In which order,
and so which input is which, only the log says. It is the same everywhere: the one in which most traces of the log load
them, or, where that is known, in which logs of that PyPy have done so before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Set
from dataclasses import dataclass, field

from validator.pypy.printed.calls.functions import touches_nothing
from validator.pypy.printed.lines import Line
from validator.pypy.printed.straight import NotStraight, Sides

_REFERENCE = "<FieldP "


def check_frames(sides: Sides, inputs: Set[str]) -> None:
    """Raises NotStraight where a field of a frame is accessed in front of the call that forces it. Of a frame's class
    of which fields are `inputs` of loops, all numbers that a call writes are: others are in memory anyway. References
    are not exempt, since the array of a frame is no input itself."""
    classes = {*map(_class_of, inputs)} - {""}
    runs = [(sides.before.lines, sides.after.lines)]
    if loop := sides.target:
        runs.append((loop.before.lines, loop.after.lines))
        runs.append(((*sides.before.lines, *loop.before.lines), (*sides.after.lines, *loop.before.lines)))
    for recorded, optimized in runs:
        early = looks_early(recorded, optimized)
        if any(
            memory in inputs or memory.startswith(_REFERENCE) or _class_of(memory) not in classes for memory in early
        ):
            raise NotStraight("a field of a frame that is accessed in front of the call that forces it")


def looks_early(recorded: tuple[Line, ...], optimized: tuple[Line, ...]) -> set[str]:
    """The fields of frames that the optimized trace accesses in front of a call that may force one. What stands behind
    an inner label goes round."""
    body = next((at for at, line in enumerate(optimized) if line.name == "label"), len(optimized))
    early = _in_front((*optimized, *optimized[body:])) - _in_front(recorded)
    return _behind(recorded).intersection(memory for _, memory in early)


def _in_front(lines: tuple[Line, ...]) -> set[tuple[bool, str]]:
    """The memories that are accessed in front of a call that may force the object, each with whether that stores."""
    found, looked = set[tuple[bool, str]](), set[tuple[bool, str]]()
    known = set[str | None]()
    for line in lines:
        if line.name == "label":
            known.clear()
        elif _forces(line):
            found |= looked
            known.add(line.args[-1])
        elif line.name.startswith("new"):
            known.add(line.result)
        elif (access := line.access) and access.place[0] not in known:
            looked.add((access.is_store, access.memory))
    return found


def _behind(lines: tuple[Line, ...]) -> set[str]:
    """The memories of objects that have been forced."""
    forced, found = set[str](), set[str]()
    for line in lines:
        if _forces(line):
            forced.add(line.args[-1])
        elif (access := line.access) and access.place[0] in forced:
            found.add(access.memory)
    return found


def _forces(line: Line) -> bool:
    return line.is_call and touches_nothing(line.function)


def _class_of(memory: str) -> str:
    """The class to which a field belongs."""
    return memory.partition(" ")[2].rpartition(".")[0]


Order = tuple[str, ...]
"""Where the object is in the inputs, and its fields, by their descrs."""

_USUAL, _SEVERAL = "usual", 2


@dataclass(slots=True)
class Prologues:
    """The orders in which traces of logs load fields in front, each with how often, and those that are known."""

    times: Counter[Order] = field(default_factory=Counter)
    known: set[Order] = field(default_factory=set)

    def add(self, order: Order) -> None:
        """Takes in the order of a trace."""
        self.times[order] += 1

    def usual(self) -> frozenset[Order]:
        """The orders that are known, and those that are more frequent than each other one of fields of such a class; of
        a class of which no order is known, though others are, if several traces have it."""
        orders = self.known | self.times.keys()
        return frozenset(one for one in orders if not any(self._gives_way(one, other) for other in orders))

    def _gives_way(self, one: Order, other: Order) -> bool:
        if one == other or one in self.known or not one or not other:
            return False
        if {*map(_class_of, one[1:])}.isdisjoint(map(_class_of, other[1:])):
            return other in self.known and self.times[one] < _SEVERAL
        return other in self.known or self.times[one] <= self.times[other]

    def of_python(self) -> frozenset[Order]:
        """The known orders, one of which each trace of Python's bytecodes has that the interpreter enters."""
        return frozenset(self.known)

    def kept(self) -> Iterator[Order]:
        """The usual orders, as they are kept in a file."""
        yield from ((_USUAL, *order) for order in self.usual() if order)

    def take(self, row: Order, log: int) -> None:
        """Takes in what is kept. Raises ValueError."""
        kind, *order = row
        if kind != _USUAL or not order:
            raise ValueError(row)
        self.known.add(tuple(order))
