"""Bounds of terms, intervals and known bits, under conditions that hold: a rung between structure and solving.

Terms are evaluated bottom-up over the abstract domain `optimizer.ir.domains.bounds`. A condition that holds narrows
what it is made of (`optimizer.ir.domains.backward`), and whatever changes goes up to what is built of it, and down
again from there, a bounded number of steps. What is known of a term only ever gets sharper, so that conditions may come
one by one; a `Journal` takes back what was assumed for one question.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from optimizer.ir.domains.backward import EXACT, Value, narrowed
from optimizer.ir.domains.bounds import Bounds, BoundsDomain, bounds_domain
from optimizer.ir.domains.ranges import Truth
from optimizer.ir.domains.term import Term, missing
from optimizer.ir.rows.domain import PRIMITIVES
from validator.prove.facts.journal import Journal
from validator.prove.terms.object_kinds import CONDITIONS, OF_OBJECTS
from validator.prove.terms.object_terms import ObjectTerms

_OF_ARGUMENTS = frozenset(PRIMITIVES) - {"const", "truth", "ite"}
"""The kinds of terms whose bounds are those of an operation on their arguments."""

_MOST_CHANGES = 150
"""The number of terms that are looked at again for one condition, at most."""


class Intervals:
    """The bounds of terms that follow from the conditions that were assumed. `contradiction`: they cannot all hold.
    `changed` hears of each term of which more becomes known."""

    def __init__(self, terms: ObjectTerms, journal: Journal, changed: Callable[[Term], None]) -> None:
        self._terms = terms
        self._journal = journal
        self._changed = changed
        self.domain = bounds_domain(terms.width)
        self._known: dict[Term, Value] = {}
        self._limited: dict[Term, bool] = {}  # of which more is known than of their arguments
        self._exact: dict[Term, bool] = {}
        self._users: dict[Term, list[Term]] = {}
        self._registered: set[Term] = set()
        self._waiting: deque[Term] = deque()
        self._state: dict[str, bool] = {"contradiction": False}

    @property
    def contradiction(self) -> bool:
        return self._state["contradiction"]

    def assume(self, condition: Term) -> None:
        """Assumes that from here on `condition` holds."""
        self.value(condition)
        if condition.kind == "not_":
            self._narrow(condition.args[0], False)
        else:
            self._narrow(condition, True)
        self._propagate()

    def value(self, root: Term) -> Value:
        """The bounds of a word, the truth of a condition; None of a reference."""
        known = self._known
        if root not in known:
            for term in missing(root, known):
                if term not in self._registered:
                    self._registered.add(term)
                    for arg in term.args:
                        if arg.kind != "const":
                            self._users.setdefault(arg, []).append(term)
                self._journal.put(known, term, self._computed(term))
        return known[root]

    def is_exact(self, term: Term) -> bool:
        """Is that sum, difference or product known to be that of the integers?"""
        if term in self._exact:
            return True
        overflows = getattr(self.domain, f"{term.kind}_overflows")
        return overflows(*map(self.value, term.args)) is False

    # From arguments to terms.

    def _computed(self, term: Term) -> Value:
        d, kind = self.domain, term.kind
        if kind in _OF_ARGUMENTS:
            bounds = _computed(d, kind, self._arguments(term))
            return self._without_overflow(term, bounds) if term in self._exact else bounds
        match kind:
            case "var" | "gc_type" | "vtable" | "applied" | "float_to_int" | "float_to_bytes" | "float_to_single":
                return d.top
            case "const":
                return d.const(term.value)
            case "truth":
                return term.value
            case "load":
                initial = term.value
                return d.top if initial.low is None else d.between(initial.low, initial.high) or d.top
            case "length":
                return d.between(0, d.half - 1)
            case "ite":
                return self._chosen(term)
            case _:
                assert kind in OF_OBJECTS
                return None

    def _chosen(self, term: Term) -> Bounds:
        """A choice, each branch under its condition."""
        c, a, b = term.args
        decided = self._known[c]
        if decided is not None:
            branch: Bounds = self._known[a if decided else b]
            return branch
        when, otherwise = self._under(c, True, a), self._under(c, False, b)
        if when is None or otherwise is None:
            return otherwise or when or self._known[a]
        return self.domain.join(when, otherwise)

    def _under(self, c: Term, holds: bool, branch: Term) -> Bounds | None:
        """The bounds of `branch` where `c` holds or does not; None where it cannot be so."""
        bounds: Bounds | None = self._known[branch]
        if branch not in c.args:
            return bounds
        for place, limit in narrowed(self.domain.width, c.kind, holds, self._arguments(c)):
            if limit is None:
                return None
            if c.args[place] is branch and bounds is not None:
                bounds = self.domain.meet(bounds, limit)
        return bounds

    def _arguments(self, term: Term) -> tuple[Any, ...]:
        return tuple([self._known[arg] for arg in term.args])

    def _without_overflow(self, term: Term, bounds: Bounds) -> Bounds:
        """A sum, difference or product that is known not to overflow is that of the integers."""
        a, b = self._arguments(term)
        between = self.domain.between(*EXACT[term.kind](a.range, b.range))
        met = None if between is None else self.domain.meet(bounds, between)
        return self._nothing(bounds) if met is None else met

    # From terms to arguments.

    def _propagate(self) -> None:
        """Propagates changes up, and from terms with limits down again."""
        left, waiting, limited, known, state = _MOST_CHANGES, self._waiting, self._limited, self._known, self._state
        while waiting and left > 0 and not state["contradiction"]:
            term = waiting.popleft()
            left -= 1
            if term in limited:
                left -= 1
                self._narrow_arguments(term)
            for user in self._users.get(term, ())[-max(left, 1) :]:
                if user not in known:
                    continue
                left -= 1
                self._sharpen(user, self._computed(user))
                if user in limited:
                    self._narrow_arguments(user)
        waiting.clear()

    def _narrow_arguments(self, term: Term) -> None:
        args, exact = self._arguments(term), term in self._exact
        for place, value in narrowed(self.domain.width, term.kind, self._known[term], args, exact):
            if value is None:
                self._nothing(None)
                return
            if term.args[place].kind != "const":
                self._narrow(term.args[place], value)
        if term.kind in _OVERFLOWS and self._known[term] is False:
            self._without_wrapping(term)

    def _without_wrapping(self, denied: Term) -> None:
        """The result of what does not overflow is exact."""
        kind = denied.kind.removesuffix("_overflows")
        term = getattr(self._terms, kind)(*denied.args)
        if term.kind == kind and set(term.args) == set(denied.args) and term not in self._exact:
            self.value(term)
            self._journal.put(self._exact, term, True)
            self._changed(term)
            self._journal.put(self._limited, term, True)
            self._sharpen(term, self._computed(term))
            self._waiting.append(term)

    def _narrow(self, term: Term, value: Value) -> None:
        """The term has one of these values, whatever its arguments say."""
        if self._sharpen(term, value) and term.args and term not in self._limited:
            self._journal.put(self._limited, term, True)

    def _sharpen(self, term: Term, value: Value) -> bool:
        """The term has one of these values. Is that new?"""
        old = self._known[term]
        if value is old or value == old:
            return False
        new = self._met(old, value) if isinstance(value, Bounds) else self._agreed(old, value)
        if new == old:
            return False
        self._journal.put(self._known, term, new)
        self._waiting.append(term)
        self._changed(term)
        return True

    def _agreed(self, old: Truth, new: Truth) -> Truth:
        if old is None or new is None:
            return new if old is None else old
        return old if old == new else bool(self._nothing(old))

    def _met(self, a: Bounds, b: Bounds) -> Bounds:
        met = self.domain.meet(a, b)
        return self._nothing(a) if met is None else met

    def _nothing(self, value: Any) -> Any:
        self._journal.put(self._state, "contradiction", True)
        return value


@lru_cache(maxsize=1 << 14)  # the same bounds come again and again, in other traces too
def _computed(domain: BoundsDomain, kind: str, args: tuple[Value, ...]) -> Value:
    """Bounds of the result of an operation, or its truth."""
    return getattr(domain, kind)(*args)


_OVERFLOWS = CONDITIONS & {f"{kind}_overflows" for kind in EXACT}
