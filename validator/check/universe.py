"""The universe that two traces share: objects, their classes and lengths, constants, and what the world decides.

A reference is a number: 0 is NULL, numbers below `FRESH` are objects that existed before the trace or that the world
has made, the others are allocations. An allocation of the optimized trace that has a partner has its partner's number;
one without has a number of its own. So equality up to renaming is plain equality. What the world gives is the same
constant, or the same function of the same arguments, on both sides.

`facts` hold of the terms that have been made, whatever the traces do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import z3

from optimizer.ir.floats import ZERO, Float
from optimizer.ir.rows.row import FLOAT, REF, Type
from optimizer.ir.types.layout import Layout
from optimizer.ir.types.memory_types import BYTES, OBJECT_BYTES, SUBCLASS, Array, Field, MemoryKind, Struct
from validator.check.words import DOUBLE, Words

REFERENCE = z3.BitVecSort(65)  # which no word is
FRESH = 1 << 64
NULL = z3.BitVecVal(0, REFERENCE)
BYTE = z3.BitVecSort(8)
CLASS = z3.BitVecSort(32)

ClassRange = tuple[int, int]
OWN = 1 << 32
"""Numbers of allocations of the optimized trace that have no partner begin here."""
STRUCTS: ClassRange = (1, (1 << 30) - 1)
ARRAYS: ClassRange = (1 << 30, (1 << 31) - 1)
_UNDECLARED = 1 << 10
"""The number of undeclared subclasses of a struct for which there is room."""


class Universe:
    """The universe that the traces of a pair share. `slots` is the memory that they name, `indexed` the keys of what is
    found by an index, raw memory being found by addresses in NULL."""

    def __init__(self, layout: Layout, slots: Mapping[str, Field], indexed: frozenset[str]) -> None:
        self.layout, self.slots, self.indexed = layout, slots, indexed
        self.types: dict[int, Struct | Array] = {}  # of allocations, by their numbers
        self.words = Words(layout.word)
        self.word = z3.BitVecSort(layout.word)
        self.facts = self.words.floats.facts
        self._class_of = z3.Function("class", REFERENCE, CLASS)
        self.length = z3.Function("length", REFERENCE, self.word)
        self._vtable_of = z3.Function("vtable", CLASS, self.word)
        self._gc_type_of = z3.Function("gc_type", REFERENCE, self.word)
        self._below = z3.Function("below", CLASS, CLASS, z3.BoolSort())
        self._ranges = _number_classes(layout)
        self._constants: dict[str, Any] = {}
        self._texts: list[tuple[Any, str, Sequence[int]]] = []
        self.facts += [self._class_of(NULL) == 0, self.length(NULL) == 0]
        self.facts.append(self._vtable_of(z3.BitVecVal(0, CLASS)) == 0)
        self.texts = [self.constant(text) for text in layout.texts]

    # Values.

    def sort(self, type_: Type) -> Any:
        return {REF: REFERENCE, FLOAT: DOUBLE}.get(type_, self.word)

    def zero(self, slot: Field) -> Any:
        if slot.type is REF:
            return NULL
        return self.words.floats.const(ZERO) if slot.type is FLOAT else z3.BitVecVal(0, self.held(slot).size())

    def unknown(self, name: str, type_: Type) -> Any:
        """The world's value of that name."""
        value = z3.Const(name, self.sort(type_))
        return self.learn(value) if type_ is REF else value

    def learn(self, p: Any) -> Any:
        """The same reference, of which the facts are told that hold of all."""
        class_ = self._class_of(p)
        self.facts += [(class_ == 0) == (p == NULL), z3.ULE(class_, ARRAYS[1])]
        self.facts.append(z3.Implies(is_old(p), self.length(p) >= 0))
        return p

    def among(self, p: Any, allocations: Sequence[int] | frozenset[int]) -> Any:
        """Is it one of those allocations, or no allocation?"""
        return z3.Or(is_old(p), *[p == allocation_number(number) for number in sorted(allocations) if number])

    # Memory.

    def held(self, slot: Field) -> Any:
        """The sort of what stands in one place."""
        return BYTE if slot.key in (BYTES.key, OBJECT_BYTES.key) else self.sort(slot.type)

    def of_object(self, key: str, held: Any) -> Any:
        """The sort of what one object has of that memory."""
        return z3.ArraySort(self.word, held) if key in self.indexed else held

    def everywhere(self, slot: Field, value: Any) -> Any:
        """The memory of one object that holds the value in each place."""
        return z3.K(self.word, value) if slot.key in self.indexed else value

    def base(self, slot: Field, epoch: int) -> Any:
        """The memory's contents at the start, or behind that many events, one of which may have changed it."""
        sort = z3.ArraySort(REFERENCE, self.of_object(slot.key, self.held(slot)))
        base = z3.Const(f"{slot.key} behind {epoch} events", sort)
        for text, key, items in self._texts:
            if key == slot.key:
                self.facts += [base[text][i] == item for i, item in enumerate(items)]
        return base

    # Constants.

    def constant(self, name: str) -> Any:
        known = self.layout.constant(name)
        name = name if known is None else known.names[0]
        if name not in self._constants:
            constant = self._constants[name] = self.learn(z3.Const(f"constant {name}", REFERENCE))
            self.facts += [constant != NULL, is_old(constant)]
            for other, term in self._constants.items():
                if self.layout.different_constants(name, other):
                    self.facts.append(constant != term)
            if known is not None:
                self._declare(constant, known)
        return self._constants[name]

    def _declare(self, constant: Any, known: Any) -> None:
        type_ = known.struct or known.array
        if type_ is not None and type_.declared:
            self.facts.append(self._class_of(constant) == self._ranges[type_.name][0])
        if known.length is not None:
            self.facts.append(self.length(constant) == known.length)
        if known.items is not None:
            self._texts.append((constant, known.array.item.key, known.items))
        for slot, value in known.fields:
            if slot.key in self.slots:
                holds = self.is_valid(0) if slot.quasi_immutable else z3.BoolVal(True)
                content = self.base(slot, 0)[constant] == self.content(value)
                self.facts.append(z3.Implies(holds, content))

    def content(self, value: int | Float | str) -> Any:
        """The declared value of something."""
        if isinstance(value, str):
            return NULL if value == "NULL" else self.constant(value)
        return self.words.floats.const(value) if isinstance(value, Float) else self.words.const(value)

    def address(self, name: str) -> Any:
        """The address of the class or function of that name."""
        address = z3.Const(f"ConstClass({name})", self.word)
        class_ = self.class_of_type(self.layout.struct_of_vtable(name))
        self.facts.append(self._vtable_of(class_) == address)
        return address

    # Classes.

    def is_in(self, p: Any, range_: ClassRange) -> Any:
        class_ = self._class_of(p)
        return z3.And(z3.UGE(class_, range_[0]), z3.ULE(class_, range_[1]))

    def isa(self, p: Any, owner: str) -> Any:
        return self.is_in(p, self._ranges[owner])

    def has_vtable(self, p: Any) -> Any:
        return self.is_in(p, STRUCTS)

    def has_length(self, p: Any) -> Any:
        return self.is_in(p, ARRAYS)

    def has_class(self, p: Any, vtable: str) -> Any:
        return self._class_of(p) == self.class_of_type(self.layout.struct_of_vtable(vtable))

    def has_subclass(self, p: Any, vtable: str) -> Any:
        struct = self.layout.struct_of_vtable(vtable)
        if struct.declared:
            return self.isa(p, struct.name)
        class_, wanted = self._class_of(p), self.class_of_type(struct)
        return z3.And(self.has_vtable(p), z3.Or(class_ == wanted, self._below(class_, wanted)))

    def class_of_type(self, type_: Struct | Array) -> Any:
        """The class of a struct or array: one that is not declared has a number that nobody knows."""
        if type_.name in self._ranges:
            return z3.BitVecVal(self._ranges[type_.name][0], CLASS)
        name, (low, high) = f"class {type_.name}[]", ARRAYS
        if isinstance(type_, Struct):
            above = self._ranges.get(type_.name.removesuffix(SUBCLASS)) if type_.name.endswith(SUBCLASS) else None
            name, (low, high) = f"class {type_.vtable}", STRUCTS if above is None else (above[0] + 1, above[1])
        class_ = z3.Const(name, CLASS)
        self.facts.append(z3.And(z3.UGE(class_, low), z3.ULE(class_, high)))
        return class_

    def has_gc_type(self, p: Any, number: Any) -> Any:
        """Has it that number? Objects of one declared type may have several, which nobody knows of."""
        array = self.layout.by_gc_type.get(z3.simplify(number).as_signed_long())
        return z3.And(array is None or self.isa(p, array.name), self._gc_type_of(p) == number)

    def vtable(self, p: Any) -> Any:
        return self._vtable_of(self._class_of(p))

    def allocation(self, number: int, type_: Struct | Array) -> Any:
        """The allocation of that number, which is of that type."""
        self.types[number] = type_
        p = allocation_number(number)
        self.facts.append(self._class_of(p) == self.class_of_type(type_))
        if isinstance(type_, Struct):
            self.facts.append(self.length(p) == 0)
        return p

    def has_slot(self, number: int, slot: Field) -> bool:
        """May the allocation have that memory?"""
        return slot.owner is None or not self.layout.unrelated(slot.owner, self.types[number].name)

    # What the world decides.

    def is_valid(self, invalidations: int) -> Any:
        """Is the code valid behind so many events that can invalidate? None of them has done so, nor had others."""
        return z3.And(*[z3.Bool(f"left valid by {k}") for k in range(invalidations + 1)])

    def apply(self, what: str, type_: Type, args: Sequence[Any]) -> Any:
        """The result or exception of a function, of which no more is known: equal arguments, equal results."""
        sorts = [arg.sort() for arg in args]
        function = z3.Function(f"{what} {type_.value} {sorts}", *sorts, self.sort(type_))
        return function(*args)


def allocation_number(number: int) -> Any:
    return z3.BitVecVal(FRESH + number, REFERENCE)


def is_reference(value: Any) -> bool:
    return bool(value is not None and value.sort() == REFERENCE)


def is_old(p: Any) -> Any:
    """Is it NULL, or an object that no trace has allocated?"""
    return z3.ULT(p, FRESH)


def has_limits(slot: Field) -> bool:
    """Are its indices below the length of the object?"""
    return slot.kind is MemoryKind.OBJECTS


def _number_classes(layout: Layout) -> dict[str, ClassRange]:
    """Numbers for the declared classes: those of a struct and all below it are a range. Behind the known subclasses of
    each there is room for others."""
    children: dict[str | None, list[str]] = {}
    for struct in layout.declarations.structs:
        children.setdefault(struct.parent, []).append(struct.name)
    ranges: dict[str, ClassRange] = {}

    def number(name: str, first: int) -> int:
        last = first
        for child in children.get(name, ()):
            last = number(child, last + 1)
        ranges[name] = first, last + _UNDECLARED
        return last + _UNDECLARED

    last = STRUCTS[0] - 1
    for name in children.get(None, ()):
        last = number(name, last + 1)
    for place, name in enumerate(layout.arrays):
        ranges[name] = ARRAYS[0] + place, ARRAYS[0] + place
    return ranges
