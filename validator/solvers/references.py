"""References, classes and memory in Z3: bit vectors and uninterpreted functions.

A reference is a number. NULL is 0, allocations have numbers from `_FRESH` on, and everything that existed before the
trace or comes from the world is below that. What memory held at first, lengths, classes and the like are functions of
these numbers, so that equal objects have equal contents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import z3

from optimizer.ir.term import Term
from validator.object_kinds import ANY_CLASS, ARRAYS
from validator.object_terms import ObjectTerms

_REFERENCE_BITS = 24
_CLASS_BITS = 32
_FRESH = 1 << (_REFERENCE_BITS - 1)

LOADS = frozenset({"load", "load_ref"})

NUMBERS = frozenset({"pointer", "constant", "alloc", "load_ref", "class_of", "class_name"})
"""The kinds of terms with values of their own that are references or classes."""

VALUED = NUMBERS | {"var", "load", "length", "gc_type"}
"""The kinds of terms that a model says the values of."""

OF_MEMORY = (VALUED - {"var"}) | {"null", "class_id", "class_in", "class_same", "class_below", "same", "choose"}
"""The kinds of terms that are translated here."""


class References:
    """Translates the terms of `OF_MEMORY`."""

    def __init__(self, terms: ObjectTerms, context: Any) -> None:
        self._terms = terms
        self._context = context
        self._word = z3.BitVecSort(terms.width, context)
        self._reference = z3.BitVecSort(_REFERENCE_BITS, context)
        self._class = z3.BitVecSort(_CLASS_BITS, context)
        self._numbers: dict[Term, int] = {}
        self._functions: dict[Any, Any] = {}

    def build(self, term: Term, done: Mapping[Term, Any]) -> Any:
        args = [done[arg] for arg in term.args]
        match term.kind:
            case "null":
                return self._number(0)
            case "alloc":
                return self._number(_FRESH + self._numbered(term))
            case "constant" if self._terms.layout.constant(term.value) is not None:
                return self._number(1 + self._numbered(term))
            case "constant":
                return z3.Const(f"constant {term.value}", self._reference)
            case "pointer":
                return z3.Const(term.value.name, self._reference)
            case "load" | "load_ref" | "length":
                return self._function(term)(*args)
            case "class_of" | "gc_type":
                return self._function(term)(*args)
            case "class_id":
                return z3.BitVecVal(term.value, _CLASS_BITS, self._context)
            case "class_name":
                return z3.Const(f"class {term.value}", self._class)
            case "class_in":
                return _between(args[0], *term.value)
            case "choose":
                return z3.If(*args)
            case "class_below":
                return z3.Or(args[0] == args[1], self._function(term)(*args))
            case _:
                return args[0] == args[1]

    def _number(self, value: int) -> Any:
        return z3.BitVecVal(value, _REFERENCE_BITS, self._context)

    def _numbered(self, term: Term) -> int:
        return self._numbers.setdefault(term, len(self._numbers))

    def _function(self, term: Term) -> Any:
        key = (term.kind, term.value, len(term.args))
        if key not in self._functions:
            sorts = self._signature(term)
            self._functions[key] = z3.Function(f"{term.kind} {len(self._functions)}", *sorts)
        return self._functions[key]

    def _signature(self, term: Term) -> list[Any]:
        """The sorts of the arguments of a function, and of its result."""
        indices = [self._word] * (len(term.args) - 1)
        match term.kind:
            case "class_of":
                return [self._reference, self._class]
            case "gc_type":
                return [self._class, self._word]
            case "class_below":
                return [self._class, self._class, z3.BoolSort(self._context)]
            case "load_ref":
                return [self._reference, *indices, self._reference]
            case _:
                return [self._reference, *indices, self._word]

    def axioms(self, terms: Sequence[Term], done: Mapping[Term, Any]) -> Iterator[Any]:
        """What holds of these terms whatever the trace does."""
        functions = {(term.kind, term.value): term for term in terms if term.args and len(term.args) == 1}
        for constant in terms:
            if constant.kind == "constant":
                yield from self._declared(constant, done, functions.values())
        for term in terms:
            match term.kind:
                case "pointer" | "load_ref" | "constant":
                    yield from self._possible(term, done)
                case "class_of":
                    yield from self._class_axioms(term, done)
                case "class_name":
                    yield _between(done[term], *self._terms.class_limits(term))
                case "length":
                    yield done[term] >= 0
                    yield z3.Or(done[term] == 0, _between(self._class_at(done[term.args[0]]), *ARRAYS))
                case "load" if term.value.low is not None:
                    yield done[term] >= term.value.low
                    yield done[term] <= term.value.high

    def _possible(self, term: Term, done: Mapping[Term, Any]) -> Iterator[Any]:
        """It is old, or an allocation that it may be."""
        reference = done[term]
        fresh = [reference == self._number(_FRESH + self._numbered(alloc)) for alloc in self._terms.may_be(term)]
        yield z3.Or(z3.ULT(reference, self._number(_FRESH)), *fresh)
        if term.kind == "constant":
            yield reference != self._number(0)

    def _declared(self, constant: Term, done: Mapping[Term, Any], functions: Iterable[Term]) -> Iterator[Any]:
        """What is declared of a constant holds of what equals it as well."""
        for term in functions:
            if term.kind == "class_of":
                yield _between(self._function(term)(done[constant]), *self._terms.class_limits_of(constant))
            elif term.kind == "length" or term.kind in LOADS:
                known = self._terms.remade(term, (constant,))
                if known.kind in ("const", "null"):
                    yield self._function(term)(done[constant]) == self._literal(known)

    def _literal(self, term: Term) -> Any:
        if term.kind == "const":
            return z3.BitVecVal(term.value, self._terms.width, self._context)
        return self._number(0)

    def apart(self, terms: Iterable[Term], done: Mapping[Term, Any]) -> list[Any]:
        """What need not hold, but does where runs are replayed: classes that are not declared are not declared ones,
        and differ from each other."""
        names = [done[term] for term in terms if term.kind == "class_name"]
        declared = [self._terms.class_range(name) for name in self._terms.declared_classes()]
        conditions = [z3.Not(_between(name, *range_)) for name in names for range_ in declared]
        return [*conditions, z3.Distinct(*names)] if len(names) > 1 else conditions

    def _class_at(self, reference: Any) -> Any:
        key = ("class_of", None, 1)
        if key not in self._functions:
            self._functions[key] = z3.Function(f"class_of {len(self._functions)}", self._reference, self._class)
        return self._functions[key](reference)

    def _class_axioms(self, term: Term, done: Mapping[Term, Any]) -> Iterator[Any]:
        """NULL is what has no class."""
        yield z3.ULE(done[term], z3.BitVecVal(ANY_CLASS[1], _CLASS_BITS, self._context))
        yield (done[term] == 0) == (done[term.args[0]] == 0)
        limits = self._terms.class_limits(term)
        if limits != ANY_CLASS:
            yield _between(done[term], *limits)


def _between(value: Any, low: int, high: int) -> Any:
    return z3.And(z3.UGE(value, low), z3.ULE(value, high))
