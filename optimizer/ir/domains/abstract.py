"""The common part of abstract domains: three-valued conditions, and words that stand for sets of integers.

An abstract domain is *sound*: where each abstract argument contains the concrete one, the abstract result
contains what `optimizer.ir.domains.concrete.Concrete` computes. That holds for all inputs, those on which an
operation is undefined included.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, TypeVar

from optimizer.ir.rows.domain import Domain

if TYPE_CHECKING:
    from optimizer.ir.domains.any_floats import AnyFloats

Truth = bool | None
"""The truth of a condition; None: it may hold or not."""

W = TypeVar("W")


class AbstractDomain(Domain[W, Truth]):
    """A domain whose words of type `W` are non-empty sets of signed integers in [-half, half)."""

    __slots__ = ("full", "half", "top")

    top: W
    """All words."""

    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.half = 1 << (width - 1)
        self.full = (1 << width) - 1

    @property
    def floats(self) -> AnyFloats[W]:
        """Floats of which nothing is known."""
        from optimizer.ir.domains.any_floats import AnyFloats  # here: most traces have none

        return AnyFloats(self.top)

    @abstractmethod
    def contains(self, a: W, value: int) -> bool:
        """True if the signed machine integer `value` is one of `a`."""

    @abstractmethod
    def join(self, a: W, b: W) -> W:
        """Contains all that `a` or `b` contains."""

    @abstractmethod
    def meet(self, a: W, b: W) -> W | None:
        """Contains all that both `a` and `b` contain; None where there is nothing."""

    def truth(self, value: bool) -> Truth:
        return value

    def not_(self, c: Truth) -> Truth:
        return None if c is None else not c

    def both(self, c: Truth, d: Truth) -> Truth:
        if c is False or d is False:
            return False
        return None if c is None or d is None else True

    def either(self, c: Truth, d: Truth) -> Truth:
        if c is True or d is True:
            return True
        return None if c is None or d is None else False

    def ite(self, c: Truth, a: W, b: W) -> W:
        if c is None:
            return self.join(a, b)
        return a if c else b
