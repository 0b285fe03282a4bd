"""Bounds of terms, intervals and known bits, under conditions that hold: a rung between structure and solving.

Terms are evaluated bottom-up over the abstract domain `optimizer.ir.bounds`; where a condition that holds bounds a
term, that is met with what its parts say. Claims that come out true on all values that are left hold.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from optimizer.ir.abstract import Truth
from optimizer.ir.bounds import Bounds, BoundsDomain, bounds_domain
from optimizer.ir.term import Term, cone
from validator.object_kinds import OF_OBJECTS


class Intervals:
    """What `conditions`, of which each holds, say of the values of terms of `width` bits. `contradiction`: they cannot
    all hold."""

    def __init__(self, width: int, conditions: Iterable[Term]) -> None:
        self._domain: BoundsDomain = bounds_domain(width)
        self._known: dict[Term, Any] = {}
        self._limits: dict[Term, Bounds] = {}
        self._decided: dict[Term, bool] = {}
        self._exact: set[tuple[str, Term, Term]] = set()
        self.contradiction = False
        for condition in conditions:
            self._assume(condition)

    def truth(self, claim: Term) -> Truth:
        """Does `claim` hold on all values that are left? None: it may, and may not."""
        if self.contradiction:
            return True
        truth: Truth = self._evaluate(claim)
        return True if self.contradiction else truth

    # Evaluation.

    def _evaluate(self, root: Term) -> Any:
        for term in cone([root], self._known):
            decided = self._decided.get(term)
            self._known[term] = self._computed(term) if decided is None else decided
        return self._known[root]

    def _computed(self, term: Term) -> Any:
        d = self._domain
        match term.kind:
            case "var":
                return self._limits.get(term, d.top)
            case "const":
                return d.const(term.value)
            case "truth":
                return term.value
            case "gc_type":
                return self._limits.get(term, d.top)
            case "load":
                return self._loaded(term)
            case "length":
                return self._met(d.between(0, d.half - 1) or d.top, self._limits.get(term, d.top))
            case kind if kind in OF_OBJECTS:
                return None
            case kind:
                bounds = getattr(d, kind)(*[self._known[arg] for arg in term.args])
                if kind in _EXACT:
                    bounds = self._without_overflow(term, bounds)
                return self._met(bounds, self._limits[term]) if term in self._limits else bounds

    def _loaded(self, term: Term) -> Bounds:
        """What memory held at first: within the bounds of narrow memory."""
        d, initial = self._domain, term.value
        bounds = d.top if initial.low is None else d.between(initial.low, initial.high) or d.top
        return self._met(bounds, self._limits.get(term, d.top))

    def _without_overflow(self, term: Term, bounds: Bounds) -> Bounds:
        """A sum, difference or product that is known not to overflow is that of the integers."""
        a, b = term.args
        if (term.kind, a, b) not in self._exact:
            return bounds
        corners = _EXACT[term.kind](self._known[a], self._known[b])
        between = self._domain.between(min(corners), max(corners))
        return self._met(bounds, between) if between is not None else self._nothing(bounds)

    # Conditions.

    def _assume(self, condition: Term) -> None:
        holds = condition.kind != "not_"
        literal = condition if holds else condition.args[0]
        if literal.kind == "both" and holds:
            for part in literal.args:
                self._assume(part)
            return
        truth = self._evaluate(literal)
        if truth is (not holds):
            self.contradiction = True
        self._decided[literal] = holds
        match literal.kind, literal.args:
            case "slt", (a, b):
                self._order(a, b) if holds else self._order_or_equal(b, a)
            case "ult", (a, b):
                self._unsigned_order(a, b, holds)
            case "eq", (a, b) if b.kind == "const":
                self._equal(a, b) if holds else self._unequal(a, b.value)
            case ("add_overflows" | "sub_overflows" | "mul_overflows") as kind, (a, b) if not holds:
                self._exact.add((kind.removesuffix("_overflows"), a, b))
                self._known.clear()

    def _order(self, a: Term, b: Term) -> None:
        """a < b, signed."""
        x, y = self._evaluate(a), self._evaluate(b)
        self._limit(a, x.low, y.high - 1)
        self._limit(b, x.low + 1, y.high)

    def _order_or_equal(self, a: Term, b: Term) -> None:
        """a <= b, signed."""
        x, y = self._evaluate(a), self._evaluate(b)
        self._limit(a, x.low, y.high)
        self._limit(b, x.low, y.high)

    def _unsigned_order(self, a: Term, b: Term, holds: bool) -> None:
        x, y = self._evaluate(a), self._evaluate(b)
        if holds and y.low >= 0:
            self._limit(a, 0, y.high - 1)
        elif not holds and x.low >= 0:
            self._limit(b, 0, x.high)
        elif not holds and y.high < 0:
            self._limit(a, y.low, -1)
        elif holds and x.high < 0:
            self._limit(b, x.low + 1, -1)

    def _equal(self, a: Term, b: Term) -> None:
        d, known = self._domain, self._evaluate(b)
        self._meet(a, known)
        if a.kind == "bit_and" and a.args[1].kind == "const":
            mask = a.args[1].value & d.full
            self._meet(a.args[0], d.with_bits(b.value & mask, d.full & ~mask))

    def _unequal(self, a: Term, value: int) -> None:
        bounds = self._evaluate(a)
        if bounds.low == value:
            self._limit(a, value + 1, bounds.high)
        elif bounds.high == value:
            self._limit(a, bounds.low, value - 1)

    def _limit(self, term: Term, low: int, high: int) -> None:
        between = self._domain.between(low, high)
        if between is None:
            self.contradiction = True
        else:
            self._meet(term, between)

    def _meet(self, term: Term, bounds: Bounds) -> None:
        if term.kind == "const":
            return
        before = self._evaluate(term)
        met = self._met(before, bounds)
        if met != before:
            self._limits[term] = met
            # What was computed of this term before may be sharper now.
            self._known.clear()
            self._pass_down(term, met)

    def _pass_down(self, term: Term, bounds: Bounds) -> None:
        """What the bounds of a sum with a constant say of the other summand, where it does not wrap."""
        if term.kind != "add" or term.args[1].kind != "const":
            return
        a, constant = term.args[0], term.args[1].value
        x = self._evaluate(a)
        fits = -self._domain.half <= x.low + constant and x.high + constant < self._domain.half
        if fits or ("add", a, term.args[1]) in self._exact:
            self._limit(a, bounds.low - constant, bounds.high - constant)

    def _met(self, a: Bounds, b: Bounds) -> Bounds:
        met = self._domain.meet(a, b)
        return self._nothing(a) if met is None else met

    def _nothing(self, bounds: Bounds) -> Bounds:
        self.contradiction = True
        return bounds


def _sums(a: Bounds, b: Bounds) -> list[int]:
    return [a.low + b.low, a.high + b.high]


def _differences(a: Bounds, b: Bounds) -> list[int]:
    return [a.low - b.high, a.high - b.low]


def _products(a: Bounds, b: Bounds) -> list[int]:
    return [x * y for x in (a.low, a.high) for y in (b.low, b.high)]


_EXACT = {"add": _sums, "sub": _differences, "mul": _products}
