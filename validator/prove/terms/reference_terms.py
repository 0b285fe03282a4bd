"""Terms about references: which are the same object, and which classes they may have.

A reference is NULL, an object that the trace allocates (`alloc`), an opaque constant, a variable (an input, the result
of an event), what memory held at first (`load_ref`), or a choice of those. Two of them are the same object, are not, or
it is a condition.

A variable is as old as the epoch in which it came into being. The world can give out an allocation only when it has
become visible: an allocation is distinct from all variables that are no younger than that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from optimizer.ir.domains.plain_terms import PlainTerms
from optimizer.ir.domains.term import Term
from optimizer.ir.floats import ZERO
from optimizer.ir.rows.row import Type
from optimizer.ir.types.layout import SUBCLASS, Array, Layout, Struct
from validator.prove.terms.object_kinds import (
    ANY_CLASS,
    APPLIED,
    ARRAYS,
    CONDITIONS,
    NO_CLASS,
    OBJECTS,
    STRUCTS,
    Allocation,
    ClassName,
    ClassRange,
    Moment,
    Unknown,
    address_name,
    choices,
    is_float,
    is_reference,
    number_classes,
)

if TYPE_CHECKING:
    from validator.prove.terms.float_terms import PlainFloatTerms

START: Moment = (0, 0)

_FOUND = frozenset({"pointer", "load_ref", "applied_ref", "raised_ref"})
"""The kinds of references that may be allocations."""


class ReferenceTerms(PlainTerms):
    """Terms over words, as they are written, and over references to the objects of a layout. What is known of
    references is decided here."""

    __slots__ = (
        "_class_ranges",
        "_moments",
        "_plainly_in",
        "ages",
        "exposed",
        "found_from",
        "is_abstract",
        "layout",
        "null",
        "visible_from",
    )

    def __init__(self, width: int, layout: Layout) -> None:
        super().__init__(width)
        self.layout = layout
        self.null = self._make("null", ())
        self.visible_from: dict[Term, Moment] = {}  # of allocations: when an event sees them first
        self.found_from: dict[Term, Moment] = {}  # and when a function could first give them
        self.exposed: list[Term] = []  # the same, in that order
        self.is_abstract = False  # is there a term that may mean less than the language does?
        self.ages: dict[Term, Moment] = {}  # of what functions give and raise: when it came
        self._moments = 0
        self._class_ranges = number_classes(layout)
        self._plainly_in: dict[tuple[Term, ClassRange], Term] = {}  # what `class_in` says but for what is exposed

    def make(self, kind: str, args: tuple[Term, ...], value: Any = None) -> Term:
        """The term of that kind, as it is written."""
        return self._make(kind, args, value)

    @property
    def floats(self) -> PlainFloatTerms:
        """Those beside these terms, which do not keep them: nothing is left to the garbage collector."""
        from validator.prove.terms.float_terms import PlainFloatTerms  # here: most traces have no floats

        return PlainFloatTerms(self)

    def pointer(self, name: str, epoch: int) -> Term:
        """An unknown reference that came into being behind so many events."""
        self.is_abstract = True
        return self._make("pointer", (), Unknown(name, epoch))

    def constant(self, name: str) -> Term:
        """The opaque constant of that name; one term for all names that are declared to be the same."""
        known = self.layout.constant(name)
        self.is_abstract = True
        return self._make("constant", (), name if known is None else known.names[0])

    def address(self, name: str) -> Term:
        """The address of the class or function of that name: a word of which nothing is known."""
        self.is_abstract = True
        return self.var(address_name(name))

    def allocate(self, type_: Struct | Array, length: Term | None, cleared: bool) -> Term:
        """A new object."""
        class_ = self._class_of_type(type_)
        self.is_abstract = True
        return self._make("alloc", (), Allocation(type_, class_, length, cleared))

    def now(self, events: int) -> Moment:
        """A moment behind so many events and behind all that have been asked for there. The optimized trace, which is
        encoded last, makes its calls behind those of the recorded one."""
        self._moments += 1
        return events, self._moments

    def expose(self, alloc: Term, moment: Moment) -> None:
        """An event sees the allocation then, if no earlier one did."""
        if alloc not in self.visible_from:
            self.visible_from[alloc] = moment
            self.exposed.append(alloc)

    def show(self, alloc: Term, moment: Moment) -> None:
        """A function may give the allocation from then on, if not before. That shows it to no event."""
        self.found_from.setdefault(alloc, moment)

    def forget_exposures(self, visible_from: Mapping[Term, Moment], found_from: Mapping[Term, Moment]) -> None:
        """Only these allocations have been exposed, or shown to functions, each from that moment on."""
        self.visible_from, self.found_from = dict(visible_from), dict(found_from)
        self.exposed = list(visible_from)

    def birth(self, p: Term) -> Moment:
        """When a reference that is neither a choice nor an allocation came into being. What an object holds is at least
        as young as the object, which an event may have made."""
        birth = START
        while p.kind == "load_ref":
            birth = max(birth, (p.value.epoch, 0))
            p = p.args[0]
        own = (p.value.epoch, 0) if p.kind == "pointer" else self.ages.get(p, START)
        return max(birth, own)

    def may_be(self, p: Term) -> list[Term]:
        """The allocations that a reference may be that is none itself."""
        if p.kind not in _FOUND or not (self.exposed or self.found_from):
            return []
        birth = self.birth(p)
        given = [alloc for alloc in self.exposed if self.visible_from[alloc] < birth]
        if p.kind in APPLIED:
            given += [alloc for alloc, moment in self.found_from.items() if moment < birth and alloc not in given]
        return given

    def _may_be_given(self, alloc: Term, p: Term) -> bool:
        """May the reference, which is no choice and no allocation, be that one?"""
        birth = self.birth(p)
        if self.visible_from.get(alloc, birth) < birth:
            return True
        return p.kind in APPLIED and self.found_from.get(alloc, birth) < birth

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
            if other.kind == "alloc" or not self._may_be_given(alloc, other):
                return self.false
        if p.kind == "constant" and q.kind == "constant" and self.layout.different_constants(p.value, q.value):
            return self.false
        return self._make("same", (p, q) if p.number < q.number else (q, p))

    def zero_of(self, type_: Type) -> Term:
        """What memory of that type holds where it has been cleared."""
        if type_ is Type.FLOAT:
            return self.floats.const(ZERO)
        return self.null if type_ is Type.REF else self.zero

    def by_object(self, p: Term, of: Callable[[Term], Term]) -> Term:
        """What `of` says of the reference, which is no choice where it is asked: a word, reference, float or
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
        """What `of` says of the allocation that `p` is, `otherwise` where it is none."""
        result = otherwise
        for alloc in self.may_be(p):
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
        if range_ == OBJECTS or not self.may_be(p):
            return plain
        return self._object_if_exposed(p, lambda alloc: self._class_in(alloc.value.class_, range_), plain)

    def _object_if_exposed(self, p: Term, of: Callable[[Term], Term], otherwise: Term) -> Term:
        """The same as `_if_exposed`, of a condition that does not hold of NULL, which is said first."""
        if not self.may_be(p):
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
