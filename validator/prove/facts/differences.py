"""Claims that follow from chains of comparisons: `start <= length` from `start < stop` and `stop <= length`.

Where sums and differences do not wrap around, a comparison of words is one of integers. One in which all but two values
cancel out bounds their difference, and so does each chain of such bounds: the least along any path holds (R. Bellman,
"On a routing problem", 1958). A bound of a single value is one of its difference from 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TypeAlias

from optimizer.ir.domains.term import Term
from validator.prove.facts.intervals import Intervals

_DEEPEST = 6
"""The depth of sums within sums that are looked into."""

_LONGEST = 6
"""The number of comparisons in a chain, at most."""

_Value: TypeAlias = Term | None
"""A word; None is 0."""

_Comparison = tuple[_Value, _Value, int]
"""The difference of the first and the second is at most the number."""


def follows(claim: Term, conditions: Iterable[Term], intervals: Intervals, rebuild: Callable[[Term], Term]) -> bool:
    """Does the claim, a comparison, follow from conditions that hold and from what the intervals know of words? Words
    are looked at as they are rebuilt."""
    compared, is_unsigned = _compared(claim)
    if compared is None:
        return False
    known = _Differences(conditions, intervals, rebuild)
    return known.holds(compared) and (not is_unsigned or known.holds((None, compared[0], 0)))


class _Differences:
    """The bounds of differences of two words."""

    def __init__(self, conditions: Iterable[Term], intervals: Intervals, rebuild: Callable[[Term], Term]) -> None:
        self._intervals = intervals
        self._rebuild = rebuild
        self._most: dict[_Value, dict[_Value, int]] = {}
        unequal: list[tuple[Term, ...]] = []
        for condition in conditions:
            compared, is_unsigned = _compared(condition)
            if compared is not None and (not is_unsigned or self.holds((None, compared[1], 0))):
                self._note(compared)
            elif condition.kind == "not_" and condition.args[0].kind == "eq":
                unequal.append(condition.args[0].args)
        for a, b in unequal:
            for less, greater in ((a, b), (b, a)):
                if self.holds((less, greater, 0)):
                    self._note((less, greater, -1))

    def _note(self, compared: _Comparison) -> None:
        bound = self._bound(compared)
        if bound is not None:
            less, greater, most = bound
            known = self._most.setdefault(less, {})
            known[greater] = min(most, known.get(greater, most))

    def holds(self, compared: _Comparison) -> bool:
        """Is the difference at most that, by a chain of no more than so many bounds?"""
        bound = self._bound(compared)
        if bound is None:
            return False
        less, greater, most = bound
        least: dict[_Value, int] = {less: 0}
        for _ in range(_LONGEST):
            further = dict(least)
            for value, so_far in least.items():
                for other, step in self._steps(value, greater):
                    further[other] = min(so_far + step, further.get(other, so_far + step))
            if further == least:
                break
            least = further
        return least.get(greater, most + 1) <= most

    def _steps(self, value: _Value, greater: _Value) -> Iterable[tuple[_Value, int]]:
        yield from self._most.get(value, {}).items()
        if value is not None:
            yield None, self._intervals.value(value).high
        elif greater is not None:
            yield greater, -self._intervals.value(greater).low

    def _bound(self, compared: _Comparison) -> tuple[_Value, _Value, int] | None:
        """The difference of at most two values that is compared, and how much it is at most; None if it is of more."""
        less, greater, most = compared
        times: Counter[Term] = Counter()
        most -= self._add(less, 1, times, _DEEPEST) + self._add(greater, -1, times, _DEEPEST)
        added = [term for term, number in times.items() if number > 0 for _ in range(number)]
        taken = [term for term, number in times.items() if number < 0 for _ in range(-number)]
        if len(added) > 1 or len(taken) > 1:
            return None
        return next(iter(added), None), next(iter(taken), None), most

    def _add(self, value: _Value, sign: int, times: Counter[Term], depth: int) -> int:
        """Adds a sum to `times`, how often each value stands in it; what remains of it is a number."""
        if value is None:
            return 0
        term = self._rebuild(value)
        if term.kind == "const":
            return sign * int(term.value)
        if depth and term.kind in ("add", "sub") and self._intervals.is_exact(term):
            first, second = term.args
            second_sign = sign if term.kind == "add" else -sign
            return self._add(first, sign, times, depth - 1) + self._add(second, second_sign, times, depth - 1)
        times[term] += sign
        return 0


def _compared(condition: Term) -> tuple[_Comparison | None, bool]:
    """The comparison that a condition is, if it is one, and whether it is an unsigned one: where the greater value is
    not negative that says more than the signed one, and follows from that where the less is not."""
    is_denied = condition.kind == "not_"
    order = condition.args[0] if is_denied else condition
    if order.kind not in ("slt", "ult"):
        return None, False
    less, greater = order.args
    return (greater, less, 0) if is_denied else (less, greater, -1), order.kind == "ult"
