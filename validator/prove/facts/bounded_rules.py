"""The table of rules on terms, in the language of `optimizer.ir.rules.language`: one form for what optimizers write in
several, where the bounds of the parts allow it.

`traceproof prove-rules` proves each. What is not negative is shifted as unsigned, and all divisions of it are one; the
order of two words of one sign is the signed one. A comparison with a constant compares with the next value that there
is, and where that leaves one value, it is an equation. A bit operation that changes only bits that are known adds a
constant, and one that joins bits that no two have adds. Products that do not wrap around are those of the integers. The
rules for one kind of term are tried in the order in which they stand.
"""

from __future__ import annotations

from optimizer.ir.rules.language import Rule, rule

_SHIFTS = [
    rule("ashr_of_non_negative", "ashr(x, y) => lshr(x, y)", "sle(0, x)"),
    rule(
        "shl_ashr",
        "ashr(shl(x, C), C) => x",
        "ult(C, WORD)",
        "sle(ashr(MININT, C), x)",
        "sle(x, ashr(MAXINT, C))",
    ),
    rule(
        "exact_mul_ashr",
        "ashr(exact_mul(x, D), C) => mul(x, ashr(D, C))",
        "ult(C, WORD)",
        "eq(shl(ashr(D, C), C), D)",
        "slt(C, SIGN)",
    ),
]

_DIVISIONS = [
    rule("sdiv_of_non_negative", "sdiv(x, y) => fdiv(x, y)", "sle(0, x)", "sle(0, y)"),
    rule("udiv_of_non_negative", "udiv(x, y) => fdiv(x, y)", "sle(0, x)", "sle(0, y)"),
    rule("srem_of_non_negative", "srem(x, y) => fmod(x, y)", "sle(0, x)", "sle(0, y)"),
    rule("srem_of_less", "srem(x, y) => x", "slt(neg(y), x)", "slt(x, y)", "slt(0, y)"),
    rule("fmod_of_less", "fmod(x, y) => x", "sle(0, x)", "slt(x, y)"),
    # x * y / y is x, and has no remainder, where x * y is that of the integers.
    rule("exact_mul_sdiv", "sdiv(exact_mul(x, y), y) => x", "ne(y, 0)"),
    rule("exact_mul_fdiv", "fdiv(exact_mul(x, y), y) => x", "ne(y, 0)"),
    rule("exact_mul_udiv", "udiv(exact_mul(x, y), y) => x", "slt(0, y)", "sle(0, x)"),
    rule("exact_mul_srem", "srem(exact_mul(x, y), y) => 0"),
    rule("exact_mul_fmod", "fmod(exact_mul(x, y), y) => 0"),
    *(
        rule(
            f"exact_mul_constant_{division}",
            f"{division}(exact_mul(x, C), D) => mul(x, E)",
            "eq(mul(E, D), C)",
            "not_(mul_overflows(E, D))",
            "ne(D, 0)",
            E="sdiv(C, D)",
        )
        for division in ("sdiv", "fdiv")
    ),
    *(
        rule(f"exact_mul_constant_{rest}", f"{rest}(exact_mul(x, C), D) => 0", f"eq({rest}(C, D), 0)", "ne(D, 0)")
        for rest in ("srem", "fmod")
    ),
    rule("fdiv_by_shifted_one", "fdiv(x, shl(1, y)) => ashr(x, y)", "ult(y, SIGN)"),
    rule("fmod_by_shifted_one", "fmod(x, shl(1, y)) => bit_and(x, sub(shl(1, y), 1))", "ult(y, SIGN)"),
    rule("udiv_by_shifted_one", "udiv(x, shl(1, y)) => lshr(x, y)", "ult(y, WORD)"),
    # The high word of a product with a multiplier that is a bit more than 2**(WORD + S) / D, by so little that no x
    # sees it: T. Granlund and P. Montgomery, "Division by invariant integers using multiplication", 1994.
    rule(
        "udiv_by_multiplication",
        "lshr(umulh(x, M), S) => udiv(x, D)",
        "ult(S, WORD)",
        "eq(umulh(M, D), shl(1, S))",
        "ult(umulh(x, mul(M, D)), shl(1, S))",
        D="divisor(M, S)",
    ),
    # Of a signed x the high word is less by M where x is negative, and then the quotient by 1.
    rule(
        "sdiv_by_multiplication",
        "sub(ashr(sub(umulh(x, M), bit_and(ashr(x, SIGN), M)), S), ashr(x, SIGN)) => sdiv(x, D)",
        "slt(0, D)",
        "ult(S, SIGN)",
        "eq(umulh(M, D), shl(1, S))",
        "ne(mul(M, D), 0)",
        "ule(mul(M, D), shl(2, S))",
        D="divisor(M, S)",
    ),
    rule(
        "sdiv_by_high_word",
        "sub(sub(umulh(x, M), bit_and(ashr(x, SIGN), M)), ashr(x, SIGN)) => sdiv(x, D)",
        "slt(0, D)",
        "eq(umulh(M, D), 1)",
        "ne(mul(M, D), 0)",
        "ule(mul(M, D), 2)",
        D="divisor(M, 0)",
    ),
    # With t = -1 for x < 0, else 0, ((x ^ t) / d) ^ t = floor(x / d): H. Warren, "Hacker's Delight", 2-1 and 10-1.
    rule(
        "fdiv_by_complements",
        "bit_xor(udiv(bit_xor(x, ashr(x, SIGN)), D), ashr(x, SIGN)) => fdiv(x, D)",
        "slt(0, D)",
    ),
    rule("fdiv_of_complement", "bit_not(fdiv(bit_not(x), D)) => fdiv(x, D)", "slt(0, D)"),
    rule(
        "fdiv_by_multiplication",
        "bit_xor(lshr(umulh(bit_xor(x, ashr(x, SIGN)), M), S), ashr(x, SIGN)) => fdiv(x, D)",
        "slt(0, D)",
        "ult(S, WORD)",
        "eq(umulh(M, D), shl(1, S))",
        "ult(umulh(MAXINT, mul(M, D)), shl(1, S))",
        D="divisor(M, S)",
    ),
    rule("rest_of_fdiv", "sub(x, mul(fdiv(x, C), C)) => fmod(x, C)", "ne(C, 0)"),
    rule("negated_rest_of_fdiv", "sub(mul(fdiv(x, C), C), x) => neg(fmod(x, C))", "ne(C, 0)"),
]

_SUMS = [
    rule("rest_of_difference", "sub(sub(x, y), x) => neg(y)"),
]

_BITS = [
    rule(
        "and_is_sum",
        "bit_and(x, C) => add(x, D)",
        "eq(D, neg(bit_and(x, bit_not(C))))",
        D="neg(bit_and(x, bit_not(C)))",
    ),
    rule(
        "and_of_possible_bits",
        "bit_and(x, C) => bit_and(x, D)",
        "eq(bit_and(D, bit_not(C)), 0)",
        "eq(bit_and(x, bit_and(C, bit_not(D))), 0)",
        D="bit_and(C, possible(x))",
    ),
    rule("or_is_sum", "bit_or(x, C) => add(x, D)", "eq(D, bit_and(bit_not(x), C))", D="bit_and(bit_not(x), C)"),
    rule(
        "or_of_unsure_bits",
        "bit_or(x, C) => bit_or(x, D)",
        "eq(bit_and(D, bit_not(C)), 0)",
        "eq(bit_and(bit_not(x), bit_and(C, bit_not(D))), 0)",
        D="bit_and(C, bit_not(sure(x)))",
    ),
    rule("or_of_disjoint", "bit_or(x, y) => add(x, y)", "eq(bit_and(x, y), 0)"),
    rule(
        "xor_is_sum",
        "bit_xor(x, C) => add(x, D)",
        "eq(D, sub(C, shl(bit_and(x, C), 1)))",
        D="sub(C, shl(bit_and(x, C), 1))",
    ),
    rule("xor_of_negative", "bit_xor(x, C) => bit_not(bit_xor(x, bit_not(C)))", "slt(C, 0)"),
]

_ORDER = [
    rule(
        "equal_to_the_greater",
        "eq(x, C) => not_(eq(x, L))",
        "sle(L, x)",
        "sle(x, C)",
        "slt(L, C)",
        "eq(C, add(L, 1))",
        L="least(x)",
    ),
    rule(
        "below_all_but_the_least",
        "slt(x, C) => eq(x, L)",
        "sle(L, x)",
        "slt(L, C)",
        "outside(x, add(L, 1), sub(C, 1))",
        L="least(x)",
    ),
    rule(
        "below_the_greatest",
        "slt(x, C) => ne(x, M)",
        "sle(C, M)",
        "sle(x, M)",
        "outside(x, C, sub(M, 1))",
        M="most(x)",
    ),
    rule("difference_below_zero", "slt(exact_sub(x, y), C) => slt(x, y)", "sle(C, 0)", "outside(sub(x, y), C, -1)"),
    rule(
        "difference_below_one", "slt(exact_sub(x, y), C) => sle(x, y)", "slt(0, C)", "outside(sub(x, y), 1, sub(C, 1))"
    ),
    rule("square_below_zero", "slt(exact_mul(x, x), C) => slt(x, x)", "sle(C, 0)"),
    rule("product_below_factor", "slt(exact_mul(x, y), x) => slt(x, x)", "sle(0, x)", "slt(0, y)"),
    rule("high_word_below_factor", "slt(umulh(x, y), y) => ne(y, 0)", "sle(0, y)"),
    rule("factor_below_high_word", "slt(y, umulh(x, y)) => slt(y, y)", "sle(0, y)"),
    rule("sum_below", "slt(exact_add(x, C), D) => slt(x, sub(D, C))", "not_(sub_overflows(D, C))"),
    rule(
        "ashr_below",
        "slt(ashr(x, C), D) => slt(x, shl(D, C))",
        "ult(C, WORD)",
        "eq(ashr(shl(D, C), C), D)",
    ),
    rule(
        "lshr_below",
        "slt(lshr(x, C), D) => slt(x, shl(D, C))",
        "ult(C, WORD)",
        "sle(0, x)",
        "eq(ashr(shl(D, C), C), D)",
    ),
    rule(
        "shl_below",
        "slt(shl(x, C), D) => slt(x, add(ashr(sub(D, 1), C), 1))",
        "ult(C, WORD)",
        "ne(D, MININT)",
        "ne(C, 0)",
        "sle(ashr(MININT, C), x)",
        "sle(x, ashr(MAXINT, C))",
    ),
    rule(
        "below_the_next",
        "slt(x, C) => slt(x, D)",
        "slt(D, C)",
        "outside(x, D, sub(C, 1))",
        D="add(most_below(x, C), 1)",
    ),
    rule("unsigned_of_non_negative", "ult(x, y) => slt(x, y)", "sle(0, x)", "sle(0, y)"),
    rule("unsigned_of_negative", "ult(x, y) => slt(x, y)", "slt(x, 0)", "slt(y, 0)"),
    rule(
        "unsigned_below_all_but_one",
        "ult(x, C) => eq(x, L)",
        "sle(0, L)",
        "slt(L, C)",
        "outside(x, 0, sub(L, 1))",
        "outside(x, add(L, 1), sub(C, 1))",
        L="least_from(x, 0)",
    ),
    rule(
        "unsigned_not_below_one",
        "ult(x, C) => ne(x, L)",
        "slt(L, 0)",
        "sle(C, L)",
        "outside(x, C, sub(L, 1))",
        "outside(x, add(L, 1), -1)",
        L="least_from(x, C)",
    ),
]

BOUNDED_RULES: tuple[Rule, ...] = (*_SHIFTS, *_DIVISIONS, *_SUMS, *_BITS, *_ORDER)
"""The table."""
