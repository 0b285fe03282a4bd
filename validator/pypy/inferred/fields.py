"""The fields that never change: PyPy prints `pure` behind immutable fields and behind quasi-immutable ones alike.

A recorded trace watches a quasi-immutable field (`quasiimmut_field`) before it reads it, and does not say which field
that is. So every field that a trace reads from a value which it has watched before may be one, everywhere: PyPy watches
the very value that it reads from (`rewrite_op_getfield` in jtransform.py, `is_quasi_immut_known` in heapcache.py), of
which constants are printed with a new number each time.
An immutable field of a new object is stored before a call can see it. One that is not, and is read, is none.

PyPy's optimizer forwards quasi-immutable fields over calls as if they were immutable, also those of objects that may be
any, for which nothing invalidates code. That is right of few fields, and only of one value. The functions that trace
and profile stay NULL: who sets one forces all frames, so that `guard_not_forced` leaves the trace behind the call; who
takes one away does not. A cell of a variable that has changed is one that has (`Cell.set` in nestedscope.py).

Of some classes there is one object alone. A trace names it anew at each use, and PyPy's optimizer loads its fields
once. Where two pairs show that, none loads such a field of constants twice in a row, and none allocates an object that
has it, it is assumed that these constants are one object.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from optimizer.ir.types.memory_types import Field, lone_field
from validator.pypy.inferred.executed import EQUATING
from validator.pypy.inferred.found import Fact, Found, are_different
from validator.pypy.inferred.sameness import Node, Sameness
from validator.pypy.inferred.witnesses import Row, Witness, told_alone
from validator.pypy.inferred.written import ALLOCATIONS, Spans, place_in, place_of, widen
from validator.pypy.printed.kinds.variables import sharing
from validator.pypy.printed.lines import NULL, Line, is_named, is_pointer, is_variable
from validator.pypy.printed.straight import BEFORE, Sides

NEVER_CHANGES = " never changes"
"""The words behind a field for what is assumed of it."""

_PURE = " pure>"
_CONTEXT = "pypy.interpreter.executioncontext.ExecutionContext."
_LEFT = {
    f"{_CONTEXT}inst_w_tracefunc": "NULL",
    f"{_CONTEXT}inst_profilefunc": "NULL",
    "pypy.interpreter.nestedscope.CellFamily.inst_ever_mutated": "set",
}
"""The fields that calls leave as they are, and at which value: only calls that force all frames set those which are
NULL, and none takes back what is set."""

_STORED_AGAIN = frozenset(
    f"pypy.module.{name}"
    for name in (
        *(f"struct.interp_struct.W_Struct.inst_{name}" for name in ("size", "format")),
        *(f"__builtin__.descriptor.W_Property.inst_w_f{name}" for name in ("get", "set", "del")),
        "itertools.interp_itertools.W_ZipLongest.inst_w_fillvalue",
        "thread.os_lock.Lock.inst_lock",  # by `_at_fork_reinit`
    )
)
"""The fields that PyPy declares to be immutable, and that Python code can have stored again, by `__init__` or
`__setstate__`."""

_TYPES = {"<FieldS": "int", "<FieldU": "int", "<FieldP": "ref", "<FieldF": "float"}


def is_pure(memory: str) -> bool:
    """Does PyPy's optimizer take it that a memory of that name never changes?"""
    return memory.endswith(_PURE)


@dataclass(slots=True)
class Fields:
    """Immutable and changing fields among those that logs name, those that a trace may have found at another value
    than the one at which calls leave them, the fields that `share` the array of a frame with it, and where those of
    each struct stand in the last log."""

    pure: set[str] = field(default_factory=set)
    may_change: set[str] = field(default_factory=set)
    other: set[str] = field(default_factory=set)
    share: set[str] = field(default_factory=set)
    spans: Spans = field(default_factory=dict)

    def with_next_log(self) -> Fields:
        """The same, of which one more log says more: both learn what it says, but where fields stand, since several
        structs may share a name."""
        return replace(self, spans={})

    def with_places(self, texts: Iterable[str]) -> Fields:
        """The same, where these fields stand as they are printed, too."""
        spans = {**self.spans}
        for place in map(place_in, texts):
            if place:
                widen(spans, place)
        return replace(self, spans=spans)

    def add(self, recorded: tuple[Line, ...], sameness: Sameness) -> None:
        """Takes in a recorded trace."""
        watched: set[str | Node] = set()
        stored: dict[str, set[str]] = {}
        values, found_out = _found(recorded), Found(recorded)
        held: dict[tuple[str, str | Node], tuple[str, frozenset[Fact]]] = {}
        read: set[tuple[str, str | Node]] = set()
        self.share |= sharing(recorded)
        for line in recorded:
            if place := place_of(line):
                widen(self.spans, place)
            if line.name == "quasiimmut_field":
                watched |= {line.args[0], sameness.of(BEFORE, line.args[0])}
            elif line.name in ALLOCATIONS and line.result:
                stored[line.result] = set()
            elif (found := line.access) and is_pure(found.memory):
                self.pure.add(found.memory)
                there = stored.get(found.place[0], self.pure)
                cell, mine = (found.memory, _which(found.place[0], sameness)), found_out(found.value)
                known, facts = held.get(cell, (found.value, mine))
                if found.is_store:  # again to a new object that nobody has looked at yet is no change
                    was_there = found.place[0] not in stored
                    changes = known != found.value and (cell in read or was_there)
                    changes |= was_there and cell not in held
                    there.add(found.memory)
                else:
                    changes = are_different(facts, mine) or found.memory not in there or cell[1] in watched
                    read.add(cell)
                held[cell] = found.value, (mine if found.is_store else facts | mine)
                if changes:
                    self.may_change.add(found.memory)
                if (left := _left(found.memory)) and values.get(found.value) != left:
                    self.other.add(found.memory)

    def kept(self) -> Iterator[Row]:
        """The contradictions that mean the same in all processes, as rows."""
        yield from (("may change", name) for name in self.may_change if is_named(name))
        yield from (("not left", name) for name in self.other if is_named(name))
        yield from (("shares", name) for name in self.share)

    def take(self, row: Row, log: int) -> None:
        """Takes in a row that is kept of other logs, whichever that is. Raises ValueError."""
        match row:
            case "may change", name:
                self.may_change.add(name)
            case "not left", name:
                self.other.add(name)
            case "shares", name:
                self.share.add(name)
            case _:
                raise ValueError

    def never_changes(self, name: str) -> bool:
        if name not in self.pure or name in self.may_change:
            return False
        kind, _, rest = name.partition(" ")
        return kind in _TYPES and rest.partition(" ")[0] not in _STORED_AGAIN

    def left(self, name: str) -> str:
        """The value at which each call that a trace goes on behind leaves this field, which has it wherever a trace
        has it in hand: "NULL" or "set"; "" where calls may change it."""
        return _left(name) if name in self.may_change - self.other else ""

    def certain(self) -> Fields:
        """The same without what calls are taken to leave as it is."""
        return replace(self, other=self.may_change)

    def declared(self, memories: list[str]) -> tuple[Field, ...]:
        """The declarations of those that are immutable."""
        return tuple(
            lone_field(name, _TYPES[name.partition(" ")[0]], immutable=True)
            for name in memories
            if self.never_changes(name)
        )


def _which(value: str, sameness: Sameness) -> str | Node:
    """The object that a value is, as PyPy tells it from others while it records."""
    return value if is_variable(value) else sameness.of(BEFORE, value)


def _left(name: str) -> str:
    return _LEFT.get(name.split(" ")[1], "")


def _found(lines: tuple[Line, ...]) -> dict[str | None, str]:
    """The values that guards of a trace find to be NULL or 0, and those that they find to be "set". A guard behind a
    call finds nothing of what is loaded in front of it: that may be another value by then."""
    found: dict[str | None, str] = {}
    tests: dict[str, Line] = {}
    loaded: set[str | None] = set()
    for line in lines:
        value, *others = line.args or ("",)
        if line.may_write:
            found |= dict.fromkeys(loaded - found.keys(), "")
        loaded.add(line.result)
        if line.name in EQUATING and line.args[1:] in ((), (NULL,), ("0",)) and line.result:
            tests[line.result] = line
        elif line.name in ("guard_value", "guard_isnull") and (not others or others[0] in (NULL, "0")):
            found.setdefault(value, "NULL")
        elif line.name in ("guard_true", "guard_false"):
            found.setdefault(value, "set" if line.name == "guard_true" else "NULL")
            if test := tests.get(value):
                found.setdefault(test.args[0], "NULL" if EQUATING[test.name] == line.name else "set")
    return found


@dataclass(slots=True)
class Lone:
    """Statements of pairs on fields that one constant object alone has: the pairs in which fewer loads of such
    constants are left, and the fields which the optimizer has loaded twice in a row."""

    relied_on: dict[str, set[Witness]] = field(default_factory=dict)
    denied: set[str] = field(default_factory=set)

    def add(self, pair: Witness, sides: Sides, *, is_bridge: bool) -> frozenset[str]:
        """Takes in a pair, and gives the fields for which it speaks. What is left out in a bridge, its parent may have
        known; what nobody uses may be gone for that."""
        self.contradict(sides)
        telling = _telling(sides.before.lines)
        recorded, optimized = (Counter(_of_constants(lines)) for lines in (telling, sides.after.lines))
        fewer = [memory for memory, times in optimized.items() if times < recorded[memory] and not is_bridge]
        for memory in fewer:
            self.relied_on.setdefault(memory, set()).add(pair)
        return frozenset(fewer)

    def contradict(self, sides: Sides) -> None:
        """Takes in what each trace contradicts by itself."""
        recorded = sides.before.lines
        self.denied |= _loaded_again(sides.after.lines) | _of_new(recorded) | _of_two(recorded)

    def assumed(self, log: int) -> frozenset[str]:
        """The fields that one constant object alone is taken to have in the log of that number: how many there are in
        another process, that one tells."""
        return told_alone(self.relied_on, log) - self.denied

    def kept(self) -> Iterator[Row]:
        """The contradictions that mean the same in all processes, as rows."""
        yield from (("denied", memory) for memory in self.denied if is_named(memory))

    def take(self, row: Row, log: int) -> None:
        """Takes in a row that is kept of other logs, whichever that is. Raises ValueError."""
        match row:
            case "denied", memory:
                self.denied.add(memory)
            case _:
                raise ValueError


def _telling(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """The loads that tell which objects are one, where they are gone: something uses what they give, and their objects
    have not been accessed before under the same names."""
    used: set[str] = set()
    for line in reversed(lines):
        if line.result is None or line.may_write or line.result in used:
            used |= {*line.args}
    first = {(found.memory, found.place[0]): line for line in reversed(lines) if (found := line.access)}
    return tuple(line for line in first.values() if line.result in used)


def _of_constants(lines: tuple[Line, ...]) -> Iterator[str]:
    """The fields of constants that may change, each as often as it is loaded."""
    for line in lines:
        found = line.access
        if found and not found.is_store and is_pointer(found.place[0]) and line.name.startswith("getfield"):
            yield from () if is_pure(found.memory) else (found.memory,)


def _of_new(lines: tuple[Line, ...]) -> set[str]:
    """The fields of objects that are allocated: there are others than a constant."""
    made = {line.result for line in lines if line.name in ALLOCATIONS}
    return {found.memory for line in lines if (found := line.access) and found.place[0] in made}


def _of_two(lines: tuple[Line, ...]) -> set[str]:
    """The fields of constants that a recorded trace has found to be different, with no call or store between."""
    values, found = dict[str, frozenset[Fact]](), Found(lines)
    two: set[str] = set()
    for line in lines:
        access = line.access
        if line.may_write or (access and access.is_store):
            values.clear()
        elif access and is_pointer(access.place[0]):
            facts = found(access.value)
            two |= {access.memory} if are_different(values.get(access.memory, facts), facts) else set()
            values[access.memory] = values.get(access.memory, frozenset()) | facts
    return two


def _loaded_again(lines: tuple[Line, ...]) -> set[str]:
    """The fields of constants that are loaded where such a constant's has just been accessed: they are two objects."""
    again: set[str] = set()
    known: set[str] = set()
    for line in lines:
        found = line.access
        if line.may_write or line.name.startswith(("label", "gc_store")):
            known.clear()
        elif found and is_pointer(found.place[0]):
            again |= {found.memory} & known if not found.is_store else set()
            known.add(found.memory)
        elif found and found.is_store:
            known.discard(found.memory)
    return again
