"""Terms about the lengths of arrays, and about what objects are of which class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from optimizer.ir.domains.term import Term
from validator.prove.terms.object_kinds import OBJECTS, STRUCTS, class_of_address
from validator.prove.terms.reference_terms import ReferenceTerms


class ClassTerms(ReferenceTerms):
    """Terms over references, their lengths and classes."""

    __slots__ = ()

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

    def gc_type(self, p: Term) -> Term:
        """The number that the collector has for the reference's class."""
        return self.by_object(p, self._gc_type)

    def _gc_type(self, p: Term) -> Term:
        return self._if_exposed(p, self._gc_type, self._make("gc_type", (self.class_of(p),)))

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
        """Of an object whose class has one of the names whose addresses these terms have, it is that address; of NULL
        it is 0."""
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
