"""Terms about references: which are the same object, and which classes they may have.

A reference is NULL, an object that the trace allocates (`alloc`), an opaque constant, a variable (an input, the result
of an event), what memory held at first (`load_ref`), or a choice of those. Two of them are the same object, are not, or
it is a condition.

Terms are values: equal ones are one object, and none knows when it was made. What decides here is what is known of
`pointers` at a place, which comes with the terms that are asked (see `validator.prove.terms.pointers`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from optimizer.ir.domains.term import Term
from optimizer.ir.domains.terms import Terms
from optimizer.ir.floats import ZERO
from optimizer.ir.rows.row import Type
from optimizer.ir.types.layout import Array, Layout, Struct
from optimizer.ir.types.memory_types import SUBCLASS
from validator.prove.terms.object_kinds import (
    ANY_CLASS,
    ARRAYS,
    CONDITIONS,
    NO_CLASS,
    OBJECTS,
    STRUCTS,
    Allocation,
    ClassName,
    ClassRange,
    Unknown,
    address_name,
    choices,
    class_of_address,
    is_float,
    is_reference,
    number_classes,
)
from validator.prove.terms.pointers import NO_POINTERS, Pointers

if TYPE_CHECKING:
    from validator.prove.terms.float_terms import PlainFloatTerms


class ReferenceTerms(Terms):
    """Terms over words, and over references to the objects of a layout, where `pointers` is known of these."""

    __slots__ = ("_class_ranges", "_plainly_in", "layout", "null", "pointers")

    def __init__(self, width: int, layout: Layout) -> None:
        super().__init__(width)
        self.layout = layout
        self.pointers: Pointers = NO_POINTERS
        self.null = self._make("null", ())
        self._class_ranges = number_classes(layout)
        self._plainly_in: dict[tuple[Term, ClassRange], Term] = {}  # what `class_in` says but for what is exposed

    def knowing(self, pointers: Pointers) -> Self:
        """The same terms where that is known of pointers."""
        terms = copy(self)
        terms.pointers = pointers
        return terms

    def make(self, kind: str, args: tuple[Term, ...], value: Any = None) -> Term:
        """The term of that kind, as it is written."""
        return self._make(kind, args, value)

    @property
    def floats(self) -> PlainFloatTerms:
        """The float terms beside these terms, which do not keep them: nothing is left to the garbage collector."""
        from validator.prove.terms.float_terms import FloatTerms  # here: most traces have no floats

        return FloatTerms(self)

    def pointer(self, name: str, epoch: int) -> Term:
        """An unknown reference that came into being behind so many events."""
        return self._make("pointer", (), Unknown(name, epoch))

    def unknown(self, name: str, type_: Type, epoch: int) -> Term:
        """An unknown value that came into being behind so many events."""
        if type_ is Type.FLOAT:
            return self.floats.var(name)
        return self.pointer(name, epoch) if type_ is Type.REF else self.var(name)

    def constant(self, name: str) -> Term:
        """The opaque constant of that name; one term for all names that are declared to be the same."""
        known = self.layout.constant(name)
        return self._make("constant", (), name if known is None else known.names[0])

    def address(self, name: str) -> Term:
        """The address of the class or function of that name: a word of which nothing is known."""
        return self.var(address_name(name))

    def allocate(self, type_: Struct | Array, length: Term | None, cleared: bool) -> Term:
        """A new object."""
        class_ = self._class_of_type(type_)
        return self._make("alloc", (), Allocation(type_, class_, length, cleared))

    def _choice(self, kind: str, c: Term, a: Term, b: Term) -> Term:
        """`a` where `c` holds, else `b`. Choices by the allocation that a reference is stand in one order: the later
        ones first."""
        if b.kind == kind and b.args[0].number > c.number and _are_exclusive(c, b.args[0]):
            first, value, other = b.args
            return super()._choice(kind, first, value, self._choice(kind, c, a, other))
        return super()._choice(kind, c, a, b)

    def choose(self, c: Term, p: Term, q: Term) -> Term:
        """`p` where `c` holds, else `q`."""
        return self._choice("choose", c, p, q)

    def select(self, c: Term, a: Term, b: Term) -> Term:
        """`a` where `c` holds, else `b`; words, references or floats."""
        if is_float(a):
            return self.floats.ite(c, a, b)
        return self.choose(c, a, b) if is_reference(a) else self.ite(c, a, b)

    def equal(self, a: Term, b: Term) -> Term:
        """Equality of words, or identity of references or floats; what is of two sorts is not equal."""
        if a is b:
            return self.true
        if is_reference(a) != is_reference(b) or is_float(a) != is_float(b):
            return self.false
        if is_float(a):
            return self.floats.same(a, b)
        return self.same(a, b) if is_reference(a) else self.eq(a, b)

    def same(self, p: Term, q: Term) -> Term:
        """Are both the same object, or NULL?"""
        if p is q:
            return self.true
        if p.kind == "choose":
            return self.by_object(p, lambda one: self.same(one, q))
        if q.kind == "choose":
            return self.by_object(q, lambda one: self.same(p, one))
        if p is self.null or q is self.null:
            return self.not_(self.class_in(q if p is self.null else p, OBJECTS))
        if p.kind == "alloc" or q.kind == "alloc":
            alloc, other = (p, q) if p.kind == "alloc" else (q, p)
            if other.kind == "alloc" or not self.pointers.may_be_same(alloc, other):
                return self.false
        if p.kind == "constant" and q.kind == "constant" and self.layout.different_constants(p.value, q.value):
            return self.false
        return self._make("same", (p, q) if p.number < q.number else (q, p))

    def zero_of(self, type_: Type) -> Term:
        """The content of cleared memory of that type."""
        if type_ is Type.FLOAT:
            return self.floats.const(ZERO)
        return self.null if type_ is Type.REF else self.zero

    def by_object(self, p: Term, of: Callable[[Term], Term]) -> Term:
        """The value of `of` for the reference, which is no choice where it is asked: a word, reference, float or
        condition."""
        if p.kind != "choose":
            return of(p)
        known: dict[Term, Term] = {}
        for one in choices(p):
            if one.kind == "choose":
                c, a, b = one.args
                known[one] = self._chosen(c, known[a], known[b])
            else:
                known[one] = of(one)
        return known[p]

    def _chosen(self, c: Term, a: Term, b: Term) -> Term:
        """`a` where `c` holds, else `b`; words, references, floats or conditions."""
        if a is b:
            return a
        if a.kind in CONDITIONS or b.kind in CONDITIONS:
            return self.either(self.both(c, a), self.both(self.not_(c), b))
        return self.select(c, a, b)

    def _if_exposed(self, p: Term, of: Callable[[Term], Term], otherwise: Term) -> Term:
        """The value of `of` for the allocation that `p` is, `otherwise` where it is none."""
        result = otherwise
        for alloc in self.pointers.may_be(p):
            result = self._chosen(self.same(p, alloc), of(alloc), result)
        return result

    # Classes.

    def class_range(self, name: str) -> ClassRange:
        """The classes that a declared struct or array stands for."""
        return self._class_ranges[name]

    def _class_of_type(self, type_: Struct | Array) -> Term:
        if type_.name in self._class_ranges:
            return self._make("class_id", (), self._class_ranges[type_.name][0])
        if isinstance(type_, Struct):
            return self.class_name(type_.vtable)
        return self.class_name(type_.name, is_array=True)

    def class_name(self, name: str, *, is_array: bool = False) -> Term:
        """The class of structs or arrays of that name, of which nothing is declared."""
        return self._make("class_name", (), ClassName(name, is_array))

    def class_of(self, p: Term) -> Term:
        """The class of a reference that is no choice."""
        if p is self.null:
            return self._make("class_id", (), NO_CLASS[0])
        if p.kind == "alloc":
            class_: Term = p.value.class_
            return class_
        return self._make("class_of", (p,))

    def class_in(self, p: Term, range_: ClassRange) -> Term:
        """Is the reference's class, 0 of NULL, one of those?"""
        if p.kind == "choose":
            return self.by_object(p, lambda one: self.class_in(one, range_))
        plain = self._plainly_in.get((p, range_))
        if plain is None:
            plain = self._plainly_in[p, range_] = self._class_in(self.class_of(p), range_)
        # What has a class is not NULL, even where that is the class of an allocation.
        if range_ == OBJECTS or not self.pointers.may_be(p):
            return plain
        return self._object_if_exposed(p, lambda alloc: self._class_in(alloc.value.class_, range_), plain)

    def _object_if_exposed(self, p: Term, of: Callable[[Term], Term], otherwise: Term) -> Term:
        """The same as `_if_exposed`, of a condition that does not hold of NULL, which is said first."""
        if not self.pointers.may_be(p):
            return otherwise
        return self.both(self.class_in(p, OBJECTS), self._if_exposed(p, of, otherwise))

    def _class_in(self, class_: Term, range_: ClassRange) -> Term:
        low, high = self.class_limits(class_)
        if range_[0] <= low and high <= range_[1]:
            return self.true
        if high < range_[0] or range_[1] < low:
            return self.false
        return self._make("class_in", (class_,), range_)

    def class_limits(self, class_: Term) -> ClassRange:
        """The classes that the class term may be."""
        match class_.kind:
            case "class_id":
                return class_.value, class_.value
            case "class_name":
                return self._limits_of_name(class_.value.name, class_.value.is_array)
            case _:
                return self._constant_limits(class_.args[0]) if class_.args[0].kind == "constant" else ANY_CLASS

    def _limits_of_name(self, name: str, is_array: bool) -> ClassRange:
        if is_array:
            return ARRAYS
        above = self._class_ranges.get(name.removesuffix(SUBCLASS)) if name.endswith(SUBCLASS) else None
        return STRUCTS if above is None else (above[0] + 1, above[1])

    def class_limits_of(self, p: Term) -> ClassRange:
        """The classes that a reference may have."""
        return self.class_limits(self.class_of(p))

    def declared_classes(self) -> Iterable[str]:
        """The names of the declared structs and arrays."""
        return self._class_ranges

    def _constant_limits(self, constant: Term) -> ClassRange:
        known = self.layout.constant(constant.value)
        type_ = None if known is None else known.struct or known.array
        if type_ is None or not type_.declared:
            return OBJECTS
        exact = self._class_ranges[type_.name][0]
        return exact, exact

    # Lengths.

    def length(self, p: Term) -> Term:
        """The length of an array, 0 of NULL."""
        return self.by_object(p, self._length)

    def _length(self, p: Term) -> Term:
        match p.kind:
            case "null":
                return self.zero
            case "alloc":
                return p.value.length or self.zero
            case "constant":
                known = self.layout.constant(p.value)
                if known is not None and known.length is not None:
                    return self.const(known.length)
        return self._if_exposed(p, self._length, self._make("length", (p,)))

    # Classes.

    def has_class(self, p: Term, vtable: str) -> Term:
        """Is it an object of exactly the struct with that vtable?"""
        struct = self.layout.struct_of_vtable(vtable)
        if struct.declared:
            exact = self._class_ranges[struct.name][0]
            return self.class_in(p, (exact, exact))

        return self.by_object(p, partial(self._has_class, vtable))

    def _has_class(self, vtable: str, p: Term) -> Term:
        plain = self.class_same(self.class_of(p), self.class_name(vtable))
        return self._object_if_exposed(p, partial(self._has_class, vtable), plain)

    def has_subclass(self, p: Term, vtable: str) -> Term:
        """Is it an object of the struct with that vtable, or of a subclass?"""
        struct = self.layout.struct_of_vtable(vtable)
        if struct.declared:
            return self.class_in(p, self._class_ranges[struct.name])

        return self.by_object(p, partial(self._is_below, vtable))

    def _is_below(self, vtable: str, p: Term) -> Term:
        plain = self.class_below(self.class_of(p), self.class_name(vtable))
        return self._object_if_exposed(p, partial(self._is_below, vtable), plain)

    def class_below(self, a: Term, b: Term) -> Term:
        """Is the class `a` the class `b`, or a subclass of it? Of a struct that is not declared nobody knows."""
        low, high = self.class_limits(a)
        if a is b or high < STRUCTS[0] or STRUCTS[1] < low:
            return self.truth(a is b)
        return self._make("class_below", (a, b))

    def class_same(self, a: Term, b: Term) -> Term:
        if a is b:
            return self.true
        (low, high), (from_, to) = self.class_limits(a), self.class_limits(b)
        if high < from_ or to < low:
            return self.false
        return self._make("class_same", (a, b) if a.number < b.number else (b, a))

    def has_gc_type(self, p: Term, number: Term) -> Term:
        """Has the reference's type that number for the collector? Then it is one of the arrays that are declared to
        have it. Others of one declared type may have other numbers: it may stand for several."""
        has = self.eq(self.gc_type(p), number)
        array = self.layout.by_gc_type.get(number.value) if number.kind == "const" else None
        return has if array is None else self.both(self.class_in(p, self.class_range(array.name)), has)

    def gc_type(self, p: Term) -> Term:
        """A number of which nothing is known but that it is the reference's."""
        return self.by_object(p, lambda one: self._make("gc_type", (one,)))

    def vtable(self, p: Term) -> Term:
        """The address of the vtable of the reference's class, 0 of NULL."""
        return self.by_object(p, self._vtable)

    def _vtable(self, p: Term) -> Term:
        if p is self.null:
            return self.zero
        return self._if_exposed(p, self._vtable, self._vtable_of(self.class_of(p)))

    def _vtable_of(self, class_: Term) -> Term:
        """The address of the class's own name, where it has one."""
        name: str | None = None
        if class_.kind == "class_id":
            structs = self.layout.declarations.structs
            name = next((one.vtable for one in structs if self._class_ranges[one.name][0] == class_.value), None)
        elif class_.kind == "class_name" and not class_.value.is_array:
            name = class_.value.name
        if name is not None:
            return self.address(name)
        return self._make("vtable", (class_,))

    def _known_vtables(self, order: Sequence[Term]) -> Iterator[Term]:
        """The conditions on vtables: of an object whose class has one of the names whose addresses these terms have, it
        is that address; of NULL it is 0."""
        vtables = [term for term in order if term.kind == "vtable"]
        yield from (self.either(self._class_in(one.args[0], OBJECTS), self.eq(one, self.zero)) for one in vtables)
        addresses = [(term, named) for term in order if vtables and (named := class_of_address(term)) is not None]
        for address, name in addresses:
            struct = self.layout.struct_of_vtable(name)
            exact = self._class_ranges[struct.name][0] if struct.declared else 0
            for vtable in vtables:
                class_ = vtable.args[0]
                is_it = (
                    self._class_in(class_, (exact, exact))
                    if struct.declared
                    else self.class_same(class_, self.class_name(name))
                )
                yield self.implies(is_it, self.eq(vtable, address))


def _are_exclusive(c: Term, d: Term) -> bool:
    """Do both ask which allocation a reference is, and name different ones?"""
    return c.kind == d.kind == "same" and any(
        c.args[i] is d.args[j] and c.args[1 - i].kind == d.args[1 - j].kind == "alloc" for i in (0, 1) for j in (0, 1)
    )
