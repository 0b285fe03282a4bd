"""New objects that are written before anybody reads them.

A log does not say what is in a new object: NULL in its fields of references, and in others nothing. Which fields it has
it does not say either, but where fields stand: a field is printed with the struct that it is declared in and its
offset, an allocation with a size. Structs go on where those that they inherit from end. So an object has no field that
stands behind its end, where it has another one, or among those of another struct of which it has a field. What is
allocated without a class is no instance (`rewrite_op_malloc` in jtransform.py), and has no field of these.

Where all other fields of numbers that the optimized traces of a pair load are stored to before such a load, and before
the iteration ends, no load finds memory that is not written, in whatever iteration, and nothing depends on what would
be in it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from validator.pypy.printed.lines import Line, Printed
from validator.pypy.printed.straight import VIRTUAL_REF, NotStraight, Sides

ALLOCATIONS = ("new", "new_with_vtable")
_SIZE = re.compile(r"<SizeDescr ([0-9]+)>")
_FIELD = re.compile(r"<Field(?P<kind>[A-Z]) (?P<struct>.+)\.(?P<name>[^. ]+) (?P<offset>[0-9]+)(?: pure| of [^>]+)?>")
_OF_VIRTUAL_REF = "<FieldP JitVirtualRef."
_LOADS = ("getfield_gc_i", "getfield_gc_f")
_ACCESSES = ("getfield_gc", "setfield_gc")
_ITEMS = ("getarrayitem_gc", "setarrayitem_gc")
_WHOLE_WORDS = "PF"
_WORD = 8


@dataclass(frozen=True, slots=True)
class Place:
    """A field as it is printed: its struct, its offset, how many bytes it is known to have, and whether it is one of
    instances, as its name tells."""

    struct: str
    offset: int
    size: int
    is_of_instance: bool


Spans = dict[str, tuple[int, int]]
"""The lowest and the highest offset of the fields that a struct is known to declare."""


def place_of(line: Line) -> Place | None:
    """The field of objects that the operation accesses; None where there is none, or one that is printed otherwise."""
    return place_in(line.descr) if line.name.startswith(_ACCESSES) else None


def place_in(memory: str) -> Place | None:
    """The field of that name; None where it is printed otherwise."""
    found = _FIELD.fullmatch(memory)
    if found is None:
        return None
    size = _WORD if found["kind"] in _WHOLE_WORDS else 1
    return Place(found["struct"], int(found["offset"]), size, found["name"].startswith("inst_"))


def widen(spans: Spans, place: Place) -> None:
    """Notes that there is such a field."""
    low, high = spans.get(place.struct, (place.offset, place.offset))
    spans[place.struct] = min(low, place.offset), max(high, place.offset)


def check_places(printed: Printed, of: Callable[[str], object]) -> None:
    """Raises NotStraight where a new object is accessed at a place that it does not have: behind its end, across
    another field of it, or as another kind of object. `of` gives the classes of values; where new objects, of which no
    two are one, are in one class, each goes by its name."""
    made: dict[object, Line] = {}
    fields: dict[object, set[Place]] = {}
    several = Counter(of(line.result) for line in printed.lines if line.result and line.name.startswith("new"))

    def object_of(value: str) -> object:
        return of(value) if several[of(value)] < 2 else value

    for line in printed.lines:
        if line.result and line.name.startswith("new"):
            made[object_of(line.result)] = line
        elif (found := line.access) and (new := made.get(object_of(found.place[0]))):
            place, size = place_of(line), _SIZE.fullmatch(new.descr)
            own = fields.setdefault(object_of(found.place[0]), set())
            is_behind = place and size and place.offset + place.size > int(size[1])
            is_behind = is_behind or (new.descr == VIRTUAL_REF and not found.memory.startswith(_OF_VIRTUAL_REF))
            if is_behind or any(_overlap(place, one) for one in own if place) or _is_other_kind(line, new):
                raise NotStraight(f"a {line.name} at a place that the new object does not have")
            own |= {place} if place else set()


def _overlap(one: Place, other: Place) -> bool:
    return one != other and one.offset < other.offset + other.size and other.offset < one.offset + one.size


def _is_other_kind(access: Line, new: Line) -> bool:
    """Is it an access to an array that is none, or has other items, or to a field of an array?"""
    if access.name.startswith(_ITEMS):
        return access.descr != new.descr
    return access.name.startswith(_ACCESSES) and new.name not in ALLOCATIONS


def reads_written_only(sides: Sides, spans: Spans) -> bool:
    """Is each field of a new object that an optimized load of numbers may find stored to before that, and before the
    trace comes to its label or its end? What a recorded trace loads is written. Arrays are no objects here."""
    optimized = (sides.after, sides.target.after) if sides.target else (sides.after,)
    loaded = {place_of(line) for printed in optimized for line in printed.lines if line.name.startswith(_LOADS)}
    return None not in loaded and all(
        _is_written(line, printed.lines[at + 1 :], {place for place in loaded if place}, spans)
        for printed in sides.printed
        for at, line in enumerate(printed.lines)
        if line.name in ALLOCATIONS and _SIZE.fullmatch(line.descr)  # a virtual reference is made whole
    )


def _is_written(allocation: Line, behind: tuple[Line, ...], loaded: set[Place], spans: Spans) -> bool:
    new, size = allocation.result, _SIZE.fullmatch(allocation.descr)
    assert size is not None
    label = next((at for at, line in enumerate(behind) if line.name == "label"), None)
    behind = behind[:label]
    stores = {line: place_of(line) for line in behind if line.name == "setfield_gc" and line.args[0] == new}
    own = {place for place in stores.values() if place}
    is_instance = allocation.name == "new_with_vtable"
    first = _WORD if is_instance else 0
    whole = {struct: span for struct, span in spans.items() if span[1] < int(size[1])}  # else two structs of one name
    other = whole | {struct: span for struct, span in spans.items() if "." in struct}  # or a class that is larger
    possible = {place for place in loaded if is_instance or not place.is_of_instance}
    there = {place for place in possible if first <= place.offset < int(size[1])}
    left = {place for place in there if not _is_other(place, own, whole, other)}
    is_hidden = True
    for line in behind:
        is_load = line.name.startswith(_LOADS) and (new in line.args or not is_hidden)
        if is_load and place_of(line) in left:
            break
        left -= {stores.get(line)}
        is_hidden &= new not in (line.args[1:] if line in stores else line.args)
    return not left


def _is_other(place: Place, own: set[Place], of_own: Spans, of_other: Spans) -> bool:
    """Is it no field of an object that has those of its `own`, by where the structs of these and other ones stand?"""
    return any(
        (one != place and one.offset <= place.offset < one.offset + one.size)
        or (one.struct != place.struct and _is_among(place, one.struct, of_own))
        or (one.struct != place.struct and _is_among(one, place.struct, of_other))
        for one in own
    )


def _is_among(place: Place, struct: str, spans: Spans) -> bool:
    """Does it stand where the struct declares its fields?"""
    low, high = spans.get(struct, (1, 0))
    return low <= place.offset <= high
