"""The source of the generator's decisions: a random number generator, or Hypothesis.

The generator asks for nothing but integers, and 0 is always its simplest choice, so that a source that can
shrink makes short traces of small numbers by making the integers small.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import TypeVar

from optimizer.ir.floats import Float

T = TypeVar("T")


class NotDrawable(Exception):
    """An exception raised where there is nothing to draw from: the step is left out."""


class Choices(ABC):
    """A source of decisions."""

    @abstractmethod
    def integer(self, low: int, high: int) -> int:
        """A number in [low, high], of which the one nearest to 0 is the simplest."""

    @abstractmethod
    def repeat(self, low: int, high: int, turn: Callable[[], None]) -> None:
        """Takes between `low` and `high` turns, of which few are simpler than many."""

    def several(self, low: int, high: int, make: Callable[[], T]) -> list[T]:
        """The results of between `low` and `high` turns."""
        made: list[T] = []
        self.repeat(low, high, lambda: made.append(make()))
        return made

    def pick(self, options: Sequence[T]) -> T:
        """One of the options; the first is the simplest. Raises NotDrawable where there are none."""
        if not options:
            raise NotDrawable
        return options[self.integer(0, len(options) - 1)]

    def latest(self, options: Sequence[T], most: int) -> T:
        """One of the last `most` options; the last is the simplest."""
        return options[-1 - self.integer(0, min(len(options), most) - 1)]

    def chance(self, percent: int) -> bool:
        """True in `percent` of 100 cases; False is simpler, where it is possible at all."""
        return percent > 0 and self.integer(0, 99) >= 100 - percent

    def some(self, options: Iterable[T], percent: int) -> list[T]:
        """`percent` of 100 options."""
        return [option for option in options if self.chance(percent)]


class RandomChoices(Choices):
    """Decisions from a random number generator: every size and every number is equally likely."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def integer(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def repeat(self, low: int, high: int, turn: Callable[[], None]) -> None:
        for _ in range(self.integer(low, high)):
            turn()

    def pick(self, options: Sequence[T]) -> T:
        place = int(self.random.random() * len(options))
        if not options:
            raise NotDrawable
        return options[place]

    def chance(self, percent: int) -> bool:
        return self.random.random() * 100 < percent


def constant(choices: Choices, width: int) -> int:
    """A signed constant of `width` bits: one that counts something, one at a boundary, or any."""
    half = 1 << (width - 1)
    kind = choices.integer(0, 11)
    if kind < 5:
        value = choices.integer(-4, 16)
    elif kind < 8:
        bits = choices.integer(0, width - 1)
        bits = bits & -8 if choices.chance(30) else bits  # whole bytes
        value = (1 << bits) + choices.integer(-1, 1)
    elif kind == 8:
        value = choices.integer(-1, 1) - (1 << choices.integer(0, width - 1))
    elif kind == 9:
        value = half - 1 - choices.integer(0, 2)
    elif kind == 10:
        value = choices.integer(0, 2) - half
    else:
        value = choices.integer(-half, half - 1)
    return ((value + half) & (2 * half - 1)) - half


def relatives(value: int, width: int) -> list[int]:
    """Constants that optimizers have something to say of where an operation has one and the next one the other: the
    complement, the negation, the neighbours, the double; the power of two and the mask of so many bits or bytes, and
    what these leave of a word; and back from these, the number of bits or bytes."""
    found = [~value, -value, value - 1, value + 1, 2 * value]
    for bits in (value, 8 * value):
        if 0 < bits < width:
            found += [1 << bits, (1 << bits) - 1, -1 << bits, 1 << (bits - 1), width - bits]
    lengths = [value, value.bit_length() - 1, value.bit_length()] if value > 1 else []
    for bits in lengths:
        found += [bits, width - bits, *(left // 8 for left in (bits, width - bits) if left % 8 == 0)]
    half = 1 << (width - 1)
    return [(one + half) % (2 * half) - half for one in found]


_FLOATS = (0.0, 1.0, -0.0, 2.0, -1.0, 0.5, math.nan, math.inf, -math.inf, 3.0, 0.1, 1e300, 5e-324, 2.0**53, -(2.0**63))


def float_constant(choices: Choices) -> Float:
    """A float: one at which operations behave in some special way, a power of two, a small one, or any pattern."""
    match choices.integer(0, 9):
        case 0 | 1 | 2 | 3 | 4:
            return Float.of(choices.pick(_FLOATS))
        case 5 | 6:
            return Float.of(math.ldexp(choices.pick((1.0, -1.0)), choices.integer(-8, 8)))
        case 7 | 8:
            return Float.of(choices.integer(-40, 40) / choices.pick((1, 2, 4, 10)))
        case _:
            return Float(choices.integer(0, (1 << 64) - 1))
