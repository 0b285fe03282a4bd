"""Terms about objects: references, what functions give, and what memory held at first.

What memory held when an epoch began, at the start or behind an event, is a function of the object (and the index):
equal objects, equal values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from optimizer.ir.domains.term import Term, cone
from optimizer.ir.floats import Float
from optimizer.ir.rows.row import FLOAT, INT, REF, VOID, Type
from optimizer.ir.types.layout import Field, Layout
from optimizer.ir.types.memory_types import MemoryKind, kind_of
from validator.prove.terms.object_kinds import (
    APPLIED,
    OF_OBJECTS,
    WORDS_OF_FLOATS,
    Function,
    Hashed,
    Initial,
    class_of_address,
    is_float,
    is_reference,
    validity_name,
)
from validator.prove.terms.reference_terms import ReferenceTerms

if TYPE_CHECKING:
    from validator.prove.terms.comparisons import Compared

_APPLIED = {INT: "applied", REF: "applied_ref", FLOAT: "applied_float", VOID: "applied"}
_LOADS = {INT: "load", REF: "load_ref", FLOAT: "load_float"}

_ABSTRACT = (OF_OBJECTS | APPLIED | WORDS_OF_FLOATS | {"load"}) - {"null"}

_MOST_HASHES = 6
"""The number of hashes of which something is said, at most."""

_LONGEST_TEXT = 64
"""The length of a constant string up to which all its items are known; of a longer one only items at constant indices
are."""


class ObjectTerms(ReferenceTerms):
    """Terms that the encoding of a heap is made of. `hashes` and `compared` are what functions of memory mean that
    solvers know nothing of."""

    __slots__ = ("compared", "hashes", "texts")

    def __init__(self, width: int, layout: Layout) -> None:
        super().__init__(width, layout)
        self.texts = [self.constant(text) for text in layout.texts]  # all constant strings of the pair
        self.hashes: dict[Term, Hashed] = {}
        self.compared: dict[Term, Compared] = {}  # by what stands for the memory that is compared

    def remade(self, term: Term, args: Sequence[Term]) -> Term:
        match term.kind:
            case "load" | "load_ref" | "load_float":
                return self.load(term.value, *args)
            case "class_in":
                return self._class_in(args[0], term.value)
            case "gc_type":
                return self.gc_type(*args)
            case "vtable":
                return self._vtable_of(args[0])
            case kind if kind in APPLIED:
                return self._make(kind, tuple(args), term.value)
            case kind if kind.startswith("float_"):
                made: Term = getattr(self.floats, kind[len("float_") :])(*args)
                return made
            case _:
                return super().remade(term, args)

    @property
    def is_abstract(self) -> bool:
        """May a model of these terms mean less than the language does? Which objects the world can find is
        overestimated, and so are the classes that there may be."""
        return any(term.kind in _ABSTRACT or class_of_address(term) is not None for term in self._made.values())

    # What functions give.

    def applied(self, result: Type, args: tuple[Term, ...]) -> Term:
        """The result of a function, its address being the first argument."""
        return self._make(_APPLIED[result], args, Function(result, tuple(map(_type_of, args))))

    def raised(self, result: Type, args: tuple[Term, ...]) -> Term:
        """The exception that it raises, NULL if none."""
        return self._make("raised_ref", args, Function(result, tuple(map(_type_of, args))))

    # Memory, as an epoch begins.

    def load(self, initial: Initial, p: Term, index: Term | None = None, *more: Term) -> Term:
        """The initial content of the memory for an object that is no choice. What raw memory held is that of NULL. It
        may be a function of `more` than an index."""
        if p is self.null and kind_of(initial.key) is not MemoryKind.RAW:
            return self.zero_of(initial.type)
        if p.kind == "choose":
            return self.by_object(p, lambda one: self.load(initial, one, index, *more))
        unknown = self._make(_LOADS[initial.type], (p,) if index is None else (p, index, *more), initial)
        if p.kind == "constant" and initial.epoch == 0 and index is None:
            return self._known_content(p.value, initial.key, unknown)
        return unknown

    def _known_content(self, name: str, key: str, unknown: Term) -> Term:
        """The declared content of a constant's field; of a quasi-immutable one it holds where the code is still
        valid."""
        known = self.layout.constant(name)
        for slot, value in () if known is None else known.fields:
            if slot.key == key:
                content = self.declared_content(value)
                return self.select(self.is_valid(0), content, unknown) if slot.quasi_immutable else content
        return unknown

    def declared_contents(self, conditions: Iterable[Term]) -> list[Term]:
        """The conditions that hold of the terms of these conditions by the declared fields of constants: an object that
        is the same as a constant holds the same."""
        conditions = list(conditions)
        of_items = self._equal_hashes(conditions) if self.hashes else []
        if self.compared:
            from validator.prove.terms.comparisons import meaning_of_comparisons  # here: most traces compare no strings

            of_items += meaning_of_comparisons(self, [*conditions, *of_items])
        order = cone([*conditions, *of_items])
        of_items += self._known_vtables(order)
        if not self.layout.declarations.consts and not self.texts:
            return of_items
        loads = {term.value.key: term for term in order if _is_initial_field(term)}
        constants = [term for term in order if term.kind == "constant"] if loads else []
        found: list[Term] = []
        for constant in constants:  # which grows
            known = self.layout.constant(constant.value)
            for slot, value in () if known is None else known.fields:
                if slot.key in loads:
                    load, content = loads[slot.key], self.declared_content(value)
                    holds = self.equal(self._make(load.kind, (constant,), load.value), content)
                    found.append(self.implies(self.is_valid(0), holds) if slot.quasi_immutable else holds)
                    constants += [content] if content.kind == "constant" and content not in constants else []
        return [*of_items, *found, *self._text_contents(order)]

    def _equal_hashes(self, conditions: Iterable[Term]) -> list[Term]:
        """Hashes in these conditions are equal where the strings are. Where these are not, their lengths differ, or
        there is an index at which they do."""
        hashes = [term for term in cone(conditions) if term in self.hashes][:_MOST_HASHES]
        return [self._are_equal(one, other) for one, other in combinations(hashes, 2)]

    def _are_equal(self, one: Term, other: Term) -> Term:
        mine, theirs = self.hashes[one], self.hashes[other]
        if mine.slot.key != theirs.slot.key:
            return self.true
        at = self.var(f"where {one.number} and {other.number} differ")
        length = self.length(mine.object)
        items = self.implies(self.ult(at, length), self.eq(mine.item(at), theirs.item(at)))
        alike = self.both(self.eq(length, self.length(theirs.object)), items)
        return self.implies(alike, self.eq(one, other))

    def declared_content(self, value: int | Float | str) -> Term:
        if isinstance(value, Float):
            return self.floats.const(value)
        if isinstance(value, int):
            return self.const(value)
        return self.null if value == "NULL" else self.constant(value)

    def text_item(self, slot: Field, constant: Term, index: Term) -> Term | None:
        """The item of a constant string; None of other constants and other memory, and where it is too long to say."""
        known = self.layout.constant(constant.value)
        if known is None or known.items is None or known.array is None or slot != known.array.item:
            return None
        if index.kind == "const":
            return self.const(known.items[index.value]) if 0 <= index.value < len(known.items) else self.zero
        if len(known.items) > _LONGEST_TEXT:
            return None
        item = self.zero
        for at, value in reversed(list(enumerate(known.items))):
            item = self.ite(self.eq(index, self.const(at)), self.const(value), item)
        return item

    def _text_contents(self, order: Sequence[Term]) -> list[Term]:
        """The conditions on items that hold because a constant string may be their object: it always holds the same."""
        texts = [term for term in order if term in self.texts]
        loads = [term for term in order if term.kind == "load" and len(term.args) == 2] if texts else []
        found: list[Term] = []
        for text in texts:
            known = self.layout.constant(text.value)
            assert known is not None
            assert known.array is not None
            slot = known.array.item
            assert slot is not None
            for load in loads:
                item = self.text_item(slot, text, load.args[1]) if load.value.key == slot.key else None
                if item is not None:
                    found.append(self.eq(self._make("load", (text, load.args[1]), load.value), item))
        return found

    def is_valid(self, invalidations: int) -> Term:
        """Is the code valid behind so many events that can invalidate? Then it has been so all along."""
        return self.all_of(self.eq(self.var(validity_name(k)), self.zero) for k in range(invalidations + 1))


def _type_of(term: Term) -> Type:
    if is_reference(term):
        return REF
    return FLOAT if is_float(term) else INT


def _is_initial_field(term: Term) -> bool:
    """Is it what a field held at the start?"""
    return term.kind in _LOADS.values() and len(term.args) == 1 and term.value.epoch == 0
