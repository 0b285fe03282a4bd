"""The accesses and calls of one trace of a pair, by their places, and the calls that both traces make."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass

from validator.pypy.inferred.sameness import FIND_OUT, Node, Sameness
from validator.pypy.inferred.written import ALLOCATIONS
from validator.pypy.printed.calls.functions import touches_no_object
from validator.pypy.printed.lines import ANY_EFFECT, Line, Printed, is_variable
from validator.pypy.printed.straight import BEFORE

_FORGETS = ("label", "gc_store")
"""Operations behind which PyPy's optimizer may know less of all memory."""

Place = tuple[str, tuple[Node, ...]]


@dataclass(frozen=True, slots=True)
class Done:
    """An access, with the `name` of what it loads or stores. `cached`: PyPy's optimizer knows afterwards what stands
    there."""

    at: int
    is_store: bool
    place: Place
    value: Node
    name: str
    cached: bool


class Accesses:
    """The accesses, the calls that may have effects, and the checks for valid code of one trace, by their places; of
    each value, where it is seen first. `new` are the objects that the other trace makes: this one may make none of
    them."""

    def __init__(self, trace: str, printed: Printed, sameness: Sameness, new: Set[Node] = frozenset()) -> None:
        lines = printed.lines
        self.calls = [
            (at, line) for at, line in enumerate(lines) if line.may_write and not touches_no_object(line.function)
        ]
        self.given = {at: {*(sameness.of(trace, text) for text in line.called_with)} for at, line in self.calls}
        self.checks = [at for at, line in enumerate(lines) if line.name == "guard_not_invalidated"]
        self._found_out = [
            (at, sameness.of(trace, line.args[0]))
            for at, line in enumerate(lines)
            if line.name in FIND_OUT and line.args[0][0] == "p"
        ]
        self._forgetting = [at for at, line in enumerate(lines) if line.name.startswith(_FORGETS)]
        self.accesses = [
            Done(
                at,
                found.is_store,
                (found.memory, places),
                sameness.of(trace, found.value),
                found.value,
                _is_cached(line),
            )
            for at, line in enumerate(lines)
            if (found := line.access)
            for places in [tuple(sameness.of(trace, part) for part in found.place)]
        ]
        self._first: dict[Place, int] = {}
        for done in self.accesses:
            self._first.setdefault(done.place, done.at)
        self.storing = {done.at for done in self.accesses if done.is_store}
        self.stores: dict[Place, list[Done]] = {}
        self.loads: dict[Place, list[int]] = {}
        for done in self.accesses:
            if done.is_store:
                self.stores.setdefault(done.place, []).append(done)
            else:
                self.loads.setdefault(done.place, []).append(done.at)
        self.seen: dict[Node, int] = {sameness.of(trace, text): -1 for text in printed.inputs}
        for at, line in enumerate(lines):
            for text in (*line.args, *((line.result,) if line.result else ())):
                self.seen.setdefault(sameness.of(trace, text), at)

        made = (
            (at, sameness.of(trace, line.result or "")) for at, line in enumerate(lines) if line.name in ALLOCATIONS
        )
        self._new = new
        self.made = {node: at for at, node in made if trace == BEFORE and self.seen[node] == at}

    def has(self, place: Place, at: int) -> bool:
        """Is the object of that place an object in this trace in front of `at`, or an input?"""
        base = place[1][0]
        return self.seen.get(base, at if base in self._new else -1) < at

    def again(self) -> Iterator[tuple[Done, Done]]:
        """Each load of a place that the trace has accessed already, with that access; stores to other places of the
        same memory may have changed it, and end that, but in a recorded trace those to objects that are newer than its
        own (PyPy's optimizer may forget it behind these)."""
        last: dict[str, dict[Place, Done]] = {}
        for done in self.accesses:
            places = last.setdefault(done.place[0], {})
            if not done.is_store and done.place in places:
                yield places[done.place], done
            if done.is_store:
                new = self.made.get(done.place[1][0], -1)
                last[done.place[0]] = places = {one: at for one, at in places.items() if self.has(one, new)}
            places[done.place] = done

    def is_given(self, at: int, place: Place) -> bool:
        """Is the object of that place, a field, one that the call there is given?"""
        _, (base, *index) = place
        return base in self.given[at] and not index

    def became_constant(self, at: int, place: Place) -> bool:
        """Was the object of that place found to be a constant in front of `at`, behind an access? PyPy's optimizer then
        copies what it knows of the object to the constant, and no call makes it forget the copy
        (`copy_fields_to_const` in info.py)."""
        first = self._first.get(place, at)
        return any(first < found < at and place[1][0] == node for found, node in self._found_out)

    def forgets(self, first: int, second: int) -> bool:
        """May the optimizer forget something between these, for another reason than a call?"""
        return any(first < at < second for at in self._forgetting)


def _is_cached(line: Line) -> bool:
    """PyPy's optimizer does not know items at indices that vary, nor fields of items."""
    if line.name.startswith(("getfield_gc", "setfield_gc")):
        return True
    return line.name.startswith(("getarrayitem_gc", "setarrayitem_gc")) and not is_variable(line.args[1])


@dataclass(frozen=True, slots=True)
class Call:
    """A call that both traces make: its places in the recorded and in the optimized one."""

    here: int
    there: int
    line: Line

    @property
    def is_known(self) -> bool:
        """Does PyPy know what the function reads and writes?"""
        return self.line.effect < ANY_EFFECT


def aligned(before: list[tuple[int, Line]], after: list[tuple[int, Line]]) -> Iterator[Call]:
    """The calls of both traces that correspond, in order."""
    start = 0
    for here, line in before:
        for number in range(start, len(after)):
            if after[number][1].function == line.function:
                yield Call(here, after[number][0], line)
                start = number + 1
                break
