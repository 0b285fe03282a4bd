"""The planted faults of the peephole optimizer. The held-out half must not be tuned on: it is for measuring alone."""

from __future__ import annotations

from planted import Fault

FAULTS = (
    Fault("le learned as lt", "behind a passed a <= b, a is taken to be below b"),
    Fault("negated minimum", "the range of -x forgets that -MININT is MININT"),
    Fault("left shifts added modulo the word", "(x << C) << D is x << ((C + D) % WORD)"),
    Fault("sign shifted out", "(x >> C) >> D is 0 where C + D is a word or more"),
    Fault("unsigned comparison by signed ranges", "an unsigned comparison is decided by signed ranges of any sign"),
    Fault("truncated quotient by shift", "a quotient rounded to 0 by a power of two is a shift, for any sign"),
    Fault("unsigned quotient by signed shift", "an unsigned quotient by a power of two is a signed shift"),
    Fault("overflow by the first operand", "whether a + b can overflow is decided by the range of a + a"),
    Fault("difference checked at one end", "that a - b can be below MININT is not looked at"),
    Fault("commuted difference", "a - b and b - a are common subexpressions"),
    Fault("overflow check shared with a sum", "a + b with a check is a common subexpression of one without"),
    Fault("exit reads what passing taught", "the failargs of a guard use what is known behind it"),
    Fault("mask by size", "x & m is x where 0 <= x <= m"),
    Fault("product that wraps", "the range of a product is cut at the ends of a word"),
    Fault("sum moved over a comparison", "x + C < D is x < D - C though the sum may wrap"),
    Fault("border of a sign extension", "128 needs no extension from 8 bits, 32768 none from 16"),
    Fault("modulo of a negative divisor", "x % y is taken to be at least 0 for negative y"),
    Fault("bits of a conjunction", "behind a passed guard on a & b both are taken to be 1"),
    Fault("sum learned backwards", "what is learned of x + C is learned of x though the sum may have wrapped"),
    Fault("below an unsigned bound", "behind a passed unsigned a < b, a is in [0, b) though b may be negative"),
    Fault("unused overflow check", "a sum that nobody reads is removed together with its check"),
    Fault("least shifted least", "the least of x >> y is taken for the least x shifted by the least y"),
)
