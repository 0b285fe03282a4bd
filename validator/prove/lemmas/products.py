"""Lemmas of products that do not overflow, and of quotients and remainders: what they are of the integers.

All follow from elementary arithmetic of the integers: where an operation does not wrap, its result is theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from optimizer.ir.domains.plain_terms import PlainTerms
from optimizer.ir.domains.term import Term
from validator.prove.lemmas.lemma import Known, Lemma

_SIGNED = {"sdiv", "fdiv", "ashr"}


def _factors(terms: PlainTerms, term: Term) -> Iterator[tuple[Term, Term]]:
    """x and y where the term is x * y, both ways."""
    match term.kind, term.args:
        case "mul", (x, y):
            pass
        case "neg", (x,):
            y = terms.const(-1)
        case "shl", (x, k) if k.kind == "const" and 0 <= k.value < terms.width - 1:
            y = terms.const(1 << k.value)
        case _:
            return
    yield x, y
    yield y, x


def _divisor(terms: PlainTerms, term: Term) -> Term | None:
    """d where the term is x / d, or x shifted to the right."""
    d = term.args[1]
    if term.kind not in ("ashr", "lshr"):
        return d
    return terms.const(1 << d.value) if d.kind == "const" and 0 <= d.value < terms.width - 1 else None


def _is_exact(terms: PlainTerms, known: Known, x: Term, y: Term) -> bool:
    """Does x * y not overflow?"""
    a, b = known.bounds(x), known.bounds(y)
    half = terms.concrete.half
    if all(-half <= p * q < half for p in (a.low, a.high) for q in (b.low, b.high)):
        return True
    return known.proves(terms.not_(terms.mul_overflows(x, y)))


def _is_not_zero(terms: PlainTerms, known: Known, x: Term) -> bool:
    bounds = known.bounds(x)
    return bounds.low > 0 or bounds.high < 0 or known.proves(terms.not_(terms.eq(x, terms.zero)))


def _at_least(known: Known, least: int, *words: Term) -> bool:
    return all(known.bounds(word).low >= least for word in words)


def exact_quotient(terms: PlainTerms, known: Known, term: Term) -> Term | None:
    """x * y / y = x where x * y does not overflow and y is not 0; and for constants c and d, of which one divides the
    other, x * c / d is x * (c / d), or x / (d / c). Unsigned, where none is
    negative besides."""
    d = _divisor(terms, term)
    if d is None:
        return None
    for x, y in _factors(terms, term.args[0]):
        result = x if y is d else _of_constants(terms, term, x, y, d)
        if result is None or not (term.kind in _SIGNED or _at_least(known, 0, x, y, d)):
            continue
        if _is_exact(terms, known, x, y) and _is_not_zero(terms, known, d):
            return result
    return None


def _of_constants(terms: PlainTerms, term: Term, x: Term, y: Term, d: Term) -> Term | None:
    if y.kind != "const" or d.kind != "const" or not y.value or not d.value:
        return None
    if y.value % d.value == 0:
        return terms.mul(x, terms.const(y.value // d.value))
    if d.value % y.value == 0 and d.value // y.value < terms.concrete.half:
        kind = {"ashr": "fdiv", "lshr": "udiv"}.get(term.kind, term.kind)
        divide: Callable[[Term, Term], Term] = getattr(terms, kind)
        return divide(x, terms.const(d.value // y.value))
    return None


def exact_rest(terms: PlainTerms, known: Known, term: Term) -> Term | None:
    """The remainder of x * y by y is 0 where x * y does not overflow; that of x * c by a divisor d of c too."""
    product, d = term.args
    for x, y in _factors(terms, product):
        divides = d is y or (y.kind == d.kind == "const" and d.value != 0 and y.value % d.value == 0)
        if divides and _is_exact(terms, known, x, y):
            return terms.zero
    return None


def rest_of_less(terms: PlainTerms, known: Known, term: Term) -> Term | None:
    """x % y = x where 0 <= x < y."""
    x, y = term.args
    if known.bounds(x).low >= 0 and _is_true(terms, known, terms.slt(x, y)):
        return x
    return None


def quotient_of_less(terms: PlainTerms, known: Known, term: Term) -> Term | None:
    """x / y = 0 where 0 <= x < y; unsigned, where x < y."""
    x, y = term.args
    if term.kind != "udiv" and known.bounds(x).low < 0:
        return None
    below = terms.ult if term.kind == "udiv" else terms.slt
    return terms.zero if _is_true(terms, known, below(x, y)) else None


def _is_true(terms: PlainTerms, known: Known, condition: Term) -> bool:
    return known.rebuild(condition) is terms.true


def square_below(terms: PlainTerms, known: Known, term: Term) -> Term | None:
    """x * x < c is false for c <= 0, where x * x does not overflow."""
    square, c = term.args
    if c.kind != "const" or c.value > 0 or square.kind != "mul" or square.args[0] is not square.args[1]:
        return None
    return terms.false if _is_exact(terms, known, *square.args) else None


def product_below_factor(terms: PlainTerms, known: Known, term: Term) -> Term | None:
    """x * y < x is false where x >= 0, y >= 1 and x * y does not overflow, signed or unsigned."""
    product, factor = term.args
    for x, y in _factors(terms, product):
        if x is factor and _at_least(known, 0, x) and _at_least(known, 1, y) and _is_exact(terms, known, x, y):
            return terms.false
    return None


def product_below_product(terms: PlainTerms, known: Known, term: Term) -> Term | None:
    """x * z < y * z means x < y where z > 0, and y < x where z < 0, if neither overflows; and x * z = y * z means x = y
    where z is not 0."""
    for x, z in _factors(terms, term.args[0]):
        for y, other in _factors(terms, term.args[1]):
            if other is not z or not (_is_exact(terms, known, x, z) and _is_exact(terms, known, y, z)):
                continue
            if term.kind == "eq":
                return terms.eq(x, y) if _is_not_zero(terms, known, z) else None
            bounds = known.bounds(z)
            if bounds.low > 0:
                return terms.slt(x, y)
            return terms.slt(y, x) if bounds.high < 0 else None
    return None


def product_below_constant(terms: PlainTerms, known: Known, term: Term) -> Term | None:
    """For a constant c that is not 0, x * c < d means x < d / c, rounded up, where c > 0, and x > d / c, rounded down,
    where c < 0; x * c = d means x = d / c where c divides d, and else is false. If x * c does not overflow."""
    product, bound = term.args
    if bound.kind != "const":
        return None
    for x, factor in _factors(terms, product):
        if factor.kind != "const" or abs(factor.value) < 2 or not _is_exact(terms, known, x, factor):
            continue
        c, d = factor.value, bound.value
        if term.kind == "eq":
            return terms.eq(x, terms.const(d // c)) if d % c == 0 else terms.false
        return terms.slt(x, terms.const(-(-d // c))) if c > 0 else terms.slt(terms.const(d // c), x)
    return None


def quotient_below_constant(terms: PlainTerms, known: Known, term: Term) -> Term | None:
    """For constants c > 0 and d, x / c < d means x < c * d, rounding down, or unsigned with unsigned values; rounding
    to zero too where d > 0, else it means x <= c * (d - 1)."""
    quotient, bound = term.args
    unsigned = term.kind == "ult"
    if bound.kind != "const" or quotient.kind not in (("udiv",) if unsigned else ("fdiv", "sdiv")):
        return None
    x, divisor = quotient.args
    if divisor.kind != "const":
        return None
    c, d = (k.value & terms.concrete.mask if unsigned else k.value for k in (divisor, bound))
    if c <= 0:
        return None
    limit = c * (d - 1) + 1 if quotient.kind == "sdiv" and d <= 0 else c * d
    least, most = (0, terms.concrete.mask) if unsigned else (-terms.concrete.half, terms.concrete.half - 1)
    if not least < limit <= most:
        return terms.truth(limit > most)
    below = terms.ult if unsigned else terms.slt
    return below(x, terms.const(limit))


def rest_below_divisor(terms: PlainTerms, known: Known, term: Term) -> Term | None:
    """x % y < y where y > 0; so y < x % y is false. Unsigned, for the remainder that is not negative."""
    a, b = term.args
    for rest, y, answer in ((a, b, True), (b, a, False)):
        kinds = ("fmod",) if term.kind == "ult" else ("fmod", "srem")
        if rest.kind in kinds and rest.args[1] is y and _at_least(known, 1, y):
            return terms.truth(answer)
    return None


def below_quotient(terms: PlainTerms, known: Known, term: Term) -> Term | None:
    """x < x / y, all unsigned, is false where y is not 0; signed too where x is not negative."""
    x, quotient = term.args
    if quotient.kind != "udiv" or quotient.args[0] is not x:
        return None
    if term.kind == "ult" or _at_least(known, 0, x):
        return terms.false if _is_not_zero(terms, known, quotient.args[1]) else None
    return None


def rest_of_dividend(terms: PlainTerms, _known: Known, term: Term) -> Term | None:
    """x % d = c says that d * (x / d) = x - c, for a constant c."""
    rest, c = term.args
    if rest.kind not in ("srem", "fmod") or c.kind != "const" or rest.args[1].kind == "const":
        return None
    x, d = rest.args
    quotient = terms.sdiv(x, d) if rest.kind == "srem" else terms.fdiv(x, d)
    return terms.eq(terms.mul(quotient, d), terms.sub(x, c))


PRODUCT_LEMMAS = (
    Lemma(("sdiv", "fdiv", "udiv", "ashr", "lshr"), exact_quotient),
    Lemma(("srem", "fmod"), exact_rest),
    Lemma(("eq",), rest_of_dividend),
    Lemma(("srem", "fmod"), rest_of_less),
    Lemma(("sdiv", "fdiv", "udiv"), quotient_of_less),
    Lemma(("slt",), square_below),
    Lemma(("slt", "ult"), product_below_factor),
    Lemma(("slt", "eq"), product_below_product),
    Lemma(("slt", "eq"), product_below_constant),
    Lemma(("slt", "ult"), quotient_below_constant),
    Lemma(("slt", "ult"), rest_below_divisor),
    Lemma(("slt", "ult"), below_quotient),
)
