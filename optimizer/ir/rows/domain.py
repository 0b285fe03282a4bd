"""The vocabularies in which the meaning of operations on numbers is written.

A *domain* interprets that vocabulary: the operations of SMT-LIB's QF_BV logic at one fixed width, over *words* (type
`W`, a `width`-bit pattern) and *conditions* (type `C`). Concrete integers, solver terms, known bits, ranges and text
are all domains, so that one definition of an operation serves every one of them.

Where SMT-LIB leaves a choice (shift amounts of `width` and more, division by zero), a domain may do as it likes: the
`defined` condition of an operation excludes those inputs.

A `FloatDomain` belongs to a `Domain`, and has floats (type `F`) beside its words: IEEE-754 binary64, one of which is
NaN, rounded to the nearest, ties to even. Where an operation is undefined, or its bytes are those of NaN, a domain may
do as it likes.
"""

from __future__ import annotations

import math
from abc import update_abstractmethods
from functools import cache
from typing import Any, Protocol, TypeVar

from optimizer.ir.floats import Float

W = TypeVar("W")
C = TypeVar("C")
C_co = TypeVar("C_co", covariant=True)
F = TypeVar("F")
V = TypeVar("V", bound=type)


def wrap(value: int, width: int) -> int:
    """`value` modulo 2**width, as a signed integer."""
    half = 1 << (width - 1)
    return ((value + half) & ((1 << width) - 1)) - half


def primitives(vocabulary: V) -> V:
    """The vocabulary, each of whose operations a domain has to define."""
    for name in vars(vocabulary).keys() - vars(Protocol).keys():
        if not name.startswith("_"):
            getattr(vocabulary, name).__isabstractmethod__ = True
    update_abstractmethods(vocabulary)
    return vocabulary


@primitives
class Words(Protocol[W, C]):
    """The primitives; `Domain` has what follows from them."""

    __slots__ = ()

    # Constants. `value` is any Python integer; it is taken modulo 2**width.
    def const(self, value: int) -> W: ...
    def truth(self, value: bool) -> C: ...

    # Wrapping arithmetic; `umulh` is the high word of the unsigned double-word product.
    def add(self, a: W, b: W) -> W: ...
    def sub(self, a: W, b: W) -> W: ...
    def mul(self, a: W, b: W) -> W: ...
    def umulh(self, a: W, b: W) -> W: ...
    def neg(self, a: W) -> W: ...

    # Division: unsigned; signed truncating (sdiv, srem); signed rounding to minus infinity (fdiv, fmod).
    def udiv(self, a: W, b: W) -> W: ...
    def sdiv(self, a: W, b: W) -> W: ...
    def srem(self, a: W, b: W) -> W: ...
    def fdiv(self, a: W, b: W) -> W: ...
    def fmod(self, a: W, b: W) -> W: ...

    # Bits.
    def bit_and(self, a: W, b: W) -> W: ...
    def bit_or(self, a: W, b: W) -> W: ...
    def bit_xor(self, a: W, b: W) -> W: ...
    def bit_not(self, a: W) -> W: ...
    def shl(self, a: W, b: W) -> W: ...
    def lshr(self, a: W, b: W) -> W: ...
    def ashr(self, a: W, b: W) -> W: ...

    # Conditions on words: equality, signed and unsigned order, signed overflow.
    def eq(self, a: W, b: W) -> C: ...
    def slt(self, a: W, b: W) -> C: ...
    def ult(self, a: W, b: W) -> C: ...
    def add_overflows(self, a: W, b: W) -> C: ...
    def sub_overflows(self, a: W, b: W) -> C: ...
    def mul_overflows(self, a: W, b: W) -> C: ...

    # Conditions on conditions, and the choice between words.
    def not_(self, c: C) -> C: ...
    def both(self, c: C, d: C) -> C: ...
    def either(self, c: C, d: C) -> C: ...
    def ite(self, c: C, a: W, b: W) -> W: ...


PRIMITIVES = tuple(sorted(Words.__abstractmethods__))


class Domain(Words[W, C]):
    """The QF_BV operations on words and conditions of one width (in bits)."""

    __slots__ = ("width",)

    def __init__(self, width: int) -> None:
        self.width = width

    @property
    def floats(self) -> FloatDomain[W, C, Any]:
        """The floats beside these words, in the domains that have some."""
        raise TypeError(f"there are no floats in {type(self).__name__}")

    # What follows from the above, the same in every domain.
    def ne(self, a: W, b: W) -> C:
        return self.not_(self.eq(a, b))

    def sle(self, a: W, b: W) -> C:
        return self.not_(self.slt(b, a))

    def ule(self, a: W, b: W) -> C:
        return self.not_(self.ult(b, a))

    def bit(self, c: C) -> W:
        """1 where `c` holds, else 0."""
        return self.ite(c, self.const(1), self.const(0))

    def is_bit(self, a: W) -> C:
        """Is it 0 or 1?"""
        return self.either(self.eq(a, self.const(0)), self.eq(a, self.const(1)))

    def implies(self, c: C, d: C) -> C:
        return self.either(self.not_(c), d)


@primitives
class FloatDomain(Protocol[W, C_co, F]):
    """The operations on floats."""

    __slots__ = ()

    def const(self, value: Float) -> F: ...

    # Arithmetic. `neg` and `abs` change the sign alone, and leave NaN as it is. The root of what is below 0.0 is NaN,
    # that of -0.0 is -0.0.
    def add(self, a: F, b: F) -> F: ...
    def sub(self, a: F, b: F) -> F: ...
    def mul(self, a: F, b: F) -> F: ...
    def div(self, a: F, b: F) -> F: ...
    def sqrt(self, a: F) -> F: ...
    def neg(self, a: F) -> F: ...
    def abs(self, a: F) -> F: ...

    # Conditions. `same` is identity: NaN is NaN, and 0.0 is not -0.0. `eq` and `lt` are those of IEEE-754.
    def same(self, a: F, b: F) -> C_co: ...
    def eq(self, a: F, b: F) -> C_co: ...
    def lt(self, a: F, b: F) -> C_co: ...
    def le(self, a: F, b: F) -> C_co: ...

    # Casts: of a signed word, rounded; to one, truncated, where it fits. The bytes of a binary64, in words of 64 bits,
    # and of a binary32 in the low half of a word, to which `to_single` rounds.
    def of_int(self, n: W) -> F: ...
    def to_int(self, a: F) -> W: ...
    def of_bytes(self, n: W) -> F: ...
    def to_bytes(self, a: F) -> W: ...
    def of_single(self, n: W) -> F: ...
    def to_single(self, a: F) -> W: ...


@cache
def limits_of_int(width: int) -> tuple[Float, Float]:
    """The floats between which those are, both left out, that truncate to a signed word of that width."""
    low = float(-(1 << (width - 1)))
    return Float.of(min(low - 1, math.nextafter(low, -math.inf))), Float.of(-low)
