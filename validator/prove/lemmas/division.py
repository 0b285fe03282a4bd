"""Lemmas of division by constants, as compilers write it: by the high word of a product.

T. Granlund and P. Montgomery, *Division by invariant integers using multiplication*, 1994; H. Warren, *Hacker's
Delight*, chapter 10. Which divisor a multiplier stands for, and whether it does so for all values that are left, is
computed with integers of any size, not looked up: `quotient_by` and `signed_quotient_by` are exact.
"""

from __future__ import annotations

from collections.abc import Iterator

from optimizer.ir.domains.plain_terms import PlainTerms
from optimizer.ir.domains.term import Term
from validator.prove.lemmas.lemma import Known, Lemma


def quotient_by(multiplier: int, shift: int, most: int) -> int | None:
    """The d with floor(x * multiplier / 2**shift) = floor(x / d) for all x from 0 to `most`; None where there is none,
    or the quotient is 0 all the time.

    Both sides grow with x. With e = multiplier * d - 2**shift at least 0 the left is never the lesser one, and at the
    end x of a block of equal quotients it is the right one if x * e < 2**shift, which is hardest at the last such x;
    behind that it must be right at `most`. With e < 0 it is too small at x = d.
    """
    if not 0 < multiplier < 1 << shift:
        return None
    d = -(-(1 << shift) // multiplier)
    if most < d:
        return None
    last = most - (most + 1) % d
    return d if all(x * multiplier >> shift == x // d for x in (last, most)) else None


def signed_quotient_by(multiplier: int, shift: int, least: int, most: int) -> int | None:
    """The d with floor(x * multiplier / 2**shift) + (1 if x < 0 else 0) = x / d rounded to zero, for all x from `least`
    to `most`; None where there is none, or it is 0 all the time.

    For x = -n < 0 the left is -floor((n * multiplier - 1) / 2**shift). Against floor(n / d) that is too small at
    n = d unless e > 0 (see `quotient_by`), and then is right at the ends of the blocks if it is at the last one.
    """
    if not 0 < multiplier < 1 << shift:
        return None
    d = -(-(1 << shift) // multiplier)
    if max(most, -least) < d or (most >= d and quotient_by(multiplier, shift, most) is None):
        return None
    if least < 0:
        if -least >= d and multiplier * d == 1 << shift:
            return None
        last = -least - (-least + 1) % d
        if any((n * multiplier - 1) >> shift != n // d for n in (last, -least) if n > 0):
            return None
    return d


def _unsigned_most(terms: PlainTerms, known: Known, x: Term) -> int:
    """The largest value of the pattern of `x`."""
    if x.kind == "bit_xor" and _is_sign(terms, x.args[1], x.args[0]):
        bounds = known.bounds(x.args[0])
        return max(bounds.high, ~bounds.low)
    if x.kind == "bit_xor" and _is_sign(terms, x.args[0], x.args[1]):
        bounds = known.bounds(x.args[1])
        return max(bounds.high, ~bounds.low)
    bounds = known.bounds(x)
    full = terms.concrete.mask
    return bounds.high & full if (bounds.low < 0) == (bounds.high < 0) else full & (bounds.value | bounds.mask)


def _is_sign(terms: PlainTerms, sign: Term, x: Term) -> bool:
    """Is it x >> (WORD - 1): -1 where x is negative, else 0?"""
    return sign.kind == "ashr" and sign.args[0] is x and _constant(sign.args[1]) == terms.width - 1


def _constant(term: Term) -> int | None:
    return term.value if term.kind == "const" else None


def _both_orders(term: Term) -> Iterator[tuple[Term, Term]]:
    a, b = term.args
    yield a, b
    yield b, a


def _scaled(terms: PlainTerms, term: Term) -> tuple[Term, int, int] | None:
    """x, M and N where the term is floor(x * M / 2**N), x unsigned and M less than 2**(WORD + 1).

    That is the high word of a product; or, with M' = M - 2**WORD and t the high word for M', the mean of x and t,
    written ((x - t) >> 1) + t so that nothing overflows.
    """
    width, full = terms.width, terms.concrete.mask
    if term.kind == "umulh" and term.args[1].kind == "const":
        return term.args[0], term.args[1].value & full, width
    if term.kind == "add":
        for half, high in _both_orders(term):
            if half.kind == "lshr" and _constant(half.args[1]) == 1 and half.args[0].kind == "sub":
                x, subtracted = half.args[0].args
                if subtracted is high and high.kind == "umulh" and high.args[0] is x and high.args[1].kind == "const":
                    return x, (high.args[1].value & full) + full + 1, width + 1
    return None


def multiply_high(terms: PlainTerms, known: Known, term: Term) -> Term | None:
    """umulh(x, M) >> s = x / d, unsigned, where `quotient_by` says so for all x that are left; likewise
    (((x - t) >> 1) + t) >> s with t = umulh(x, M), for a multiplier of one bit more (Granlund & Montgomery, section 4;
    Hacker's Delight, 10-8)."""
    shift, of = 0, term
    if term.kind == "lshr":
        amount = _constant(term.args[1])
        if amount is None:
            return None
        shift, of = amount, term.args[0]
    scaled = _scaled(terms, of)
    if scaled is None:
        return None
    x, multiplier, places = scaled
    d = quotient_by(multiplier, places + shift, _unsigned_most(terms, known, x))
    return None if d is None or d > terms.concrete.mask else terms.udiv(x, terms.const(d))


def complemented_quotient(terms: PlainTerms, _known: Known, term: Term) -> Term | None:
    """With t = x >> (WORD - 1) and d > 0, ((x ^ t) / d) ^ t = floor(x / d): for x < 0 that is -1 - floor((-1 - x) / d)
    (PyPy's `intdiv`; Hacker's Delight, 10-1 and 2-1). Also where the division is by a power of two, a shift."""
    for quotient, sign in _both_orders(term):
        if quotient.kind not in ("udiv", "lshr") or quotient.args[0].kind != "bit_xor":
            continue
        by = _constant(quotient.args[1])
        for x, other in _both_orders(quotient.args[0]):
            if other is sign and _is_sign(terms, sign, x) and by is not None and by > 0:
                return terms.fdiv(x, terms.const(by)) if quotient.kind == "udiv" else terms.ashr(x, terms.const(by))
    return None


def signed_multiply_high(terms: PlainTerms, known: Known, term: Term) -> Term | None:
    """With h = umulh(x, M) - (x < 0 ? M : 0), the high word of the product of a signed x and an unsigned M, and
    q = h >> s: q + (x < 0 ? 1 : 0) = x / d, rounded to zero, where `signed_quotient_by` says so for all x that are
    left (Granlund & Montgomery, section 5; Hacker's Delight, 10-4). The correction is written q - (x >> (WORD - 1)),
    q + (x >>> (WORD - 1)), or with q >>> (WORD - 1), for q is negative where x is; (x >> (WORD - 1)) - q is
    -(x / d)."""
    kind = "ashr" if term.kind == "sub" else "lshr"
    for high, correction in _both_orders(term):
        found = _signed_scaled(terms, high)
        if found is None or correction.kind != kind or _constant(correction.args[1]) != terms.width - 1:
            continue
        x, multiplier, shift = found
        if correction.args[0] is not x and correction.args[0] is not high:
            continue
        bounds = known.bounds(x)
        d = signed_quotient_by(multiplier, shift, bounds.low, bounds.high)
        if d is not None and d < terms.concrete.half:
            quotient = terms.sdiv(x, terms.const(d))
            return terms.neg(quotient) if kind == "ashr" and high is term.args[1] else quotient
    return None


def _signed_scaled(terms: PlainTerms, term: Term) -> tuple[Term, int, int] | None:
    """x, M and N where the term is floor(x * M / 2**N), x signed and M less than 2**WORD."""
    shift = 0
    if term.kind == "ashr" and term.args[1].kind == "const":
        term, shift = term.args[0], term.args[1].value
    if term.kind != "sub" or term.args[0].kind != "umulh" or term.args[0].args[1].kind != "const":
        return None
    x, multiplier = term.args[0].args
    if not _where_negative(terms, term.args[1], x, multiplier):
        return None
    return x, multiplier.value & terms.concrete.mask, terms.width + shift


def _where_negative(terms: PlainTerms, term: Term, x: Term, value: Term) -> bool:
    """Is the term `value` where x is negative, else 0?"""
    if term.kind == "bit_and":
        return any(kept is value and _is_sign(terms, sign, x) for sign, kept in _both_orders(term))
    if term.kind != "ite":
        return False
    return term.args == (terms.slt(x, terms.zero), value, terms.zero)


def biased_shift(terms: PlainTerms, _known: Known, term: Term) -> Term | None:
    """(x + (x < 0 ? 2**k - 1 : 0)) >> k = x / 2**k, rounded to zero, the bias being written (x >> (WORD - 1)) >>> (WORD
    - k) or (x >> (WORD - 1)) & (2**k - 1) (Hacker's Delight, 10-1)."""
    total, k = term.args[0], _constant(term.args[1])
    if k is None or total.kind != "add":
        return None
    for x, bias in _both_orders(total):
        if bias.kind in ("lshr", "bit_and") and _is_sign(terms, bias.args[0], x):
            written = _constant(bias.args[1])
            if written == (terms.width - k if bias.kind == "lshr" else (1 << k) - 1) and k < terms.width - 1:
                return terms.sdiv(x, terms.const(1 << k))
        if bias.kind == "lshr" and k == 1 and bias.args[0] is x and _constant(bias.args[1]) == terms.width - 1:
            return terms.sdiv(x, terms.const(2))
    return None


def unsigned_rest(terms: PlainTerms, known: Known, term: Term) -> Term | None:
    """x - d * (x / d), unsigned, is the remainder, d * (x / d) and the remainder are x, and x = d * (x / d) says that
    the remainder is 0, where neither x nor d is negative."""
    for rest, product in (term.args,) if term.kind == "sub" else _both_orders(term):
        for quotient, d in _both_orders(product) if product.kind == "mul" else ():
            if quotient.kind != "udiv" or quotient.args[1] is not d:
                continue
            x = quotient.args[0]
            if not _not_negative(known, x, d):
                continue
            if term.kind == "add":
                return x if rest.kind == "fmod" and rest.args == quotient.args else None
            if rest is x:
                remainder = terms.fmod(x, d)
                return remainder if term.kind == "sub" else terms.eq(remainder, terms.zero)
    return None


def _not_negative(known: Known, *words: Term) -> bool:
    return all(known.bounds(word).low >= 0 for word in words)


def divided_by_power(terms: PlainTerms, known: Known, term: Term) -> Term | None:
    """x // (1 << y) = x >> y, rounding down, and x % (1 << y) = x & ((1 << y) - 1), where 0 <= y < WORD - 1, so that
    1 << y is positive; unsigned the former where 0 <= y < WORD."""
    x, power = term.args
    if power.kind != "shl" or power.args[0] is not terms.one:
        return None
    y = power.args[1]
    bounds = known.bounds(y)
    if bounds.low < 0 or bounds.high >= terms.width - (term.kind != "udiv"):
        return None
    match term.kind:
        case "udiv":
            return terms.lshr(x, y)
        case "fdiv":
            return terms.ashr(x, y)
        case _:
            return terms.bit_and(x, terms.sub(power, terms.one))


DIVISION_LEMMAS = (
    Lemma(("lshr", "umulh", "add"), multiply_high),
    Lemma(("bit_xor",), complemented_quotient),
    Lemma(("add", "sub"), signed_multiply_high),
    Lemma(("ashr",), biased_shift),
    Lemma(("add", "sub", "eq"), unsigned_rest),
    Lemma(("udiv", "fdiv", "fmod"), divided_by_power),
)
