"""Values that satisfy conditions, found without a solver: where some are found, the conditions can hold at once.

The search starts from plain values (words 0, references apart from each other) and makes conditions hold that do not,
by changing what they depend on. Where it gives up nothing is known. What it claims it has evaluated, under all
that holds of references whatever a trace does: the same as `validator.solvers.references` says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from math import isqrt
from random import Random
from typing import Any

from optimizer.ir.concrete import Concrete
from optimizer.ir.domain import PRIMITIVES
from optimizer.ir.faults import Unsupported
from optimizer.ir.floats import ZERO, Float
from optimizer.ir.term import Term, cone
from validator.object_kinds import ANY_CLASS, APPLIED, ARRAYS, FLOATS, NO_CLASS, STRUCTS
from validator.object_terms import ObjectTerms

_LARGEST = 300
"""Conditions of more terms are left to the solver."""

_PASSES = 16
"""So many times, all conditions that do not hold are made to hold, one after the other."""

_CHANGES = 1000
"""A search that tries to change more terms ends."""

_FRESH = 1 << 20
"""Allocations have numbers from here on, other references below; NULL is 0."""

_LEAVES = frozenset({"var", "float_var", "pointer", "class_name"})
_FUNCTIONS = (
    frozenset({"load", "load_ref", "load_float", "length", "class_of", "gc_type", "vtable", "class_below"}) | APPLIED
)
_LIMITED = frozenset({"class_of", "class_name", "length", "load"})
_LOADS = frozenset({"load", "load_ref", "load_float"})
_PRIMITIVES = frozenset(PRIMITIVES)
_SAME = frozenset({"same", "class_same", "eq", "float_same"})

_INVERSE: dict[str, Callable[[Concrete, int, int], int]] = {
    "add": Concrete.sub,
    "sub": Concrete.add,
    "bit_xor": Concrete.bit_xor,
    "shl": Concrete.lshr,
    "lshr": Concrete.shl,
    "ashr": Concrete.shl,
}
"""What the first argument has to be for a result, where the second one is known."""


def is_satisfiable(terms: ObjectTerms, conditions: Sequence[Term]) -> bool:
    """Were values found under which all of `conditions` hold? If not, there may still be some."""
    return find_values(terms, conditions) is not None


def find_values(terms: ObjectTerms, conditions: Sequence[Term]) -> Mapping[Term, int] | None:
    """Values of terms under which all of `conditions` hold, of all terms that these are built of; None if none were
    found. Words are signed, floats their patterns; equal references are equal numbers, 0 is NULL."""
    conditions = [*conditions, *terms.declared_contents(conditions)]
    order = cone(conditions)
    if len(order) > _LARGEST:
        return None
    search = _Search(terms, conditions, order)
    try:
        found = search.run()
    except Unsupported:  # the bytes of NaN
        return None
    return {term: v.bits if isinstance(v, Float) else v for term, v in search.values.items()} if found else None


class _Search:
    """`values` are those of all terms, `_given` the values of leaves, and of functions by their arguments' values."""

    def __init__(self, terms: ObjectTerms, conditions: Sequence[Term], order: Sequence[Term]) -> None:
        self._terms = terms
        self._domain = terms.concrete
        self._conditions = conditions
        self._order = order
        self._given: dict[Any, Any] = {}
        self._numbers: dict[Any, int] = {}
        self.values: dict[Term, Any] = {}
        self._computing = [(term, self._primitive(term)) for term in order]
        self._left = _CHANGES
        self._constants = [term for term in order if term.kind == "constant"]
        self._unary = {(term.kind, term.value): term for term in order if len(term.args) == 1}
        for constant in self._constants:
            low, high = terms.class_limits_of(constant)
            self._given["class_of", None, self._number_of(constant)] = max(low, min(high, STRUCTS[1]))
            self._given.update(self._declared(constant))

    @cached_property
    def _random(self) -> Random:
        return Random(0)  # here: many searches do without it

    def run(self) -> bool:
        for _ in range(_PASSES):
            self._evaluate()
            wrong = [one for one in self._conditions if not self.values[one]]
            if not wrong:
                return all(map(self._is_possible, self._order)) and all(map(self._is_as_declared, self._constants))
            for one in wrong:
                self._force(one, True)
        return False

    # Evaluating.

    def _evaluate(self) -> None:
        values: dict[Term, Any] = {}
        self.values = values
        for term, computes in self._computing:
            args = [values[arg] for arg in term.args]
            values[term] = self._value(term, args) if computes is None else computes(*args)

    def _primitive(self, term: Term) -> Callable[..., Any] | None:
        """What computes the term of its arguments, if it is one of the domain's primitives."""
        return getattr(self._domain, term.kind) if term.args and term.kind in _PRIMITIVES else None

    def _value(self, term: Term, args: list[Any]) -> Any:
        kind = term.kind
        if kind in _LEAVES:
            return self._given[term] if term in self._given else self._plain(term)
        if kind in _FUNCTIONS:
            return self._at((kind, term.value, *args), term)
        if kind in _SAME:
            return args[0] == args[1]
        match kind:
            case "const" | "truth" | "class_id":
                return term.value
            case "null":
                return 0
            case "alloc":
                return _FRESH + term.number
            case "constant":
                return self._number_of(term)
            case "class_in":
                return term.value[0] <= args[0] <= term.value[1]
            case "choose" | "float_ite":
                return args[1] if args[0] else args[2]
            case "float_const":
                return term.value
            case _ if kind.startswith("float_"):
                return getattr(self._domain.floats, kind[len("float_") :])(*args)
            case _:
                return getattr(self._domain, kind)(*args)

    def _plain(self, leaf: Term) -> int | Float:
        if leaf.kind == "float_var":
            return ZERO
        if leaf.kind == "class_name":
            low, high = self._terms.class_limits(leaf)
            return max(low, high - leaf.number)
        return 0 if leaf.kind == "var" else self._number(leaf)

    def _at(self, key: tuple[Any, ...], term: Term) -> Any:
        """The value of the function of `term` for the arguments in the key."""
        if term.kind == "class_below" and key[2] == key[3]:
            return True
        if key in self._given:
            return self._given[key]
        match term.kind:
            case "load_ref" | "applied_ref":
                return self._number(key)
            case "load_float" | "applied_float":
                return ZERO
            case "class_of":
                return self._class_at(key[2])
            case "load" if term.value.low is not None:
                return min(max(0, term.value.low), term.value.high)
            case _:
                return 0

    def _number(self, what: Any) -> int:
        return self._numbers.setdefault(what, len(self._numbers) + 1)

    def _number_of(self, constant: Term) -> int:
        number: int = self._given.get(constant) or self._number(constant)
        return number

    # What always holds.

    def _is_possible(self, term: Term) -> bool:
        kind, value = term.kind, self.values[term]
        if kind in ("pointer", "load_ref", "applied_ref", "raised_ref", "constant"):
            if value >= _FRESH:
                return value in [_FRESH + alloc.number for alloc in self._terms.may_be(term)]
            return value > 0 or kind != "constant"
        if kind not in _LIMITED:
            return True
        low, high = self._limits(term)
        if kind == "class_of" and (value == NO_CLASS[0]) != (self.values[term.args[0]] == 0):
            return False
        if kind == "length" and value and not self._is_array(self.values[term.args[0]]):
            return False
        return bool(low <= value <= high)

    def _limits(self, term: Term) -> tuple[int, int]:
        """The least and the largest value that a class, or what a function gives, may have."""
        largest = self._domain.half - 1
        match term.kind:
            case "class_of" | "class_name":
                return self._terms.class_limits(term)
            case "length":
                return 0, largest
            case "load" if term.value.low is not None:
                return term.value.low, term.value.high
            case "load" | "gc_type" | "vtable" | "var" | "applied":
                return -largest - 1, largest
            case _:
                return 0, 2 * _FRESH

    def _class_at(self, reference: int) -> int:
        value: int = self._given.get(("class_of", None, reference), STRUCTS[1] if reference else NO_CLASS[0])
        return value

    def _is_array(self, reference: int) -> bool:
        return ARRAYS[0] <= self._class_at(reference) <= ARRAYS[1]

    def _declared(self, constant: Term) -> Iterator[tuple[Any, Any]]:
        """What is declared of functions of the constant, but for its class."""
        for (kind, value), term in self._unary.items():
            if kind == "length" or kind in _LOADS:
                known = self._terms.remade(term, (constant,))
                if known.kind in ("const", "float_const", "null"):
                    yield (kind, value, self._number_of(constant)), known.value or 0

    def _is_as_declared(self, constant: Term) -> bool:
        low, high = self._terms.class_limits_of(constant)
        if not low <= self._class_at(self._number_of(constant)) <= high:
            return False
        return all(self._given.get(key) == value for key, value in self._declared(constant))

    # Making conditions hold.

    def _force(self, term: Term, wanted: Any) -> None:
        """Has the term be `wanted` if that is easy; what it is made of may change in any way."""
        kind, args = term.kind, term.args
        self._left -= 1
        if self.values[term] == wanted or self._left < 0:
            return
        match kind:
            case _ if kind in FLOATS:
                self._force_float(term, wanted)
            case "float_eq" | "float_lt":
                self._arrange_floats(term, wanted)
            case "float_to_int" | "float_to_bytes":
                floats = self._domain.floats
                self._force(args[0], (floats.of_int if kind == "float_to_int" else floats.of_bytes)(wanted))
            case "float_to_single":
                self._force(args[0], self._domain.floats.of_single(wanted))
            case _ if kind in _LEAVES or kind in _FUNCTIONS:
                low, high = self._limits(term)
                if low <= wanted <= high:
                    self._put(term, wanted)
            case "constant" if not self._is_fixed(term):
                self._given[term] = wanted
            case "not_":
                self._force(args[0], not wanted)
            case "both" if wanted:
                self._force(args[0], True)
                self._force(args[1], True)
            case "both":
                self._force(args[self._random.random() < 0.7], False)
            case _ if kind in _SAME:
                self._compare(term, wanted)
            case "slt" | "ult":
                self._arrange(term, wanted)
            case "class_in":
                low, high = term.value
                inside = high if self._random.random() < 0.7 else low
                self._force(args[0], inside if wanted else high + 1 if high < ANY_CLASS[1] else low - 1)
            case "choose" | "ite" if self._random.random() < 0.3:
                self._force(args[0], not self.values[args[0]])
            case "choose" | "ite":
                self._force(args[1 if self.values[args[0]] else 2], wanted)
            case "neg" | "bit_not":
                self._force(args[0], getattr(self._domain, kind)(wanted))
            case "add_overflows" | "sub_overflows" | "mul_overflows":
                limit = self._domain.half - 1
                self._force(args[0], self._random.choice((limit, -limit - 1)) if wanted else 0)
            case "mul":
                self._factor(args, wanted)
            case _ if kind in _INVERSE:
                self._force(args[0], _INVERSE[kind](self._domain, wanted, self.values[args[1]]))
            case _ if args:
                self._force(args[self._random.random() < 0.3 and args[-1].kind != "const"], wanted)

    def _force_float(self, term: Term, wanted: Float) -> None:
        match term.kind:
            case "float_var" | "load_float" | "applied_float":
                self._put(term, wanted)
            case "float_ite":
                self._force(term.args[1 if self.values[term.args[0]] else 2], wanted)
            case "float_neg":
                self._force(term.args[0], self._domain.floats.neg(wanted))
            case "float_of_int" if not wanted.is_nan and abs(wanted.value) < self._domain.half:
                self._force(term.args[0], int(wanted.value))
            case "float_abs" | "float_add" | "float_sub":
                self._force(term.args[0], wanted)

    def _arrange_floats(self, term: Term, wanted: bool) -> None:
        """Has the comparison hold, or not."""
        a, b = term.args
        value, is_below = self.values[b].value, term.kind == "float_lt"
        if is_below == wanted:
            value = value - 1.0 if wanted else value + 1.0
        self._force(a, Float.of(value))

    def _factor(self, args: Sequence[Term], wanted: int) -> None:
        """Has the product of both be `wanted`: a square, or what the other one divides."""
        a, b = args
        if a is b:
            self._force(a, isqrt(abs(wanted)))
            return
        divisor = self.values[b]
        quotient = wanted // divisor if divisor else 0
        self._force(a, quotient)
        if quotient * divisor != wanted and b.kind != "const":
            self._force(b, wanted // quotient if quotient else wanted)

    def _put(self, term: Term, wanted: Any) -> None:
        if term.kind in _LEAVES:
            self._given[term] = wanted
            return
        args = [self.values[arg] for arg in term.args]
        if term.kind == "class_of" and (wanted == NO_CLASS[0]) != (args[0] == 0):
            args[0] = 0 if args[0] else self._number(len(self._numbers))
            self._force(term.args[0], args[0])
        if term.kind == "length" and wanted and not self._is_array(args[0]):
            self._given["class_of", None, args[0]] = ARRAYS[1]
        self._given[(term.kind, term.value, *args)] = wanted

    def _compare(self, term: Term, wanted: bool) -> None:
        """Has two things be the same, or not."""
        one, other = term.args if self._is_first(*term.args) else term.args[::-1]
        value = self.values[other]
        if not wanted:
            value = self._number(len(self._numbers)) if term.kind == "same" else self._another(value, term.kind)
        self._force(one, value)

    def _is_first(self, a: Term, b: Term) -> bool:
        """Is it the first one that had better change?"""
        if self._is_fixed(a) or self._is_fixed(b):
            return self._is_fixed(b)
        return self._random.random() < 0.5

    def _another(self, value: Any, kind: str) -> Any:
        if kind == "float_same":
            return Float.of(1.0) if value == ZERO else ZERO
        return self._domain.const(value + 1) if kind == "eq" else value - 1

    def _arrange(self, term: Term, wanted: bool) -> None:
        """Has the first argument be below the second one, or not."""
        a, b = term.args
        low, high = self.values[a], self.values[b]
        const, is_signed = self._domain.const, term.kind == "slt"
        if self._is_fixed(a) or (not self._is_fixed(b) and self._random.random() < 0.7):
            self._force(b, const(low + 1) if wanted else low)
        elif wanted:
            self._force(a, const(high - 1) if is_signed or low >= 0 else 0)
        else:
            self._force(a, high)

    def _is_fixed(self, term: Term) -> bool:
        if term.kind == "constant":
            return self._terms.layout.constant(term.value) is not None
        return term.kind in ("const", "float_const", "null", "alloc", "class_id")
