"""The facts about references at the place of a walk: which are not NULL, the classes of objects, the lengths of arrays.

A fresh object is *local* from its allocation until the trace lets go of it: puts it where others can find it, or
hands it to an event. Nothing else refers to a local object, and never does anything to it that is older than its
escape.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from optimizer.facts.conditions import (
    NULL,
    Condition,
    HasClass,
    HasGcType,
    HasSubclass,
    HasVtable,
    IsA,
    IsArray,
    Not,
    Same,
)
from optimizer.ir.domains.ranges import Truth
from optimizer.ir.trace import ConstInt, ConstRef, Value, Var
from optimizer.ir.types.layout import Layout


@dataclass(slots=True)
class About:
    """The facts about a reference. `isa` is the declared struct or array that its object is at least of, `vtable` its
    exact class, `above` are classes that it is known to be below, and `gc_type` is the number of its exact type;
    `least_length` is what accesses to items have told of its length, and `immutables` are the keys of immutable fields
    whose contents have been known."""

    nonnull: bool = False
    vtable: str | None = None
    isa: str | None = None
    is_array: bool = False
    length: Value | None = None
    least_length: int = 0
    immutables: set[str] = field(default_factory=set)
    has_vtable: bool = False
    above: set[str] = field(default_factory=set)
    gc_type: Value | None = None


@dataclass(slots=True)
class Fresh:
    """An object that the trace has allocated; `escaped_at` is the time, None where it is local. It `holds` the local
    objects that have been put into it."""

    escaped_at: int | None = None
    holds: list[Value] = field(default_factory=list)


_NOTHING = About()


class References:
    """`find` gives the representative of a value, `age` the time of its definition."""

    def __init__(self, layout: Layout, find: Callable[[Value], Value], age: Callable[[Value], int]) -> None:
        self.layout = layout
        self.fresh: dict[Value, Fresh] = {}
        self._find = find
        self._age = age
        self._about: dict[Value, About] = {}

    def about(self, value: Value) -> About:
        """The facts about a reference, to be read."""
        value = self._find(value)
        known = self._about.get(value)
        if known is None and isinstance(value, ConstRef):
            known = self._about[value] = self._about_constant(value)
        return _NOTHING if known is None else known

    def learn_about(self, value: Value) -> About:
        """The facts about a reference, to be added to."""
        known = self.about(value)
        if known is _NOTHING:
            known = self._about[self._find(value)] = About()
        return known

    def _about_constant(self, value: ConstRef) -> About:
        known = self.layout.constant(constant_name(value))
        if known is None:
            return About(nonnull=value != NULL)
        isa = known.struct.name if known.struct is not None else known.array.name if known.array is not None else None
        length = None if known.length is None else ConstInt(known.length)
        vtable = None if known.struct is None else known.struct.vtable
        return About(True, vtable, isa, known.array is not None, length)

    def merge(self, var: Value, value: Value) -> None:
        """`var`, which is known to be `value` from here on, has been its own representative so far."""
        gone = self._about.pop(var, None)
        if gone is None:
            return
        known = self.learn_about(value)
        known.nonnull |= gone.nonnull
        known.has_vtable |= gone.has_vtable
        known.above |= gone.above
        known.gc_type = known.gc_type or gone.gc_type
        known.vtable = known.vtable or gone.vtable
        known.is_array |= gone.is_array
        known.length = known.length or gone.length
        known.least_length = max(known.least_length, gone.least_length)
        if gone.isa is not None:
            self._narrow(known, gone.isa)

    # Fresh objects.

    def is_local(self, value: Value) -> bool:
        fresh = self.fresh.get(value)
        return fresh is not None and fresh.escaped_at is None

    def is_out_of_reach(self, value: Value, other: Value) -> bool:
        """Is `value` a fresh object, and `other` surely another one, being older than its escape?"""
        fresh = self.fresh.get(value)
        if fresh is None:
            return False
        at = fresh.escaped_at
        return at is None or not isinstance(other, Var) or other in self.fresh or self._age(other) <= at

    # Conditions on one reference.

    def truth(self, condition: Condition) -> Truth:
        """Does a condition on the class of an object hold here?"""
        match condition:
            case bool():
                return condition
            case HasVtable(value):
                return self._has_vtable(self.about(value), value)
            case HasClass(value, vtable):
                return self._has_class(self.about(value), value, vtable)
            case HasSubclass(value, vtable):
                return self._has_subclass(self.about(value), value, vtable)
            case HasGcType(value, number):
                known = self.about(value).gc_type
                return None if known is None else known == number
            case _:
                return None

    def _has_vtable(self, about: About, value: Value) -> Truth:
        if self._find(value) == NULL or about.is_array:
            return False
        return True if about.has_vtable or about.vtable is not None or self._is_struct(about.isa) else None

    def _is_struct(self, name: str | None) -> bool:
        return name is not None and self.layout.struct(name).declared

    def _has_class(self, about: About, value: Value, vtable: str) -> Truth:
        if self._has_vtable(about, value) is False:
            return False
        wanted = self.layout.struct_of_vtable(vtable)
        if about.vtable is not None:
            if about.vtable == vtable:
                return True
            return False if wanted.declared and self.layout.struct_of_vtable(about.vtable).declared else None
        if about.isa is None or not wanted.declared or self.layout.is_subclass(wanted.name, about.isa):
            return None
        return False

    def _has_subclass(self, about: About, value: Value, vtable: str) -> Truth:
        if vtable in about.above:
            return True
        if self._has_vtable(about, value) is not True:
            return self._has_vtable(about, value)
        above = self.layout.struct_of_vtable(vtable)
        name = about.isa if about.vtable is None else self.layout.struct_of_vtable(about.vtable).name
        if name is None:
            return None
        if self.layout.is_subclass(name, above.name):
            return True
        if about.vtable is not None:
            return False if above.declared and self._is_struct(name) else None
        return False if self.layout.unrelated(name, above.name) else None

    def assume(self, condition: Condition) -> None:
        """Learn that a condition holds that says nothing of the equality of two values."""
        if isinstance(condition, IsA):
            self._narrow(self.learn_object(condition.value), condition.owner)
        elif isinstance(condition, Not):
            if isinstance(condition.of, Same):
                one, other = condition.of.one, condition.of.other
                if NULL in (one, other):
                    self.learn_about(other if one == NULL else one).nonnull = True
        elif isinstance(condition, HasGcType):
            self.learn_object(condition.value).gc_type = condition.number
        elif isinstance(condition, IsArray):
            self.learn_object(condition.value).is_array = True
        elif isinstance(condition, (HasVtable, HasSubclass, HasClass)):
            about = self.learn_object(condition.value)
            about.has_vtable = True
            if isinstance(condition, HasClass):
                about.vtable = about.vtable or condition.vtable
            if not isinstance(condition, HasVtable):
                about.above.add(condition.vtable)
                self._narrow(about, self.layout.struct_of_vtable(condition.vtable).name)

    def learn_object(self, value: Value) -> About:
        about = self.learn_about(value)
        about.nonnull = True
        return about

    def _narrow(self, about: About, owner: str) -> None:
        """Notes that its object is of the struct or array `owner` too."""
        if about.isa == owner:
            return
        if self._is_struct(owner):
            if about.isa is None or self.layout.is_subclass(owner, about.isa):
                about.isa = owner
        elif self.layout.array(owner).declared:
            about.is_array, about.isa = True, owner


def constant_name(value: Value) -> str:
    """The name of an opaque constant, "" of other values."""
    return (value.name or "") if isinstance(value, ConstRef) else ""
