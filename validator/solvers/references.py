"""References, classes and memory in SMT-LIB: bit vectors and uninterpreted functions.

A reference is a number. NULL is 0, allocations have numbers from `_FRESH` on, and everything that existed before the
trace or comes from the world is below that. What memory held at first, lengths, classes and the like are functions of
these numbers, so that equal objects have equal contents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from optimizer.ir.addresses import address_of
from optimizer.ir.domains.term import Term
from validator.prove.terms.object_kinds import ANY_CLASS, APPLIED, ARRAYS, FLOATS, class_of_address
from validator.prove.terms.object_terms import ObjectTerms
from validator.solvers.float_text import SORT as _FLOAT
from validator.solvers.symbols import literal, symbol

_REFERENCE_BITS = 24
_CLASS_BITS = 32
_REFERENCE = f"(_ BitVec {_REFERENCE_BITS})"
_CLASS = f"(_ BitVec {_CLASS_BITS})"
_FRESH = 1 << (_REFERENCE_BITS - 1)

LOADS = frozenset({"load", "load_ref", "load_float"})

NUMBERS = frozenset({"pointer", "constant", "alloc", "load_ref", "applied_ref", "raised_ref", "class_of", "class_name"})
"""The kinds of terms with values of their own that are references or classes."""

VALUED = NUMBERS | APPLIED | {"var", "float_var", "load", "load_float", "length", "gc_type", "vtable"}
"""The kinds of terms that a model says the values of."""

OF_MEMORY = (VALUED - {"var", "float_var"}) | {
    "null",
    "class_id",
    "class_in",
    "class_same",
    "class_below",
    "same",
    "choose",
}
"""The kinds of terms that are translated here."""

_FUNCTIONS = LOADS | APPLIED | {"length", "class_of", "gc_type", "vtable"}

_OF_CLASSES = frozenset({"class_id", "class_of", "class_name"})


class References:
    """The text of the terms of `OF_MEMORY`. What is declared is added to `lines`; `texts` are the texts of terms."""

    def __init__(self, terms: ObjectTerms, lines: list[str], texts: Mapping[Term, str]) -> None:
        self._terms = terms
        self._lines = lines
        self._texts = texts
        self._word = f"(_ BitVec {terms.width})"
        self._numbers: dict[Term, int] = {}
        self._functions: dict[tuple[str, object, tuple[str, ...]], str] = {}

    def sort(self, term: Term) -> str:
        """The sort of a term that is no condition."""
        if term.kind in FLOATS:
            return _FLOAT
        return self._sort_of_kind(term.kind) if term.kind in OF_MEMORY else self._word

    def _sort_of_kind(self, kind: str) -> str:
        if kind in _OF_CLASSES:
            return _CLASS
        if kind in ("load_float", "applied_float"):
            return _FLOAT
        return self._word if kind in ("load", "length", "gc_type", "vtable", "applied") else _REFERENCE

    def text(self, term: Term) -> str:
        """The text of a term, those of its arguments being known."""
        args = [self._texts[arg] for arg in term.args]
        match term.kind:
            case "null":
                return _reference(0)
            case "alloc":
                return _reference(_FRESH + self._numbered(term))
            case "constant" if self._terms.layout.constant(term.value) is not None:
                return _reference(1 + self._numbered(term))
            case "constant":
                return self._declare(symbol("constant", term.value), _REFERENCE)
            case "pointer":
                return self._declare(symbol(f"reference {term.value.epoch}", term.value.name), _REFERENCE)
            case kind if kind in _FUNCTIONS:
                return self._applied(term, args)
            case "class_id":
                return _class(term.value)
            case "class_name":
                return self._declare(symbol("array" if term.value.is_array else "class", term.value.name), _CLASS)
            case "class_in":
                return _between(args[0], *term.value)
            case "choose":
                return f"(ite {' '.join(args)})"
            case "class_below":
                return f"(or (= {' '.join(args)}) {self._applied(term, args)})"
            case _:
                return f"(= {' '.join(args)})"

    def _declare(self, name: str, sort: str) -> str:
        self._lines.append(f"(declare-const {name} {sort})")
        return name

    def _numbered(self, term: Term) -> int:
        return self._numbers.setdefault(term, len(self._numbers))

    def _applied(self, term: Term, args: Sequence[str]) -> str:
        sorts = tuple([self.sort(arg) for arg in term.args])
        return f"({self._function(term.kind, term.value, sorts)} {' '.join(args)})"

    def _function(self, kind: str, value: object, sorts: tuple[str, ...]) -> str:
        key = (kind, value, sorts)
        if key not in self._functions:
            name = self._functions[key] = f"|{kind} {len(self._functions)}|"
            given = "Bool" if kind == "class_below" else self._sort_of_kind(kind)
            self._lines.append(f"(declare-fun {name} ({' '.join(sorts)}) {given})")
        return self._functions[key]

    def axioms(self, order: Sequence[Term]) -> Iterator[str]:
        """Conditions that hold of these terms whatever the trace does."""
        functions = {(term.kind, term.value): term for term in order if len(term.args) == 1}
        for term in order:
            if term.kind == "constant":
                yield from self._declared(term, functions.values())
        for term in order:
            match term.kind:
                case "pointer" | "load_ref" | "applied_ref" | "raised_ref" | "constant":
                    yield from self._possible(term)
                case "class_of":
                    yield from self._class_axioms(term)
                case "class_name":
                    yield _between(self._texts[term], *self._terms.class_limits(term))
                case "length":
                    yield from self._length_axioms(term)
                case "load" if term.value.low is not None:
                    yield self._at_most(self._literal(term.value.low), self._texts[term])
                    yield self._at_most(self._texts[term], self._literal(term.value.high))

    def _at_most(self, a: str, b: str) -> str:
        return f"(bvsle {a} {b})"

    def _literal(self, value: int) -> str:
        return literal(value, self._terms.width)

    def _possible(self, term: Term) -> Iterator[str]:
        """The condition that it is old, or an allocation that it may be."""
        reference = self._texts[term]
        old = f"(bvult {reference} {_reference(_FRESH)})"
        fresh = [f"(= {reference} {self._fresh(alloc)})" for alloc in self._terms.pointers.may_be(term)]
        yield f"(or {old} {' '.join(fresh)})" if fresh else old
        if term.kind == "constant":
            yield f"(distinct {reference} {_reference(0)})"

    def _fresh(self, alloc: Term) -> str:
        return _reference(_FRESH + self._numbered(alloc))

    def _declared(self, constant: Term, functions: Iterable[Term]) -> Iterator[str]:
        """Declarations of the class and the length of a constant, which hold of what equals it as well."""
        for term in functions:
            if term.kind == "class_of":
                class_ = self._applied(term, [self._texts[constant]])
                yield _between(class_, *self._terms.class_limits_of(constant))
            elif term.kind == "length":
                known = self._terms.length(constant)
                if known.kind == "const":
                    yield f"(= {self._applied(term, [self._texts[constant]])} {self._literal(known.value)})"

    def _length_axioms(self, term: Term) -> Iterator[str]:
        """Lengths are not negative, and what has one is an array."""
        length, zero = self._texts[term], self._literal(0)
        class_ = f"({self._function('class_of', None, (_REFERENCE,))} {self._texts[term.args[0]]})"
        yield self._at_most(zero, length)
        yield f"(or (= {length} {zero}) {_between(class_, *ARRAYS)})"

    def _class_axioms(self, term: Term) -> Iterator[str]:
        """NULL is what has no class."""
        class_, reference = self._texts[term], self._texts[term.args[0]]
        yield f"(bvule {class_} {_class(ANY_CLASS[1])})"
        yield f"(= (= {class_} {_class(0)}) (= {reference} {_reference(0)}))"
        limits = self._terms.class_limits(term)
        if limits != ANY_CLASS:
            yield _between(class_, *limits)

    def apart(self, order: Iterable[Term]) -> list[str]:
        """Conditions that need not hold, but do where runs are replayed: classes that are not declared are not declared
        ones, and differ from each other; addresses are those of the interpreter."""
        order = list(order)
        names = [self._texts[term] for term in order if term.kind == "class_name"]
        declared = [self._terms.class_range(name) for name in self._terms.declared_classes()]
        conditions = [f"(not {_between(name, *range_)})" for name in names for range_ in declared]
        conditions += self._addresses(order)
        return [*conditions, f"(distinct {' '.join(names)})"] if len(names) > 1 else conditions

    def _addresses(self, order: Sequence[Term]) -> Iterator[str]:
        """The addresses that names stand for, and the vtables of objects of the classes of these names, and of no
        others."""
        classes = [(term.value.name, self._texts[term]) for term in order if term.kind == "class_name"]
        for term in order:
            name, text = class_of_address(term), self._texts[term]
            if name is not None:
                yield f"(= {text} {self._address(name)})"
            if term.kind == "vtable":
                class_ = self._texts[term.args[0]]
                for struct in self._terms.layout.declarations.structs:
                    exact = self._terms.class_range(struct.name)[0]
                    yield f"(= {_between(class_, exact, exact)} (= {text} {self._address(struct.vtable)}))"
                for vtable, other in classes:
                    yield f"(= (= {class_} {other}) (= {text} {self._address(vtable)}))"

    def _address(self, name: str) -> str:
        return self._literal(address_of(name, self._terms.width))


def _reference(number: int) -> str:
    return literal(number, _REFERENCE_BITS)


def _class(number: int) -> str:
    return literal(number, _CLASS_BITS)


def _between(value: str, low: int, high: int) -> str:
    return f"(and (bvule {_class(low)} {value}) (bvule {value} {_class(high)}))"
