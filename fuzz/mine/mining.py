"""Mining: what an optimizer misses in traces, grouped by shape, most frequent first."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from fuzz.campaign.examine import Optimizer
from fuzz.mine.chances import Chance, cost, first_chance
from fuzz.mine.smallest import left_by, rule_of, shape, smallest, told
from optimizer.ir.faults import Unsupported
from optimizer.ir.trace import Trace
from validator.search.counterexample import State

_MOST = 12
"""The chances that are looked for in one trace."""
_REDUCE_S = 5.0


@dataclass(frozen=True, slots=True)
class Source:
    """A trace with its name, and a state on which it runs, where one is known."""

    name: str
    trace: Trace
    state: State | None = None


@dataclass(frozen=True, slots=True)
class Missed:
    """A chance, as small as it gets: the lines of the trace, what one of them may be, its shape, and the rule that it
    is, if it is one."""

    source: str
    shape: str
    lines: tuple[str, ...]
    better: str
    cost: int
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Mined:
    """The outcome for a trace: the operations that the optimizer leaves (None where it makes no trace of it), and the
    chances. `limit` says what is not modelled, if that ended it."""

    source: str
    operations: int | None
    missed: tuple[Missed, ...] = ()
    limit: str = ""


def mine(source: Source, optimizer: Optimizer, limit_s: float, clock: Callable[[], float] = time.monotonic) -> Mined:
    """The chances that an optimizer misses in a trace, in about so many seconds: each is taken, and what is left of the
    trace is optimized again, so that nothing is counted that follows from another one."""
    left = left_by(optimizer, source.trace)
    if left is None:
        return Mined(source.name, None)
    operations, missed, end = cost(left), [], clock() + limit_s
    try:
        for _ in range(_MOST):
            chance = first_chance(left, source.state, lambda: clock() >= end)
            if chance is None:
                break
            missed.append(_missed(source.name, smallest(chance, optimizer, min(_REDUCE_S, limit_s), clock)))
            again = left_by(optimizer, chance.better)
            if again is None or cost(again) >= cost(left):
                break
            left = again
    except Unsupported as limit:
        return Mined(source.name, operations, tuple(missed), str(limit))
    return Mined(source.name, operations, tuple(missed))


def _missed(source: str, chance: Chance) -> Missed:
    lines, better = told(chance)
    found = rule_of(chance)
    return Missed(source, shape(chance), lines, better, cost(chance.trace), "" if found is None else str(found))


@dataclass(slots=True)
class Group:
    """Chances of one shape: how many there are, in how many traces, and the smallest of them."""

    example: Missed
    count: int = 0
    sources: set[str] = field(default_factory=set)

    def add(self, missed: Missed) -> None:
        self.count += 1
        self.sources.add(missed.source)
        if (missed.cost, missed.lines) < (self.example.cost, self.example.lines):
            self.example = missed


class Groups(dict[str, Group]):
    """All chances that were found, by shape."""

    def add(self, mined: Mined) -> None:
        for missed in mined.missed:
            self.setdefault(missed.shape, Group(missed)).add(missed)

    def by_frequency(self) -> Iterator[Group]:
        """The groups, those that the most traces show first."""
        return iter(sorted(self.values(), key=lambda one: (-len(one.sources), -one.count, one.example.lines)))
