"""Floats of which nothing is known, for domains that tell what is known of words."""

from __future__ import annotations

from typing import Generic, TypeVar

from optimizer.ir.floats import Float
from optimizer.ir.rows.float_domain import FloatDomain

W = TypeVar("W")


class AnyFloats(FloatDomain[W, bool | None, None], Generic[W]):
    """Every float may be any, and so is every word that is computed of floats: `word`."""

    __slots__ = ("_word",)

    def __init__(self, word: W) -> None:
        self._word = word

    def const(self, value: Float) -> None:
        return None

    def add(self, a: None, b: None) -> None:
        return None

    def sub(self, a: None, b: None) -> None:
        return None

    def mul(self, a: None, b: None) -> None:
        return None

    def div(self, a: None, b: None) -> None:
        return None

    def sqrt(self, a: None) -> None:
        return None

    def neg(self, a: None) -> None:
        return None

    def abs(self, a: None) -> None:
        return None

    def same(self, a: None, b: None) -> bool | None:
        return None

    def eq(self, a: None, b: None) -> bool | None:
        return None

    def lt(self, a: None, b: None) -> bool | None:
        return None

    def le(self, a: None, b: None) -> bool | None:
        return None

    def of_int(self, n: W) -> None:
        return None

    def of_bytes(self, n: W) -> None:
        return None

    def of_single(self, n: W) -> None:
        return None

    def to_int(self, a: None) -> W:
        return self._word

    def to_bytes(self, a: None) -> W:
        return self._word

    def to_single(self, a: None) -> W:
        return self._word
