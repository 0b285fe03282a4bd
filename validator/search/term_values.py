"""The values of terms, where leaves and functions have given values, and the conditions that always hold of such
values.

What holds is the same as `validator.solvers.references` says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from optimizer.ir.domains.term import Term
from optimizer.ir.floats import ZERO, Float
from optimizer.ir.rows.domain import PRIMITIVES
from validator.prove.terms.object_kinds import APPLIED, ARRAYS, NO_CLASS, STRUCTS
from validator.prove.terms.object_terms import ObjectTerms

_FRESH = 1 << 20
"""Allocations have numbers from here on, other references below; NULL is 0."""

LEAVES = frozenset({"var", "float_var", "pointer", "class_name"})
FUNCTIONS = (
    frozenset({"load", "load_ref", "load_float", "length", "class_of", "gc_type", "vtable", "class_below"}) | APPLIED
)
_LIMITED = frozenset({"class_of", "class_name", "length", "load"})
_LOADS = frozenset({"load", "load_ref", "load_float"})
_PRIMITIVES = frozenset(PRIMITIVES)
SAME = frozenset({"same", "class_same", "eq", "float_same"})


class TermValues:
    """`values` are those of all terms, `given` the values of leaves, and of functions by their arguments' values.

    What is not given is plain: words are 0, references are apart from each other. Constants are as they are declared.
    """

    def __init__(self, terms: ObjectTerms, order: Sequence[Term]) -> None:
        self.terms = terms
        self.domain = terms.concrete
        self.given: dict[Any, Any] = {}
        self.values: dict[Term, Any] = {}
        self._order = order
        self._numbers: dict[Any, int] = {}
        # By functions of the terms' arguments, where the domain has them.
        self._computing = [
            (term, getattr(self.domain, term.kind) if term.args and term.kind in _PRIMITIVES else None)
            for term in order
        ]
        self._constants = [term for term in order if term.kind == "constant"]
        self._unary = {(term.kind, term.value): term for term in order if len(term.args) == 1}
        for constant in self._constants:
            low, high = terms.class_limits_of(constant)
            self.given["class_of", None, self.number_of(constant)] = max(low, min(high, STRUCTS[1]))
            self.given.update(self._declared(constant))

    def are_possible(self) -> bool:
        """Does all hold that holds of references whatever a trace does?"""
        return all(map(self._is_possible, self._order)) and all(map(self._is_as_declared, self._constants))

    def evaluate(self) -> None:
        """Computes all terms from what is given."""
        values: dict[Term, Any] = {}
        self.values = values
        for term, computes in self._computing:
            args = [values[arg] for arg in term.args]
            values[term] = self._value(term, args) if computes is None else computes(*args)

    def _value(self, term: Term, args: list[Any]) -> Any:
        kind = term.kind
        if kind in LEAVES:
            return self.given[term] if term in self.given else self._plain(term)
        if kind in FUNCTIONS:
            return self._at((kind, term.value, *args), term)
        if kind in SAME:
            return args[0] == args[1]
        match kind:
            case "const" | "truth" | "class_id":
                return term.value
            case "null":
                return 0
            case "alloc":
                return _FRESH + term.number
            case "constant":
                return self.number_of(term)
            case "class_in":
                return term.value[0] <= args[0] <= term.value[1]
            case "choose" | "float_ite":
                return args[1] if args[0] else args[2]
            case "float_const":
                return term.value
            case _ if kind.startswith("float_"):
                return getattr(self.domain.floats, kind[len("float_") :])(*args)
            case _:
                return getattr(self.domain, kind)(*args)

    def _plain(self, leaf: Term) -> int | Float:
        if leaf.kind == "float_var":
            return ZERO
        if leaf.kind == "class_name":
            low, high = self.terms.class_limits(leaf)
            return max(low, high - leaf.number)
        return 0 if leaf.kind == "var" else self.number(leaf)

    def _at(self, key: tuple[Any, ...], term: Term) -> Any:
        """The value of the function of `term` for the arguments in the key."""
        if term.kind == "class_below" and key[2] == key[3]:
            return True
        if key in self.given:
            return self.given[key]
        match term.kind:
            case "load_ref" | "applied_ref":
                return self.number(key)
            case "load_float" | "applied_float":
                return ZERO
            case "class_of":
                return self._class_at(key[2])
            case "load" if term.value.low is not None:
                return min(max(0, term.value.low), term.value.high)
            case _:
                return 0

    def number(self, what: Any) -> int:
        """The reference that is found there where nothing else is given."""
        return self._numbers.setdefault(what, len(self._numbers) + 1)

    def new_number(self) -> int:
        """A reference that has not been found."""
        return self.number(len(self._numbers))

    def number_of(self, constant: Term) -> int:
        number: int = self.given.get(constant) or self.number(constant)
        return number

    # What always holds.

    def _is_possible(self, term: Term) -> bool:
        kind, value = term.kind, self.values[term]
        if kind in ("pointer", "load_ref", "applied_ref", "raised_ref", "constant"):
            if value >= _FRESH:
                return value in [_FRESH + alloc.number for alloc in self.terms.pointers.may_be(term)]
            return value > 0 or kind != "constant"
        if kind not in _LIMITED:
            return True
        low, high = self.limits(term)
        if kind == "class_of" and (value == NO_CLASS[0]) != (self.values[term.args[0]] == 0):
            return False
        if kind == "length" and value and not self.is_array(self.values[term.args[0]]):
            return False
        return bool(low <= value <= high)

    def limits(self, term: Term) -> tuple[int, int]:
        """The least and the largest value that a class, or what a function gives, may have."""
        largest = self.domain.half - 1
        match term.kind:
            case "class_of" | "class_name":
                return self.terms.class_limits(term)
            case "length":
                return 0, largest
            case "load" if term.value.low is not None:
                return term.value.low, term.value.high
            case "load" | "gc_type" | "vtable" | "var" | "applied":
                return -largest - 1, largest
            case _:
                return 0, 2 * _FRESH

    def _class_at(self, reference: int) -> int:
        value: int = self.given.get(("class_of", None, reference), STRUCTS[1] if reference else NO_CLASS[0])
        return value

    def is_array(self, reference: int) -> bool:
        return ARRAYS[0] <= self._class_at(reference) <= ARRAYS[1]

    def _declared(self, constant: Term) -> Iterator[tuple[Any, Any]]:
        """The declared values of functions of the constant, but for its class."""
        for (kind, value), term in self._unary.items():
            if kind == "length" or kind in _LOADS:
                known = self.terms.remade(term, (constant,))
                if known.kind in ("const", "float_const", "null"):
                    yield (kind, value, self.number_of(constant)), known.value or 0

    def _is_as_declared(self, constant: Term) -> bool:
        low, high = self.terms.class_limits_of(constant)
        if not low <= self._class_at(self.number_of(constant)) <= high:
            return False
        return all(self.given.get(key) == value for key, value in self._declared(constant))
