"""Floats of which nothing is known, for domains that tell what is known of words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from optimizer.ir.rows.domain import FloatDomain

W = TypeVar("W")


def _giving(value_of: Callable[[Any], Any]) -> Any:
    """The operation that gives that of the domain, whatever it is asked about."""
    return lambda floats, *_: value_of(floats)


class AnyFloats(FloatDomain[W, bool | None, None], Generic[W]):
    """Every float may be any, and so is every word that is computed of floats: `word`."""

    __slots__ = ("_word",)

    def __init__(self, word: W) -> None:
        self._word = word

    const = add = sub = mul = div = sqrt = neg = abs = of_int = of_bytes = of_single = _giving(lambda _: None)
    same = eq = lt = le = _giving(lambda _: None)
    to_int = to_bytes = to_single = _giving(lambda floats: floats._word)
