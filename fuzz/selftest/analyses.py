"""Transfer functions of bounds, held against all inputs of small widths: right everywhere, and how often the best.

Bounds are two intervals and known bits. Forward, a transfer function gives those of a result from those of the
arguments; both ways, it is also given bounds of the result and whether the operation overflows, and narrows all of
them. It is right if it loses no value that there may be, and the best if no smaller bounds would be right. All bounds
of the least width are tried, and for each all words that they hold; at the next width, of which there are millions, as
many as are asked for, evenly spread.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial, reduce
from itertools import count, product
from math import gcd
from operator import and_, invert

from optimizer.facts.narrowing import Fact, narrow
from optimizer.ir.domains.bounds import Bounds, bounds_domain, holds
from optimizer.ir.domains.concrete import concrete
from optimizer.ir.domains.ranges import Truth
from optimizer.ir.rows.ops import OPS, Op
from optimizer.ir.rows.row import INT

FORWARD_WIDTHS, BOTH_WIDTHS = (3, 4), (2, 3)
"""Widths at which all bounds can be tried, in seconds and in an hour: of two arguments, and of those and a result."""

_SPREAD = 7919
"""A prime, by whose multiples what is known of results is chosen where not all can be tried."""

_LEAST_WORD = 4
"""The least width of words in a trace."""

Set = int
"""A set of words, or of tuples of them: a bit for each."""


@dataclass(frozen=True, slots=True)
class AnalysisProof:
    """The outcome for one transfer function: at `width` bits, `best` of so many `questions` have the best answer, and
    `wrong` is one that has a wrong one, if there is one. `is_all`: there are no others."""

    operation: str
    direction: str
    width: int
    questions: int
    best: int
    is_all: bool
    wrong: str = ""


def analysed() -> list[Op]:
    """The operations on integers that have a meaning at any width."""
    rows = (row for row in OPS.values() if row.is_pure or (row.passes is not None and row.args))
    return [row for row in rows if row.args and {*row.args} == {INT} and row.min_word <= _LEAST_WORD]


def prove_analyses(small: int | None = None, large: int | None = None) -> Iterator[AnalysisProof]:
    """The outcomes for all operations, forward and both ways, each with so many questions at most at the smaller and at
    the larger of its two widths (None: all that there are)."""
    for row in analysed():
        if row.meaning is not None:
            for width, most in zip(FORWARD_WIDTHS, (small, large), strict=True):
                yield _Inputs(row, width).forward(most)
        for width, most in zip(BOTH_WIDTHS, (small, large), strict=True):
            yield _Inputs(row, width).both_ways(most)


class _Bounds:
    """All bounds of a width, with the words that they hold."""

    def __init__(self, width: int) -> None:
        d = self._domain = bounds_domain(width)
        self.words = range(-d.half, d.half)
        self.best = cache(self._smallest)
        found = {self.best(words) for words in range(1, 1 << len(self.words))}
        self.all = {one: self._members(one) for one in sorted(one for one in found if one is not None)}
        self.below = cache(self._below)

    def _members(self, one: Bounds) -> Set:
        return sum(1 << at for at, word in enumerate(self.words) if self._domain.contains(one, word))

    def _smallest(self, words: Set) -> Bounds | None:
        """The smallest bounds of these words; None if there are none."""
        held = [word for at, word in enumerate(self.words) if words >> at & 1]
        if not held:
            return None
        full, unsigned = self._domain.full, sorted(held, key=lambda word: word & self._domain.full)
        ones, zeros = reduce(and_, held), reduce(and_, map(invert, held))
        mask = full & ~(ones | zeros)
        return self._domain.reduce(held[0], held[-1], ones & full, mask, unsigned[-1], unsigned[0])

    def _below(self, one: Bounds) -> list[Bounds]:
        """The bounds that are within these."""
        return [other for other, words in self.all.items() if not words & ~self.all[one]]

    def hold(self, told: Fact, wanted: Bounds | None) -> bool:
        """Do the first hold all words that the second do?"""
        return wanted is None or (isinstance(told, Bounds) and not self.all[wanted] & ~self.all[told])


_bounds = cache(_Bounds)


class _Inputs:
    """All inputs of an operation at one width on which it is defined and, if it is a guard, passes, by their numbers:
    the sets of those that have a word as an argument or a result, or overflow."""

    def __init__(self, row: Op, width: int) -> None:
        self.row, self.width, self.bounds = row, width, _bounds(width)
        d, words = concrete(width), self.bounds.words
        assert row.args is not None
        self._having: list[list[Set]] = [[0] * len(words) for _ in range(len(row.args) + 1)]
        self._overflowing = self._all = 0
        for number, args in enumerate(product(words, repeat=len(row.args))):
            if not all(told is None or told(d, *args) for told in (row.defined, row.passes)):
                continue
            here = 1 << number
            self._all |= here
            values = args if row.meaning is None else (*args, row.meaning(d, *args))
            for having, value in zip(self._having, values, strict=False):
                having[value - words[0]] |= here
            if row.overflows is not None and row.overflows(d, *args):
                self._overflowing |= here

        self._within = cache(self._inputs_within)

    def _inputs_within(self, place: int, one: Bounds) -> Set:
        """The inputs whose argument or result there is within these bounds."""
        words = self.bounds.all[one]
        return sum(inputs for at, inputs in enumerate(self._having[place]) if words >> at & 1)

    def _best(self, place: int, inputs: Set) -> Bounds | None:
        """The smallest bounds of what these inputs have there."""
        return self.bounds.best(sum(1 << at for at, having in enumerate(self._having[place]) if having & inputs))

    def _each(self, step: int = 1) -> Iterator[tuple[tuple[Bounds, ...], Set]]:
        """Bounds of the arguments, one in `step` of all, with the inputs that are within them."""
        assert self.row.args is not None
        every, arity = list(self.bounds.all), len(self.row.args)
        for number in range(0, len(every) ** arity, step):
            args = tuple([every[number // len(every) ** place % len(every)] for place in range(arity)])
            inputs = self._all
            for place, one in enumerate(args):
                inputs &= self._within(place, one)
            yield args, inputs

    def _step(self, most: int | None) -> int:
        """The step that leaves so many bounds of the arguments at most."""
        assert self.row.args is not None
        every = len(self.bounds.all)
        least = 1 if most is None else -(-(every ** len(self.row.args)) // most)
        return next(step for step in count(least) if gcd(step, every) == 1)  # else some arguments would never come

    def _known(self, args: tuple[Bounds, ...]) -> list[tuple[Truth, Bounds | None]]:
        """All that may be known of the flag and of the result beside the arguments."""
        flags: tuple[Truth, ...] = (None,) if self.row.overflows is None else (None, False, True)
        if self.row.meaning is None:
            return [(None, None)]
        return list(product(flags, self.bounds.below(self.row.meaning(bounds_domain(self.width), *args))))

    def _is_flag_right(self, args: tuple[Bounds, ...], inputs: Set) -> bool:
        """Does the operation overflow as is told?"""
        told = None if self.row.overflows is None else holds(self.row.overflows, self.width, args)
        return told is None or not inputs & (~self._overflowing if told else self._overflowing)

    def forward(self, most: int | None) -> AnalysisProof:
        """Are the bounds of results right, and the best?"""
        proof = partial(AnalysisProof, self.row.name, "forward", self.width, is_all=self._step(most) == 1)
        questions = best = 0
        for args, inputs in self._each(self._step(most)):
            if not inputs:
                continue
            questions += 1
            narrowed = narrow(self.row, self.width, args)
            told, wanted = None if narrowed is None else narrowed.result, self._best(len(args), inputs)
            best += told == wanted
            if not self.bounds.hold(told, wanted) or not self._is_flag_right(args, inputs):
                return proof(questions, best, wrong=f"{args}: {told}")
        return proof(questions, best)

    def both_ways(self, most: int | None) -> AnalysisProof:
        """Are the bounds of arguments and results right, and the best, given more of results?"""
        step = self._step(most)
        proof = partial(AnalysisProof, self.row.name, "both ways", self.width, is_all=step == 1)
        questions = best = 0
        for number, (args, inputs) in enumerate(self._each(step)):
            known = self._known(args)
            for flag, result in known if step == 1 else [known[number * _SPREAD % len(known)]]:
                having = inputs if flag is None else inputs & (self._overflowing if flag else ~self._overflowing)
                if result is not None:
                    having &= self._within(len(args), result)
                told = narrow(self.row, self.width, args, result, flag)
                found: tuple[Fact, ...] = (None,) * len(self._having) if told is None else (*told.args, told.result)
                wanted = [self._best(place, having) for place in range(len(self._having))]
                questions += 1
                best += found == tuple(wanted)
                if not all(map(self.bounds.hold, found, wanted)):
                    return proof(questions, best, wrong=f"{args}, {result}, {flag}: {told}")
        return proof(questions, best)
