"""Terms about objects: references, their classes and lengths, and what memory held at first.

A reference is NULL, an object that the trace allocates (`alloc`), an opaque constant, a variable (an input, the result
of an event), what memory held at first (`load_ref`), or a choice of those. Two of them are the same object, are not, or
it is a condition. What memory held when an epoch began, at the start or behind an event, is a function of the object
(and the index): equal objects, equal values.

A variable is as old as the epoch in which it came into being. The world can give out an allocation only when it has
become visible: an allocation is distinct from all variables that are no younger than that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from optimizer.ir.floats import ZERO, Float
from optimizer.ir.layout import SUBCLASS, Array, Layout, Struct
from optimizer.ir.plain_terms import PlainTerms
from optimizer.ir.raw_memory import is_raw
from optimizer.ir.row import Type
from optimizer.ir.term import Term, cone
from optimizer.ir.terms import Terms
from validator.object_kinds import (
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
    Function,
    Hashed,
    Initial,
    Moment,
    Unknown,
    address_name,
    choices,
    class_of_address,
    is_float,
    is_reference,
    number_classes,
    validity_name,
)

if TYPE_CHECKING:
    from validator.comparisons import Compared
    from validator.float_terms import PlainFloatTerms

_FOUND = frozenset({"pointer", "load_ref", "applied_ref", "raised_ref"})
"""The kinds of references that may be allocations."""

_APPLIED = {Type.INT: "applied", Type.REF: "applied_ref", Type.FLOAT: "applied_float", Type.VOID: "applied"}
_LOADS = {Type.INT: "load", Type.REF: "load_ref", Type.FLOAT: "load_float"}

_START: Moment = (0, 0)

_MOST_HASHES = 6
"""Of further hashes nothing is said."""

_LONGEST_TEXT = 64
"""Of a longer constant string only items at constant indices are known."""


class ObjectTerms(PlainTerms):
    """Terms over words, as they are written, and over references to the objects of a layout. What is known of
    references is decided here: it is what the encoding of a heap is made of."""

    __slots__ = (
        "_ages",
        "_class_ranges",
        "_decided",
        "_floats",
        "_has_vtables",
        "_moments",
        "compared",
        "exposed",
        "found_from",
        "hashes",
        "is_abstract",
        "layout",
        "null",
        "surely_seen",
        "texts",
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
        self._moments = 0
        self._has_vtables = False
        self._ages: dict[Term, Moment] = {}  # of what functions give and raise: when it came
        self._decided: set[Term] = set()  # of these, those that a call gave that was made for certain
        self.surely_seen: set[Term] = set()  # of these, those that every run has exposed that has done the event
        self.texts: list[Term] = []  # all constant strings of the pair
        self.hashes: dict[Term, Hashed] = {}
        self.compared: dict[Term, Compared] = {}  # by what stands for the memory that is compared
        self._class_ranges = number_classes(layout)
        self._floats: PlainFloatTerms | None = None

    def make(self, kind: str, args: tuple[Term, ...], value: Any = None) -> Term:
        """The term of that kind, as it is written."""
        return self._make(kind, args, value)

    @property
    def floats(self) -> PlainFloatTerms:
        if self._floats is None:
            self._floats = self._floats_of_these()
        return self._floats

    def _floats_of_these(self) -> PlainFloatTerms:
        from validator.float_terms import PlainFloatTerms  # here: most traces have no floats

        return PlainFloatTerms(self)

    def remade(self, term: Term, args: Sequence[Term]) -> Term:
        match term.kind:
            case "load" | "load_ref" | "load_float":
                return self.load(term.value, *args)
            case "class_in":
                return self._class_in(args[0], term.value)
            case "gc_type":
                return self._make(term.kind, tuple(args))
            case "vtable":
                return self._vtable_of(args[0])
            case kind if kind in APPLIED:
                return self._applied(kind, tuple(args), term.value, self._ages.get(term, _START))
            case kind if kind.startswith("float_"):
                made: Term = getattr(self.floats, kind[len("float_") :])(*args)
                return made
            case _:
                return super().remade(term, args)

    # References.

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
        birth = _START
        while p.kind == "load_ref":
            birth = max(birth, (p.value.epoch, 0))
            p = p.args[0]
        own = (p.value.epoch, 0) if p.kind == "pointer" else self._ages.get(p, _START)
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
        if c.kind == "truth":
            return p if c.value else q
        if c.kind == "not_":
            c, p, q = c.args[0], q, p
        if p.kind == "choose" and p.args[0] is c:
            p = p.args[1]
        if q.kind == "choose" and q.args[0] is c:
            q = q.args[2]
        return p if p is q else self._make("choose", (c, p, q))

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

    # What functions give.

    def applied(self, result: Type, args: tuple[Term, ...], moment: Moment) -> Term:
        """What a function gives, its address being the first argument, that is called then."""
        return self._applied(_APPLIED[result], args, Function(result, tuple(map(_type_of, args))), moment)

    def raised(self, result: Type, args: tuple[Term, ...], moment: Moment) -> Term:
        """What it raises, NULL if nothing."""
        return self._applied("raised_ref", args, Function(result, tuple(map(_type_of, args))), moment)

    def decide(self, *given: Term) -> None:
        """The recorded trace has made the call that gives these, if not before: further ones give the same."""
        self._decided.update(given)

    def _applied(self, kind: str, args: tuple[Term, ...], function: Function, moment: Moment) -> Term:
        term = self._make(kind, args, function)
        if term not in self._decided:
            self._ages[term] = max(moment, self._ages.get(term, _START))
        self.is_abstract = True
        return term

    # Memory, as an epoch begins.

    def load(self, initial: Initial, p: Term, index: Term | None = None, *more: Term) -> Term:
        """What the memory held for an object that is no choice. What raw memory held is that of NULL. It may be a
        function of `more` than an index."""
        if p is self.null and not is_raw(initial.key):
            return self.zero_of(initial.type)
        if p.kind == "choose":
            return self.by_object(p, lambda one: self.load(initial, one, index, *more))
        unknown = self._make(_LOADS[initial.type], (p,) if index is None else (p, index, *more), initial)
        if p.kind == "constant" and initial.epoch == 0 and index is None:
            return self._known_content(p.value, initial.key, unknown)
        return unknown

    def _known_content(self, name: str, key: str, unknown: Term) -> Term:
        """What is declared of a constant's field; of a quasi-immutable one it holds where the code is still valid."""
        known = self.layout.constant(name)
        for slot, value in () if known is None else known.fields:
            if slot.key == key:
                content = self.declared_content(value)
                return self.select(self.is_valid(0), content, unknown) if slot.quasi_immutable else content
        return unknown

    def declared_contents(self, conditions: Iterable[Term]) -> list[Term]:
        """What holds of the terms of these conditions because it is declared of the fields of constants: what is the
        same object as a constant holds it as well."""
        conditions = list(conditions)
        of_items = self._equal_hashes(conditions) if self.hashes else []
        if self.compared:
            from validator.comparisons import meaning_of_comparisons  # here: most traces compare no strings

            of_items += meaning_of_comparisons(self, [*conditions, *of_items])
        if not self.layout.declarations.consts and not self.texts and not self._has_vtables:
            return of_items
        order = cone([*conditions, *of_items])
        of_items += self._known_vtables(order)
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

    def text_item(self, constant: Term, index: Term) -> Term | None:
        """The item of a constant string; None of other constants, and where the string is too long to say."""
        known = self.layout.constant(constant.value)
        if known is None or known.items is None:
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
        """What holds of items because a constant string may be their object: it always holds the same."""
        texts = [term for term in order if term in self.texts]
        loads = [term for term in order if term.kind == "load" and len(term.args) == 2] if texts else []
        found: list[Term] = []
        for text in texts:
            known = self.layout.constant(text.value)
            assert known is not None
            assert known.array is not None
            for load in loads:
                item = self.text_item(text, load.args[1]) if load.value.key == f"{known.array.name}[]" else None
                if item is not None:
                    found.append(self.eq(self._make("load", (text, load.args[1]), load.value), item))
        return found

    def is_valid(self, invalidations: int) -> Term:
        """Is the code valid behind so many events that can invalidate?"""
        return self.eq(self.var(validity_name(invalidations)), self.zero)

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
        plain = self._class_in(self.class_of(p), range_)
        if range_ == OBJECTS:  # what has a class is not NULL, even where that is the class of an allocation
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

    def has_class(self, p: Term, vtable: str) -> Term:
        """Is it an object of exactly the struct with that vtable?"""
        struct = self.layout.struct_of_vtable(vtable)
        if struct.declared:
            exact = self._class_ranges[struct.name][0]
            return self.class_in(p, (exact, exact))

        def of(one: Term) -> Term:
            plain = self.class_same(self.class_of(one), self.class_name(vtable))
            return self._object_if_exposed(one, of, plain)

        return self.by_object(p, of)

    def has_subclass(self, p: Term, vtable: str) -> Term:
        """Is it an object of the struct with that vtable, or of a subclass?"""
        struct = self.layout.struct_of_vtable(vtable)
        if struct.declared:
            return self.class_in(p, self._class_ranges[struct.name])

        def of(one: Term) -> Term:
            plain = self.class_below(self.class_of(one), self.class_name(vtable))
            return self._object_if_exposed(one, of, plain)

        return self.by_object(p, of)

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
        self._has_vtables = True
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


def _type_of(term: Term) -> Type:
    if is_reference(term):
        return Type.REF
    return Type.FLOAT if is_float(term) else Type.INT


def _is_initial_field(term: Term) -> bool:
    """Is it what a field held at the start?"""
    return term.kind in _LOADS.values() and len(term.args) == 1 and term.value.epoch == 0


class SimplifyingObjectTerms(ObjectTerms, Terms):
    """The same, with the algebra of words and conditions: what is built is simplified."""

    __slots__ = ()

    def equal(self, a: Term, b: Term) -> Term:
        return self.true if a is b else super().equal(a, b)

    def _floats_of_these(self) -> PlainFloatTerms:
        from validator.float_terms import FloatTerms  # here: most traces have no floats

        return FloatTerms(self)
