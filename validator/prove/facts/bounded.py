"""What a term is under the bounds of its parts: one form for what optimizers write in several.

Each rewriting holds for all values within the bounds. A term with one value left is that constant. What is not
negative is shifted, divided and compared as unsigned. A comparison with a constant compares with the next value that
there is, and where that leaves one value, it is an equation. A bit operation that changes only bits that are known
adds a constant, and one that joins bits that no two have adds.
"""

from __future__ import annotations

from collections.abc import Iterable

from optimizer.ir.domains.bounds import Bounds
from optimizer.ir.domains.term import Term
from optimizer.ir.floats import EXACT_INTS
from validator.prove.facts.intervals import Intervals
from validator.prove.terms.object_kinds import CONDITIONS, OF_OBJECTS
from validator.prove.terms.object_terms import ObjectTerms

_PLAIN = OF_OBJECTS - CONDITIONS | {"truth", "const"}
_ROUNDS = 4
_MOST_PARTS = 12


class BoundedRewriting:
    """Rewrites single terms; their parts are taken as they are."""

    def __init__(self, terms: ObjectTerms, intervals: Intervals) -> None:
        self._terms = terms
        self._intervals = intervals
        self._domain = intervals.domain
        self._half = intervals.domain.half
        self._full = intervals.domain.full

    def rewritten(self, term: Term) -> Term:
        """A term of the same value wherever what the intervals know holds."""
        for _ in range(_ROUNDS):
            new = self._once(term)
            if new is term:
                break
            term = new
        return term

    def _once(self, term: Term) -> Term:
        if term.kind in _PLAIN:
            return term
        value = self._intervals.value(term)
        if term.kind in CONDITIONS:
            if value is not None:
                return self._terms.truth(value)
        elif value.low == value.high:
            return self._terms.const(value.low)
        rule = getattr(self, f"_{term.kind}", None)
        new: Term | None = rule(*term.args) if rule is not None else None
        return term if new is None else new

    def _bounds(self, term: Term) -> Bounds:
        bounds: Bounds = self._intervals.value(term)
        return bounds

    def _at_least_zero(self, *terms: Term) -> bool:
        return all(self._bounds(term).low >= 0 for term in terms)

    def _below_zero(self, *terms: Term) -> bool:
        return all(self._bounds(term).high < 0 for term in terms)

    # Words.

    def _ashr(self, a: Term, b: Term) -> Term | None:
        if self._at_least_zero(a):
            return self._terms.lshr(a, b)
        if a.kind == "shl" and a.args[1] is b and b.kind == "const" and self._fits(a.args[0], b.value):
            return a.args[0]
        return None

    def _fits(self, a: Term, amount: int) -> bool:
        """Can `a` be shifted to the left without loss of sign?"""
        bounds = self._bounds(a)
        return -self._half >> amount <= bounds.low and bounds.high <= (self._half - 1) >> amount

    def _sdiv(self, a: Term, b: Term) -> Term | None:
        return self._terms.udiv(a, b) if self._at_least_zero(a, b) else None

    def _fdiv(self, a: Term, b: Term) -> Term | None:
        if self._at_least_zero(a, b):
            return self._terms.udiv(a, b)
        return self._terms.sdiv(a, b) if self._below_zero(a, b) else None

    def _srem(self, a: Term, b: Term) -> Term | None:
        if self._at_least_zero(a, b):
            return self._terms.fmod(a, b)
        x, y = self._bounds(a), self._bounds(b)
        size = min(abs(y.low), abs(y.high)) if y.low > 0 or y.high < 0 else 0
        return a if -size < x.low and x.high < size else None

    def _fmod(self, a: Term, b: Term) -> Term | None:
        if self._below_zero(a, b):
            return self._terms.srem(a, b)
        x, y = self._bounds(a), self._bounds(b)
        return a if x.low >= 0 and x.high < y.low else None

    def _bit_and(self, a: Term, b: Term) -> Term | None:
        if b.kind != "const":
            return None
        x, mask = self._bounds(a), b.value & self._full
        if not x.mask & ~mask:
            return self._plus(a, -(x.value & ~mask))
        least = mask & (x.value | x.mask)
        return self._terms.bit_and(a, self._terms.const(least))

    def _bit_or(self, a: Term, b: Term) -> Term | None:
        x = self._bounds(a)
        if b.kind == "const":
            if not x.mask & b.value:
                return self._plus(a, b.value & self._full & ~x.value)
            return self._terms.bit_or(a, self._terms.const(b.value & ~x.value))
        return self._disjoint_sum(a, b)

    def _bit_xor(self, a: Term, b: Term) -> Term | None:
        x = self._bounds(a)
        if b.kind == "const":
            if not x.mask & b.value:
                return self._plus(a, (x.value ^ (b.value & self._full)) - x.value)
            if b.value < 0:
                return self._terms.bit_not(self._terms.bit_xor(a, self._terms.const(~b.value)))
            return None
        return self._disjoint_sum(a, b)

    def _disjoint_sum(self, a: Term, b: Term) -> Term | None:
        x, y = self._bounds(a), self._bounds(b)
        return None if (x.value | x.mask) & (y.value | y.mask) else self._terms.add(a, b)

    def _plus(self, a: Term, amount: int) -> Term:
        return self._terms.add(a, self._terms.const(amount))

    def _float_to_int(self, a: Term) -> Term | None:
        """A cast to a float and back, where that is exact."""
        if a.kind != "float_of_int":
            return None
        bounds = self._bounds(a.args[0])
        return a.args[0] if bounds.low >= -1 << EXACT_INTS and bounds.high <= 1 << EXACT_INTS else None

    # Conditions.

    def _both(self, c: Term, d: Term) -> Term | None:
        """Of several that hold, none says again what the others say."""
        parts = _conjuncts([c, d])
        if len(parts) > _MOST_PARTS or not any(map(_is_disjunction, parts)):
            return None
        terms = self._terms
        return terms.all_of(self._beside(part, parts) if _is_disjunction(part) else part for part in parts)

    def _beside(self, disjunction: Term, conditions: dict[Term, None]) -> Term:
        """What the denial of several conditions says where those do hold."""
        terms = self._terms
        parts = _conjuncts(disjunction.args[0].args)
        if any(terms.not_(part) in conditions for part in parts):
            return terms.true
        return terms.not_(terms.all_of(part for part in parts if part not in conditions))

    def _eq(self, a: Term, b: Term) -> Term | None:
        """With the greater of two values: it is not the other one."""
        x = self._bounds(a)
        if b.kind == "const" and b.value == x.high and self._are_two(x):
            return self._terms.not_(self._terms.eq(a, self._terms.const(x.low)))
        return None

    def _are_two(self, x: Bounds) -> bool:
        return x.high == x.low + 1 or not x.mask & (x.mask - 1)

    def _slt(self, a: Term, b: Term) -> Term | None:
        if b.kind == "const":
            return self._below_constant("slt", a, b.value, self._domain.between(-self._half, b.value - 1))
        if self._at_least_zero(a, b) or self._below_zero(a, b):
            return self._terms.ult(a, b)
        return None

    def _ult(self, a: Term, b: Term) -> Term | None:
        x = self._bounds(a)
        if b.kind != "const":
            return None
        if b.value >= 0 and x.low >= 0:
            return self._terms.slt(a, b)
        if b.value < 0 and x.high < 0:
            return self._terms.slt(a, b)
        low, high = (0, b.value - 1) if b.value >= 0 else (b.value, -1)
        inside = self._domain.between(low, high)
        met = inside and self._domain.meet(x, inside)
        if met is None or met.low != met.high:
            return None
        one = self._terms.eq(a, self._terms.const(met.low))
        return one if b.value >= 0 else self._terms.not_(one)

    def _below_constant(self, order: str, a: Term, bound: int, below: Bounds | None) -> Term | None:
        """Signed, below a constant: the least bound that says the same, on the simplest term."""
        terms, x = self._terms, self._bounds(a)
        met = below and self._domain.meet(x, below)
        above = self._domain.between(bound, self._half - 1)
        rest = above and self._domain.meet(x, above)
        if met is None or rest is None:
            return None
        if met.low == met.high:
            return terms.eq(a, terms.const(met.low))
        if rest.low == rest.high:
            return terms.not_(terms.eq(a, terms.const(rest.low)))
        if a.kind == "sub" and met.high in (0, -1) and self._intervals.is_exact(a):
            return terms.slt(*a.args) if met.high else terms.not_(terms.slt(*reversed(a.args)))
        simpler = self._undone(a, met.high)
        if simpler is not None:
            return simpler
        return terms.slt(a, terms.const(met.high + 1))

    def _undone(self, a: Term, most: int) -> Term | None:
        """That `a` is `most` or less, said of what it is made of."""
        terms = self._terms
        if len(a.args) != 2 or a.args[1].kind != "const":
            return None
        part, constant = a.args[0], a.args[1].value
        x = self._bounds(part)
        match a.kind:
            case "add" if -self._half <= x.low + constant and x.high + constant < self._half:
                limit = most - constant
            case "ashr":
                limit = (most << constant) | ((1 << constant) - 1)
            case "lshr" if x.low >= 0:
                limit = (most << constant) | ((1 << constant) - 1)
            case "shl" if 0 <= constant < self._domain.width and self._fits(part, constant):
                limit = most >> constant
            case _:
                return None
        if limit >= self._half - 1:
            return terms.true
        return terms.false if limit < -self._half else terms.slt(part, terms.const(limit + 1))


def _conjuncts(conditions: Iterable[Term]) -> dict[Term, None]:
    """The conditions that all hold where those do, in order."""
    found: dict[Term, None] = {}
    seen: set[Term] = set()
    stack = list(conditions)
    while stack:
        condition = stack.pop()
        if condition.kind != "both":
            found[condition] = None
        elif condition not in seen:
            seen.add(condition)
            stack += condition.args
    return found


def _is_disjunction(condition: Term) -> bool:
    return condition.kind == "not_" and condition.args[0].kind == "both"
