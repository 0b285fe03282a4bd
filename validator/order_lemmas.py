"""Lemmas of what follows from inequalities together: from x <= y and y <= z comes x <= z, and z - y <= z - x.

What is known of words is read as limits of differences between integers, a graph, in which a shortest path is the
least limit that follows (Pratt, *Two easy theories whose combination is hard*, 1977; Cormen et al., *Introduction to
Algorithms*, "Difference constraints and shortest paths"). Words are read as signed. Sums count where none overflows.
"""

from __future__ import annotations

from collections.abc import Iterator

from optimizer.ir.plain_terms import PlainTerms
from optimizer.ir.term import Term
from validator.lemmas import Known, Lemma
from validator.sum_lemmas import exact_difference

_MOST_CONDITIONS = 40
"""So many known conditions are looked at, the latest ones."""

_Limit = tuple[Term, Term, int]
"""(x, y, most): x - y is at most that. The constant 0 stands for no word."""


def less_by_limits(terms: PlainTerms, known: Known, term: Term) -> Term | None:
    """x < y is true where what is known limits x - y to less than 0, and false where it limits y - x to 0. So it is of
    an unsigned comparison of words that are not negative."""
    a, b = term.args
    limit = _limit(terms, known, a, b, -1)
    if limit is None or terms.zero in limit[:2]:
        return None
    if term.kind == "ult" and not (_is_not_negative(terms, known, a) and _is_not_negative(terms, known, b)):
        return None
    x, y, most = limit
    graph = list(_known_limits(terms, known))
    if not graph:
        return None
    if _follows(graph, (x, y, most)):
        return terms.true
    return terms.false if _follows(graph, (y, x, -most - 1)) else None


def _is_not_negative(terms: PlainTerms, known: Known, word: Term) -> bool:
    if known.bounds(word).low >= 0:
        return True
    limit = _limit(terms, known, terms.zero, word, 0)
    return limit is not None and _follows(list(_known_limits(terms, known)), limit)


def _follows(graph: list[_Limit], claim: _Limit) -> bool:
    """Does the limit follow? Each round of Bellman and Ford looks at paths of one more step."""
    start, end, most = claim[1], claim[0], claim[2]
    least = {start: 0}
    for _ in graph:
        changed = False
        for x, y, limit in graph:
            if y in least and least[y] + limit < least.get(x, least[y] + limit + 1):
                least[x] = least[y] + limit
                changed = True
        if not changed:
            break
    return least.get(end, most + 1) <= most


def _known_limits(terms: PlainTerms, known: Known) -> Iterator[_Limit]:
    """What the known conditions say, and the bounds of the words that they are about."""
    words: dict[Term, None] = {}
    for condition in known.learned[-_MOST_CONDITIONS:]:
        for limit in _said(terms, known, condition):
            words |= dict.fromkeys(limit[:2])
            yield limit
    words.pop(terms.zero, None)
    for word in words:
        bounds = known.bounds(word)
        yield from ((word, terms.zero, bounds.high), (terms.zero, word, -bounds.low))


def _said(terms: PlainTerms, known: Known, condition: Term) -> Iterator[_Limit]:
    said = condition.args[0] if condition.kind == "not_" else condition
    if said.kind == "eq" and said is condition:
        a, b = said.args
        found = [_limit(terms, known, a, b, 0), _limit(terms, known, b, a, 0)]
    elif said.kind == "slt" or (said.kind == "ult" and _is_within(known, said, condition)):
        a, b = said.args
        found = [_limit(terms, known, a, b, -1) if said is condition else _limit(terms, known, b, a, 0)]
        if said.kind == "ult":
            found.append(_limit(terms, known, terms.zero, a if said is condition else b, 0))
    else:
        return
    yield from (limit for limit in found if limit is not None)


def _is_within(known: Known, said: Term, condition: Term) -> bool:
    """Is the larger one of an unsigned comparison not negative, and so both?"""
    larger = said.args[1] if said is condition else said.args[0]
    return known.bounds(larger).low >= 0


def _limit(terms: PlainTerms, known: Known, x: Term, y: Term, most: int) -> _Limit | None:
    """x - y <= most, said of two words; None where it is about more."""
    summands = exact_difference(terms, known, x, y)
    if summands is None:
        return None
    most -= summands.pop(terms.one, 0)
    match sorted(summands.items(), key=lambda summand: summand[1]):
        case [(word, 1)]:
            return word, terms.zero, most
        case [(word, -1)]:
            return terms.zero, word, most
        case [(less, -1), (more, 1)]:
            return more, less, most
    return None


ORDER_LEMMAS = (Lemma(("slt", "ult"), less_by_limits, of_learned=False),)
