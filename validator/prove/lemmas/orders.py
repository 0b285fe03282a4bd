"""Lemmas of what follows from inequalities together: from x <= y and y <= z comes x <= z, and z - y <= z - x.

What is known of words is read as limits of sums of integers. Limits of differences are a graph, in which a shortest
path is the least limit that follows (Pratt, *Two easy theories whose combination is hard*, 1977; Cormen et al.,
*Introduction to Algorithms*, "Difference constraints and shortest paths"); of longer sums one is used at a time. Words
are read as signed, and sums count where none overflows.
"""

from __future__ import annotations

from weakref import proxy

from optimizer.ir.domains.plain_terms import PlainTerms
from optimizer.ir.domains.term import Term
from validator.prove.lemmas.lemma import Known, Lemma
from validator.prove.lemmas.sums import Summands, is_exact, summands

_MOST_CONDITIONS = 40
"""So many known conditions are looked at, the latest ones."""


def less_by_limits(terms: PlainTerms, known: Known, term: Term) -> Term | None:
    """x < y is true where what is known limits x - y to less than 0, and false where it limits y - x to 0. So it is of
    an unsigned comparison of words that are not negative."""
    a, b = term.args
    limits: _Limits | None = known.notes.get(_Limits)
    if limits is None:
        limits = known.notes[_Limits] = _Limits(terms, known)
    below = summands(terms, [(a, 1), (b, -1)], limits.is_exact)
    if below is None or (term.kind == "slt" and len(below.keys() - {terms.one}) < 2):
        return None
    if term.kind == "ult" and not (limits.is_not_negative(a) and limits.is_not_negative(b)):
        return None
    if limits.follows(below, -1):
        return terms.true
    return terms.false if limits.follows(_times(below, -1), 0) else None


class _Limits:
    """What is known at a place: limits of sums of words. Of unsigned comparisons those of words that are not negative
    count."""

    def __init__(self, terms: PlainTerms, known: Known) -> None:
        self._terms = terms
        self._known: Known = proxy(known)  # which keeps these
        self._graph: list[tuple[Term, Term, int]] = []  # (x, y, most): x - y is at most that; 0 stands for no word
        self._longer: list[tuple[Summands, int]] = []
        self._bounded = {terms.zero, terms.one}
        for kinds in (("slt", "eq"), ("ult",)):
            for condition in known.learned[-_MOST_CONDITIONS:]:
                self._learn(condition, kinds)

    def follows(self, total: Summands, most: int) -> bool:
        """Is the sum at most that?"""
        if self._follows_by_path(total, most):
            return True
        return any(
            self._follows_by_path(_plus(total, _times(longer, -1)), most - limit)
            for longer, limit in self._longer
            if longer.keys() & total.keys()
        )

    def is_not_negative(self, word: Term) -> bool:
        if self._known.bounds(word).low >= 0:
            return True
        total = summands(self._terms, [(word, -1)], self.is_exact)
        return total is not None and self.follows(total, 0)

    def is_exact(self, total: Term) -> bool:
        """Is the sum, difference, product or negation that of the integers?"""
        if is_exact(self._terms, self._known, total):
            return True
        if total.kind not in ("add", "sub"):
            return False
        added = summands(self._terms, [(total, 1)], lambda inner: inner is total or self.is_exact(inner))
        half = self._terms.concrete.half
        return added is not None and self.follows(added, half - 1) and self.follows(_times(added, -1), half)

    def _learn(self, condition: Term, kinds: tuple[str, ...]) -> None:
        is_denied = condition.kind == "not_"
        said = condition.args[0] if is_denied else condition
        if said.kind not in kinds:
            return
        a, b = said.args
        if said.kind == "eq":
            if not is_denied:
                self._limit(a, b, 0)
                self._limit(b, a, 0)
            return
        less, more = (b, a) if is_denied else (a, b)
        if said.kind == "ult":
            if not self.is_not_negative(more):
                return
            self._limit(self._terms.zero, less, 0)
        self._limit(less, more, 0 if is_denied else -1)

    def _limit(self, a: Term, b: Term, most: int) -> None:
        """a - b is at most that."""
        found = summands(self._terms, [(a, 1), (b, -1)], lambda inner: is_exact(self._terms, self._known, inner))
        if found is None:
            return
        most -= found.pop(self._terms.one, 0)
        ends = _ends(self._terms, found)
        if ends is None:
            self._longer.append((found, most))
        else:
            self._graph.append((*ends, most))
            self._bound(*ends)

    def _bound(self, *words: Term) -> None:
        for word in words:
            if word not in self._bounded:
                self._bounded.add(word)
                bounds = self._known.bounds(word)
                self._graph += [(word, self._terms.zero, bounds.high), (self._terms.zero, word, -bounds.low)]

    def _follows_by_path(self, total: Summands, most: int) -> bool:
        """Is the sum at most that by one path, or by one for each word?"""
        most -= total.get(self._terms.one, 0)
        words = {word: times for word, times in total.items() if word is not self._terms.one}
        self._bound(*words)
        ends = _ends(self._terms, words)
        if ends is not None:
            return self._most(*ends) <= most
        zero = self._terms.zero
        each = [(self._most(word, zero), times) if times > 0 else (self._most(zero, word), -times)
                for word, times in words.items()]  # fmt: skip
        return sum(limit * times for limit, times in each) <= most

    def _most(self, x: Term, y: Term) -> int:
        """How much x - y is at most, of words with bounds. Each round of Bellman and Ford looks at paths of one more
        step."""
        least = {y: 0}
        for _ in self._graph:
            changed = False
            for end, start, limit in self._graph:
                if start in least and least[start] + limit < least.get(end, least[start] + limit + 1):
                    least[end] = least[start] + limit
                    changed = True
            if not changed:
                break
        return least[x]


def _ends(terms: PlainTerms, total: Summands) -> tuple[Term, Term] | None:
    """x and y where the sum is x - y, 0 for no word; None where it is another sum."""
    match sorted(total.items(), key=lambda summand: summand[1]):
        case []:
            return terms.zero, terms.zero
        case [(word, 1)]:
            return word, terms.zero
        case [(word, -1)]:
            return terms.zero, word
        case [(less, -1), (more, 1)]:
            return more, less
    return None


def _times(total: Summands, times: int) -> Summands:
    return {word: times * number for word, number in total.items()}


def _plus(total: Summands, other: Summands) -> Summands:
    both = {word: total.get(word, 0) + other.get(word, 0) for word in (*total, *other)}
    return {word: number for word, number in both.items() if number}


ORDER_LEMMAS = (Lemma(("slt", "ult"), less_by_limits, of_learned=False),)
