"""Lemmas of sums and differences, and of what bit operations absorb.

A sum is taken apart into the words that it adds up, each so many times, and a constant. Modulo 2**WORD that says what
it is, in whatever order it is written. Where nothing overflows it is so of the integers too, and what two sides of a
comparison have in common can be left out.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from optimizer.ir.domains.plain_terms import PlainTerms
from optimizer.ir.domains.term import Term
from validator.prove.lemmas.lemma import Known, Lemma

_SUMS = frozenset({"add", "sub", "neg", "bit_not", "mul", "shl"})

_OF_WORDS = (
    *("neg", "bit_not", "add", "sub", "mul", "umulh", "udiv", "sdiv", "srem", "fdiv", "fmod"),
    *("bit_and", "bit_or", "bit_xor", "shl", "lshr", "ashr"),
)

_MOST_SUMMANDS = 12
"""Sums of more words are left alone."""

Summands = dict[Term, int]
"""How many times each word is added; the constant 1 stands for constants."""


def summands(terms: PlainTerms, roots: list[tuple[Term, int]], opens: Callable[[Term], bool]) -> Summands | None:
    """What the roots add up, each so many times; sums that `opens` does not hold of are words like others. None where
    there are too many."""
    found: Summands = {}
    stack, left = roots[::-1], 2 * _MOST_SUMMANDS
    while stack:
        term, times = stack.pop()
        left -= 1
        match term.kind, term.args:
            case "const", ():
                found[terms.one] = found.get(terms.one, 0) + times * term.value
            case "add", (a, b) if opens(term):
                stack += [(b, times), (a, times)]
            case "sub", (a, b) if opens(term):
                stack += [(b, -times), (a, times)]
            case "neg", (a,) if opens(term):
                stack.append((a, -times))
            case "bit_not", (a,):
                stack += [(terms.const(-1), times), (a, -times)]
            case "mul", (a, b) if b.kind == "const" and opens(term):
                stack.append((a, times * b.value))
            case "shl", (a, b) if b.kind == "const" and 0 <= b.value < terms.width - 1 and opens(term):
                stack.append((a, times << b.value))
            case _:
                found[term] = found.get(term, 0) + times
        if left < 0 or len(found) > _MOST_SUMMANDS:
            return None
    return {term: times for term, times in found.items() if times}


def sum_in_order(terms: PlainTerms, known: Known, term: Term) -> Term | None:
    """A sum of sums has its words in the order in which they were made, of which the first one is added, and then a
    constant; or it takes such a sum from a constant."""
    if not any(arg.kind in _SUMS for arg in term.args):
        return None
    words = summands(terms, [(term, 1)], _is_not_scaled_sum)
    if words is None:
        return None
    constant = terms.const(words.pop(terms.one, 0))
    sign = _sign(words)
    return known.rebuild((terms.add if sign > 0 else terms.sub)(constant, _sum(terms, words, sign)))


def equation_in_order(terms: PlainTerms, _known: Known, term: Term) -> Term | None:
    """An equation of sums says which constant such a sum is."""
    if not any(arg.kind in _SUMS for arg in term.args):
        return None
    a, b = term.args
    words = summands(terms, [(a, 1), (b, -1)], _is_not_scaled_sum)
    if words is None:
        return None
    constant, sign = words.pop(terms.one, 0), _sign(words)
    return terms.eq(_sum(terms, words, sign), terms.const(-sign * constant))


def _is_not_scaled_sum(term: Term) -> bool:
    """All sums are opened, but no multiples of them: those are simpler as they are."""
    return term.kind not in ("mul", "shl") or term.args[0].kind not in _SUMS


def _sign(words: Summands) -> int:
    """That of the word that was made first."""
    return 1 if not words or words[min(words, key=lambda word: word.number)] > 0 else -1


def _sum(terms: PlainTerms, words: Summands, sign: int) -> Term:
    """`sign` times what they add up."""
    ordered = sorted(words.items(), key=lambda summand: summand[0].number)
    scaled = [(word, sign * times) for word, times in ordered]
    added = [terms.mul(word, terms.const(times)) for word, times in scaled if times > 0]
    taken = [terms.mul(word, terms.const(-times)) for word, times in scaled if times < 0]
    return reduce(terms.sub, taken, reduce(terms.add, added, terms.zero))


def less_without_common(terms: PlainTerms, known: Known, term: Term) -> Term | None:
    """x + z < y + z means x < y, and x + y < x means y < 0, where no sum overflows; so do other sums and differences
    of which one word is left on a side, or one word and a constant."""
    if not any(arg.kind in _SUMS for arg in term.args):
        return None
    a, b = term.args
    words = summands(terms, [(a, 1), (b, -1)], lambda inner: is_exact(terms, known, inner))
    if words is None:
        return None
    constant = words.pop(terms.one, 0)
    match sorted(words.items(), key=lambda summand: summand[1]):
        case []:
            return terms.truth(constant < 0)
        case [(x, 1)]:
            return _below(terms, x, -constant)
        case [(x, -1)]:
            return terms.not_(_below(terms, x, constant + 1))
        case [(x, -1), (y, 1)] if constant == 0:
            return terms.slt(y, x)
    return None


def _below(terms: PlainTerms, x: Term, limit: int) -> Term:
    """Is x less than an integer?"""
    half = terms.concrete.half
    return terms.slt(x, terms.const(limit)) if -half <= limit < half else terms.truth(limit > 0)


def is_exact(terms: PlainTerms, known: Known, total: Term) -> bool:
    """Is the sum, difference, product or negation that of the integers? A sum of words that are not negative is, where
    it is not negative."""
    match total.kind, total.args:
        case "add", (a, b):
            overflows = terms.add_overflows(a, b)
            if all(known.bounds(word).low >= 0 for word in (a, b, total)):
                return True
        case "sub", (a, b):
            overflows = terms.sub_overflows(a, b)
        case "mul", (a, b):
            overflows = terms.mul_overflows(a, b)
        case "shl", (a, b):
            overflows = terms.mul_overflows(a, terms.const(1 << b.value))
        case _:
            overflows = terms.eq(total, terms.const(-terms.concrete.half))
    return known.rebuild(overflows) is terms.false


def less_by_difference(terms: PlainTerms, known: Known, term: Term) -> Term | None:
    """x < y means x - y < 0 where x - y does not overflow, and y - x > 0 where y - x does not. For differences that are
    simpler by now, or of which the sign is known."""
    x, y = term.args
    if y.kind == "const":
        return None
    for a, b in ((x, y), (y, x)):
        if known.rebuild(terms.sub_overflows(a, b)) is terms.false:
            difference = known.rebuild(terms.sub(a, b))
            below = terms.slt(difference, terms.zero) if a is x else terms.slt(terms.zero, difference)
            below = known.rebuild(below)
            if difference.kind != "sub" or below.kind == "truth":
                return below
    return None


def absorbed_bits(_terms: PlainTerms, _known: Known, term: Term) -> Term | None:
    """x | (x & y) = x and x & (x | y) = x."""
    dual = "bit_and" if term.kind == "bit_or" else "bit_or"
    a, b = term.args
    for x, other in ((a, b), (b, a)):
        if other.kind == dual and x in other.args:
            return x
    return None


def computed_choice(terms: PlainTerms, _known: Known, term: Term) -> Term | None:
    """An operation on choices between constants, all under one condition, is a choice between its results."""
    first = term.args[0]
    if any(arg.kind != "ite" or arg.args[0] is not first.args[0] for arg in term.args):
        return None
    if any(branch.kind != "const" for arg in term.args for branch in arg.args[1:]):
        return None
    when, otherwise = (terms.remade(term, [arg.args[branch] for arg in term.args]) for branch in (1, 2))
    return terms.ite(first.args[0], when, otherwise)


SUM_LEMMAS = (
    Lemma(("add", "sub"), sum_in_order),
    Lemma(_OF_WORDS, computed_choice),
    Lemma(("eq",), equation_in_order),
    Lemma(("slt",), less_without_common, of_written=True),
    Lemma(("slt",), less_by_difference),
    Lemma(("bit_or", "bit_and"), absorbed_bits),
)
