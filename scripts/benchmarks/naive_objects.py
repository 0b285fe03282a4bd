"""What two heaps as Z3 arrays share: sorts, the memory that events leave, and the classes and lengths of objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import z3

from benchmarks.naive_words import NaiveWords
from optimizer.ir.domains.term import Term
from optimizer.ir.rows.row import Type
from optimizer.ir.types.layout import Field
from validator.prove.memory.heap_state import PairMemory
from validator.prove.terms.object_kinds import ARRAYS, ClassRange, validity_name
from validator.prove.terms.object_terms import ObjectTerms

WORD = 64
_SLOT_BITS = 16
_CLASS_BITS = 32
FRESH = 1 << 63
"""References from here on are allocations."""


class Objects:
    """What the heaps of a pair share: the sorts, the memory at the start and behind each event, classes and lengths.

    `memory` and `terms` are those of the pair as the validator encodes it: they name slots, classes, and what events
    can see. `parts` maps the key of each slot to the number of the array that it is in. `axioms` hold whatever the
    traces do.
    """

    def __init__(
        self, words: NaiveWords, memory: PairMemory, terms: ObjectTerms, parts: Mapping[str, int], clears_all: bool
    ) -> None:
        self.words, self.memory, self.terms, self.parts = words, memory, terms, parts
        self.clears_all = clears_all
        self.axioms: list[Any] = []
        self.lengths: dict[Term, Any] = {}
        context = self.context = words.context
        self.reference = z3.BitVecSort(WORD, context)
        self.key = z3.BitVecSort(_SLOT_BITS + WORD, context)
        self._contents = z3.ArraySort(self.key, self.reference)
        self._marks = z3.ArraySort(self.key, z3.BoolSort(context))
        class_ = z3.BitVecSort(_CLASS_BITS, context)
        self.class_of = z3.Function("class", self.reference, class_)
        self.length_of = z3.Function("length", self.reference, self.reference)
        self.gc_type_of = z3.Function("gc_type", class_, self.reference)
        self._slots = {key: number for number, key in enumerate(memory.slots)}
        self._numbers: dict[object, int] = {}
        self._known: set[tuple[object, int]] = set()
        self._constants: dict[str, Any] = {}
        self.epochs: list[dict[int, Any]] = []  # the arrays that each epoch began with
        self.axioms += [self.class_of(self.null) == 0, self.length_of(self.null) == 0]
        self.begin(0)

    @property
    def null(self) -> Any:
        return z3.BitVecVal(0, WORD, self.context)

    def begin(self, epoch: int) -> dict[int, Any]:
        """The memory that the epoch behind so many events begins with, the same for both traces."""
        while len(self.epochs) <= epoch:
            sort = z3.ArraySort(self.reference, self._contents)
            number = len(self.epochs)
            self.epochs.append({part: z3.Const(f"heap{part} {number}", sort) for part in set(self.parts.values())})
        return self.epochs[epoch]

    def marks_at(self, epoch: int) -> Any:
        """What has been written when the epoch begins."""
        sort = z3.ArraySort(self.reference, self._marks)
        everything = z3.K(self.reference, self.all_marks(True))
        return everything if epoch == 0 else z3.Const(f"written {epoch}", sort)

    def all_marks(self, value: bool) -> Any:
        return z3.K(self.key, z3.BoolVal(value, self.context))

    def either_marks(self, one: Any, other: Any) -> Any:
        false = z3.BoolVal(False, self.context)
        return z3.Map(z3.Or(false, false).decl(), one, other)

    def zeros(self) -> Any:
        return z3.K(self.key, z3.BitVecVal(0, WORD, self.context))

    def key_of(self, slot: Field, index: Any | None) -> Any:
        number = z3.BitVecVal(self._slots[slot.key], _SLOT_BITS, self.context)
        return z3.Concat(number, self.words.const(0) if index is None else index)

    def is_of(self, key: Any, slots: tuple[Field, ...]) -> Any:
        """Is it a key of one of those slots?"""
        number = z3.Extract(_SLOT_BITS + WORD - 1, WORD, key)
        return z3.Or(z3.BoolVal(False, self.context), *[number == self._slots[slot.key] for slot in slots])

    # References.

    def allocation(self, alloc: Term) -> Any:
        """The reference of an allocation, as the validator names it."""
        new = alloc not in self._numbers
        reference = z3.BitVecVal(FRESH + self._numbers.setdefault(alloc, len(self._numbers)), WORD, self.context)
        if new:
            self.axioms.append(self.class_of(reference) == self.class_term(alloc.value.class_))
        return reference

    def pointer(self, name: str, epoch: int) -> Any:
        pointer = z3.Const(name, self.reference)
        self.learn(pointer, epoch)
        return pointer

    def constant(self, name: str) -> Any:
        if name not in self._constants:
            self._constants[name] = self._make_constant(name)
        return self._constants[name]

    def _make_constant(self, name: str) -> Any:
        terms, known = self.terms, self.terms.layout.constant(name)
        if known is None:
            constant = z3.Const(f"constant {name}", self.reference)
        else:
            number = self._numbers.setdefault(known.names[0], len(self._numbers))
            constant = z3.BitVecVal(1 + number, WORD, self.context)
        self.learn(constant, 0)
        self.axioms += [constant != 0, self.is_in(constant, terms.class_limits(terms.class_of(terms.constant(name))))]
        if known is not None and known.length is not None:
            self.axioms.append(self.length_of(constant) == known.length)
        for slot, value in () if known is None else known.fields:
            if slot.key in self.parts:
                content = self.begin(0)[self.parts[slot.key]][constant][self.key_of(slot, None)]
                if isinstance(value, str):
                    value = self.null if value == "NULL" else self.constant(value)
                is_valid = z3.BitVec(validity_name(0), WORD, self.context) == 0
                holds = is_valid if slot.quasi_immutable else z3.BoolVal(True, self.context)
                self.axioms.append(z3.Implies(holds, content == value))
        return constant

    def learn(self, reference: Any, epoch: int) -> None:
        """It came into being behind so many events: it is old, or an allocation that one of these has seen."""
        if (reference.get_id(), epoch) in self._known:
            return
        self._known.add((reference.get_id(), epoch))
        seen = [alloc for alloc, event in self.terms.pointers.visible_from.items() if event < (epoch, 0)]
        self.axioms += [
            z3.Or(z3.ULT(reference, FRESH), *[reference == self.allocation(alloc) for alloc in seen]),
            (self.class_of(reference) == 0) == (reference == 0),
            self.is_in(reference, (0, ARRAYS[1])),
            z3.Implies(z3.ULT(reference, FRESH), self.length_of(reference) >= 0),
        ]

    def learn_held(self, reference: Any) -> None:
        """What memory holds is old or has been allocated by now; its class and length are what any object's are."""
        self.axioms += [
            (self.class_of(reference) == 0) == (reference == 0),
            self.is_in(reference, (0, ARRAYS[1])),
            z3.Implies(z3.ULT(reference, FRESH), self.length_of(reference) >= 0),
        ]

    def learn_content(self, slot: Field, reference: Any, key: Any) -> None:
        """What every epoch may have begun with in that slot of that object."""
        for epoch, arrays in enumerate(self.epochs):
            content = arrays[self.parts[slot.key]][reference][key]
            if slot.type is Type.REF:
                self.learn(content, epoch)
            elif slot.low is not None:
                self.axioms += [content >= slot.low, content <= slot.high]

    # Classes.

    def class_term(self, class_: Term) -> Any:
        if class_.kind == "class_id":
            return z3.BitVecVal(class_.value, _CLASS_BITS, self.context)
        name = z3.BitVec(f"class {class_.value}", _CLASS_BITS, self.context)
        low, high = self.terms.class_limits(class_)
        self.axioms.append(z3.And(z3.UGE(name, low), z3.ULE(name, high)))
        return name

    def is_in(self, reference: Any, range_: ClassRange) -> Any:
        class_ = self.class_of(reference)
        return z3.And(z3.UGE(class_, range_[0]), z3.ULE(class_, range_[1]))
