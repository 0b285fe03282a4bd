"""Values that satisfy conditions, found without a solver: where some are found, the conditions can hold at once.

The search starts from plain values (words 0, references apart from each other) and makes conditions hold that do not,
by changing what they depend on. Where it gives up nothing is known. What it claims it has evaluated, under all
that holds of references whatever a trace does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from math import isqrt
from random import Random
from typing import Any

from optimizer.ir.domains.concrete import Concrete
from optimizer.ir.domains.term import Term, cone_within
from optimizer.ir.faults import Unsupported
from optimizer.ir.floats import NAN, ZERO, Float
from validator.prove.terms.object_kinds import ANY_CLASS, ARRAYS, FLOATS, NO_CLASS
from validator.prove.terms.object_terms import ObjectTerms
from validator.search.term_values import FUNCTIONS, LEAVES, SAME, TermValues

_LARGEST = 1000
"""The number of terms up to which conditions are not left to the solver."""

_PASSES = 16
"""The number of rounds in which all conditions that do not hold are made to hold, one after the other."""

_CHANGES = 1000
"""A search that tries to change more terms ends."""

_DEEPEST = 200
"""The number of terms on the way from a condition to what changes, at most."""

_CONDITIONS = SAME | {
    "not_",
    "both",
    "slt",
    "ult",
    "float_eq",
    "float_lt",
    "class_in",
    "add_overflows",
    "sub_overflows",
    "mul_overflows",
}

_INVERSE: dict[str, Callable[[Concrete, int, int], int]] = {
    "add": Concrete.sub,
    "sub": Concrete.add,
    "bit_xor": Concrete.bit_xor,
    "shl": Concrete.lshr,
    "lshr": Concrete.shl,
    "ashr": Concrete.shl,
}
"""The function that gives the first argument of a primitive from its result and the second argument."""


def is_satisfiable(terms: ObjectTerms, conditions: Sequence[Term]) -> bool:
    """Were values found under which all of `conditions` hold? If not, there may still be some."""
    return find_values(terms, conditions) is not None


def find_values(
    terms: ObjectTerms, conditions: Sequence[Term], others: Sequence[Term] = ()
) -> Mapping[Term, int] | None:
    """Values of terms under which all of `conditions` hold, of all terms that these are built of, and `others`, unless
    these are too many; None if none were found. Words are signed, floats their patterns; equal references are equal
    numbers, 0 is NULL."""
    if cone_within(conditions, (), _LARGEST) is None:
        return None
    if cone_within([*conditions, *others], (), _LARGEST) is None:
        others = ()
    conditions = [*conditions, *terms.declared_contents([*conditions, *others])]
    order = cone_within([*conditions, *others], (), _LARGEST)
    if order is None:
        return None
    search = _Search(terms, conditions, order)
    try:
        found = search.run()
    except Unsupported:  # the bytes of NaN
        return None
    return {term: v.bits if isinstance(v, Float) else v for term, v in search.values.items()} if found else None


class _Search(TermValues):
    """Gives values until the conditions hold."""

    def __init__(self, terms: ObjectTerms, conditions: Sequence[Term], order: Sequence[Term]) -> None:
        super().__init__(terms, order)
        self._conditions = conditions
        self._left = _CHANGES
        self._depth = 0

    @cached_property
    def _random(self) -> Random:
        return Random(0)  # here: many searches do without it

    def run(self) -> bool:
        for _ in range(_PASSES):
            self.evaluate()
            wrong = [one for one in self._conditions if not self.values[one]]
            if not wrong:
                return self.are_possible()
            for one in wrong:
                self._force(one, True)
        return False

    def _force(self, term: Term, wanted: Any) -> None:
        """Has the term be `wanted` if that is easy; what it is made of may change in any way."""
        kind = term.kind
        self._left -= 1
        if self.values[term] == wanted or self._left < 0 or self._depth == _DEEPEST:
            return
        self._depth += 1
        if kind in FLOATS:
            self._force_float(term, wanted)
        elif kind in LEAVES or kind in FUNCTIONS:
            low, high = self.limits(term)
            if low <= wanted <= high:
                self._put(term, wanted)
        elif kind in _CONDITIONS:
            self._force_condition(term, wanted)
        elif kind == "constant" and not self._is_fixed(term):
            self.given[term] = wanted
        else:
            self._force_computed(term, wanted)
        self._depth -= 1

    def _force_condition(self, term: Term, wanted: bool) -> None:
        args = term.args
        match term.kind:
            case "not_":
                self._force(args[0], not wanted)
            case "both" if wanted:
                self._force(args[0], True)
                self._force(args[1], True)
            case "both":
                self._force(args[self._random.random() < 0.7], False)
            case "slt" | "ult":
                self._arrange(term, wanted)
            case "float_eq" | "float_lt":
                self._arrange_floats(term, wanted)
            case "class_in":
                low, high = term.value
                inside = high if self._random.random() < 0.7 else low
                self._force(args[0], inside if wanted else high + 1 if high < ANY_CLASS[1] else low - 1)
            case "add_overflows" | "sub_overflows" | "mul_overflows":
                limit = self.domain.half - 1
                self._force(args[0], self._random.choice((limit, -limit - 1)) if wanted else 0)
            case _:
                self._compare(term, wanted)

    def _force_computed(self, term: Term, wanted: Any) -> None:
        kind, args = term.kind, term.args
        match kind:
            case "choose" | "ite" if self._random.random() < 0.3:
                self._force(args[0], not self.values[args[0]])
            case "choose" | "ite":
                self._force(args[1 if self.values[args[0]] else 2], wanted)
            case "neg" | "bit_not":
                self._force(args[0], getattr(self.domain, kind)(wanted))
            case "mul":
                self._factor(args, wanted)
            case "bit_and" if args[1].kind == "const":
                mask = self.values[args[1]]
                self._force(args[0], self.domain.const((self.values[args[0]] & ~mask) | (wanted & mask)))
            case "float_to_int" | "float_to_bytes":
                floats = self.domain.floats
                self._force(args[0], (floats.of_int if kind == "float_to_int" else floats.of_bytes)(wanted))
            case "float_to_single":
                self._force(args[0], self.domain.floats.of_single(wanted))
            case _ if kind in _INVERSE:
                self._force(args[0], _INVERSE[kind](self.domain, wanted, self.values[args[1]]))
            case _ if args:
                self._force(args[self._random.random() < 0.3 and args[-1].kind != "const"], wanted)

    def _force_float(self, term: Term, wanted: Float) -> None:
        match term.kind:
            case "float_var" | "load_float" | "applied_float":
                self._put(term, wanted)
            case "float_ite":
                self._force(term.args[1 if self.values[term.args[0]] else 2], wanted)
            case "float_neg":
                self._force(term.args[0], self.domain.floats.neg(wanted))
            case "float_of_int" if wanted != NAN and abs(wanted.value) < self.domain.half:
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
        if term.kind in LEAVES:
            self.given[term] = wanted
            return
        args = [self.values[arg] for arg in term.args]
        if term.kind == "class_of" and (wanted == NO_CLASS[0]) != (args[0] == 0):
            args[0] = 0 if args[0] else self.new_number()
            self._force(term.args[0], args[0])
        if term.kind == "length" and wanted and not self.is_array(args[0]):
            self.given["class_of", None, args[0]] = ARRAYS[1]
        self.given[(term.kind, term.value, *args)] = wanted

    def _compare(self, term: Term, wanted: bool) -> None:
        """Has two things be the same, or not."""
        one, other = term.args if self._is_first(*term.args) else term.args[::-1]
        value = self.values[other]
        if not wanted:
            value = self.new_number() if term.kind == "same" else self._another(one, value, term.kind)
        self._force(one, value)

    def _is_first(self, a: Term, b: Term) -> bool:
        """Is it the first one that had better change?"""
        if self._is_fixed(a) or self._is_fixed(b):
            return self._is_fixed(b)
        return self._random.random() < 0.5

    def _another(self, term: Term, value: Any, kind: str) -> Any:
        """Another value than that one, which the term may have."""
        if kind == "float_same":
            return Float.of(1.0) if value == ZERO else ZERO
        if term.kind == "bit_and" and term.args[1].kind == "const":
            mask = self.values[term.args[1]]
            return self.domain.const(value ^ (mask & -mask))
        return self.domain.const(value + 1) if kind == "eq" else value - 1

    def _arrange(self, term: Term, wanted: bool) -> None:
        """Has the first argument be below the second one, or not."""
        a, b = term.args
        low, high = self.values[a], self.values[b]
        const, is_signed = self.domain.const, term.kind == "slt"
        grows = is_signed or low >= 0  # else it is as large as a word can be, or almost
        if self._is_fixed(a) or (not self._is_fixed(b) and (grows or not wanted) and self._random.random() < 0.7):
            self._force(b, const(low + 1) if wanted else low)
        elif wanted:
            self._force(a, const(high - 1) if is_signed or high > 0 else 0)
        else:
            self._force(a, high)

    def _is_fixed(self, term: Term) -> bool:
        if term.kind == "constant":
            return self.terms.layout.constant(term.value) is not None
        return term.kind in ("const", "float_const", "null", "alloc", "class_id", "class_name")
