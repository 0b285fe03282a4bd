"""The vocabulary in which the meaning of operations on floats is written.

A `FloatDomain` belongs to a `Domain` of words `W` and conditions `C`, and has floats `F` beside them: IEEE-754
binary64, one of which is NaN, rounded to the nearest, ties to even. Where an operation is undefined, or its bytes are
those of NaN, a domain may do as it likes.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import cache
from typing import Generic, TypeVar

from optimizer.ir.floats import Float

W = TypeVar("W")
C = TypeVar("C")
F = TypeVar("F")


class FloatDomain(ABC, Generic[W, C, F]):
    """The operations on floats."""

    __slots__ = ()

    @abstractmethod
    def const(self, value: Float) -> F: ...

    # Arithmetic. `neg` and `abs` change the sign alone, and leave NaN as it is. The root of what is below 0.0 is NaN,
    # that of -0.0 is -0.0.
    @abstractmethod
    def add(self, a: F, b: F) -> F: ...
    @abstractmethod
    def sub(self, a: F, b: F) -> F: ...
    @abstractmethod
    def mul(self, a: F, b: F) -> F: ...
    @abstractmethod
    def div(self, a: F, b: F) -> F: ...
    @abstractmethod
    def sqrt(self, a: F) -> F: ...
    @abstractmethod
    def neg(self, a: F) -> F: ...
    @abstractmethod
    def abs(self, a: F) -> F: ...

    # Conditions. `same` is identity: NaN is NaN, and 0.0 is not -0.0. `eq` and `lt` are those of IEEE-754.
    @abstractmethod
    def same(self, a: F, b: F) -> C: ...
    @abstractmethod
    def eq(self, a: F, b: F) -> C: ...
    @abstractmethod
    def lt(self, a: F, b: F) -> C: ...
    @abstractmethod
    def le(self, a: F, b: F) -> C: ...

    # Casts: of a signed word, rounded; to one, truncated, where it fits. The bytes of a binary64, in words of 64 bits,
    # and of a binary32 in the low half of a word, to which `to_single` rounds.
    @abstractmethod
    def of_int(self, n: W) -> F: ...
    @abstractmethod
    def to_int(self, a: F) -> W: ...
    @abstractmethod
    def of_bytes(self, n: W) -> F: ...
    @abstractmethod
    def to_bytes(self, a: F) -> W: ...
    @abstractmethod
    def of_single(self, n: W) -> F: ...
    @abstractmethod
    def to_single(self, a: F) -> W: ...


@cache
def limits_of_int(width: int) -> tuple[Float, Float]:
    """The floats between which those are, both left out, that truncate to a signed word of that width."""
    low = float(-(1 << (width - 1)))
    return Float.of(min(low - 1, math.nextafter(low, -math.inf))), Float.of(-low)


PRIMITIVES: tuple[str, ...] = tuple(sorted(FloatDomain.__abstractmethods__))
"""The names of the vocabulary, for tests that run all of it."""
