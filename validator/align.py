"""Which guard of the recorded trace each guard of the optimized one stands for.

An assignment of origins never decreases, so it is a way through a grid: in row k, `after` guards may be assigned to
guard k of `before`, then guard k is passed, which takes us to row k + 1. What an assignment must prove hangs on the
single steps of that way (`guard j` has origin k; guard k is passed with so many guards of `after` ahead), not on the
way as a whole. So the best way is found by dynamic programming over what the steps seem to cost, and what is learned
about a step holds for every way that takes it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from functools import cached_property

from optimizer.ir.faults import InputError, Unsupported
from optimizer.ir.term import Term
from optimizer.ir.trace import Trace, exit_of
from validator.encoding import Encoding, GuardEncoding

# What a step costs that is not settled by structure: a solver has to be asked.
_CONDITION, _FAILARG, _LEFT, _POSITION, _NEVER = 6.0, 1.0, 2.0, 3.0, 1000.0

_LARGEST_SEARCH = 4_000_000


def given_origins(before: Trace, after: Trace, file: str = "after") -> list[list[int]]:
    """For each guard of `after`, the guards of `before` that its text allows: one where it names its origin.

    Where `before` names origins itself (it is an optimized trace), both name guards of a third trace, and equal names
    match. Raises InputError for an origin that `before` does not have.
    """
    recorded = before.guards
    named: dict[int, list[int]] = {}
    for k, guard in enumerate(recorded):
        origin = exit_of(guard).origin
        named.setdefault(k if origin is None else origin, []).append(k)
    result = []
    for guard in after.guards:
        origin = exit_of(guard).origin
        if origin is not None and origin not in named:
            raise InputError(
                f"the guard names origin {origin}, but the guards before are numbered 0 to {len(recorded) - 1}"
                if recorded
                else f"the guard names origin {origin}, but the trace before has no guards",
                file=file,
                line=guard.line,
            )
        result.append(list(range(len(recorded))) if origin is None else named[origin])
    return result


def is_inferred(after: Trace, given: Sequence[Sequence[int]]) -> bool:
    """Must origins be inferred, at least in part, where those are `given`?"""
    return any(
        len(choices) > 1 or exit_of(guard).origin is None for choices, guard in zip(given, after.guards, strict=True)
    )


class Alignment:
    """The search for origins. `allowed[j]` are the origins that guard j of `after` may still have, ascending."""

    def __init__(self, before: Encoding, after: Encoding, allowed: list[list[int]]) -> None:
        self._before = before.guards
        self._after = after.guards
        self.allowed = [self._in_place(j, choices) for j, choices in enumerate(allowed)]
        self._hopeless = False
        self._best: list[int | None] | None = None
        self._penalty: dict[tuple[int, int], float] = {}

    @cached_property
    def _first_with(self) -> dict[Term, int]:
        """The first guard of `after` on each condition."""
        return {guard.passes: j for j, guard in reversed(list(enumerate(self._after)))}

    def _in_place(self, j: int, choices: list[int]) -> list[int]:
        """Of `choices`, those behind as many events as guard j; where there are none, all remain, and the obligation on
        events will speak."""
        mine = self._after[j]
        return [k for k in choices if self._before[k].events == mine.events] or choices

    def exclude(self, j: int, origins: Collection[int | None]) -> None:
        """Guard j has none of those origins: a state was found that shows it."""
        self.allowed[j] = [k for k in self.allowed[j] if k not in origins]
        self._best = None

    def give_up(self) -> None:
        """A state was found on which the traces differ whatever the origins are."""
        self._hopeless = True

    def discourage(self, j: int, origin: int) -> None:
        """That guard j has that origin could not be settled: prefer others."""
        self._penalty[j, origin] = _NEVER
        self._best = None

    def best(self) -> list[int | None] | None:
        """The cheapest assignment, or None where none is left.

        Raises Unsupported where there are too many to search.
        """
        if self._hopeless:
            return None
        if self._best is None:
            self._best = self._searched()
        return self._best

    def _searched(self) -> list[int | None] | None:
        if not self._before:
            return [None] * len(self._after)
        if all(len(choices) == 1 for choices in self.allowed):
            only: list[int | None] = [k for (k,) in self.allowed]
            return only if decreasing(only) is None else None
        way = self._free_way()
        if way is None and sum(map(len, self.allowed)) > _LARGEST_SEARCH:
            raise Unsupported(
                f"{len(self._after)} guards without origins, which are not in an order that is easy to see"
            )
        return way or self._search()

    def possible(self) -> bool:
        """Is an assignment left?"""
        if self._hopeless:
            return False
        low = 0
        for choices in self.allowed:
            fitting = [k for k in choices if k >= low]
            if self._before and not fitting:
                return False
            low = fitting[0] if fitting else 0
        return True

    def _free_way(self) -> list[int | None] | None:
        """An assignment that structure seems to settle altogether, if following the two lists finds one."""
        way: list[int | None] = []
        k, total = 0, len(self._before)
        for j in range(len(self._after)):
            mine = self._after[j].passes
            while k < total and (
                mine is not self._before[k].passes or self._assigning(j, k) > 0 or not self._allows(j, k)
            ):
                if self._left(k, j) > 0:
                    return None
                k += 1
            if k == total:
                return None
            way.append(k)
        return None if any(self._left(i, len(way)) > 0 for i in range(k, total)) else way

    def _allows(self, j: int, k: int) -> bool:
        place = bisect_left(self.allowed[j], k)
        return place < len(self.allowed[j]) and self.allowed[j][place] == k

    def _search(self) -> list[int | None] | None:
        """Dynamic programming over the guards of `after`: the cheapest way that ends in each row."""
        ways: dict[int, float] = {0: 0.0}
        back: list[dict[int, int]] = []
        for j in range(len(self._after)):
            reached: dict[int, float] = {}
            came: dict[int, int] = {}
            rows = sorted(ways)
            # Walking down the rows, `cost` is the cheapest way to the current row with j guards assigned.
            position, cost, start = 0, float("inf"), -1
            row = rows[0] if rows else 0
            for k in self.allowed[j]:
                while position < len(rows) and rows[position] <= k:
                    cost += self._passing(j, row, rows[position])
                    row = rows[position]
                    if ways[row] <= cost:
                        cost, start = ways[row], row
                    position += 1
                if start < 0:
                    continue
                cost += self._passing(j, row, k)
                row = max(row, k)
                reached[k] = cost + self._assigning(j, k)
                came[k] = start
            ways = reached
            back.append(came)
        if not ways and self._after:
            return None
        return self._way_back(ways, back)

    def _way_back(self, ways: dict[int, float], back: list[dict[int, int]]) -> list[int | None]:
        total = len(self._before)
        if not back:
            return []
        row = min(ways, key=lambda k: (ways[k] + self._passing(len(self._after), k, total), k))
        way: list[int | None] = []
        for came in reversed(back):
            way.append(row)
            row = came[row]
        return way[::-1]

    def _passing(self, assigned: int, start: int, stop: int) -> float:
        """What it costs to pass the guards `start` to `stop` with so many guards of `after` assigned."""
        return sum(self._left(k, assigned) for k in range(start, stop))

    def _left(self, k: int, assigned: int) -> float:
        passes = self._before[k].passes
        if passes.kind == "truth" and passes.value:
            return 0.0
        return 0.0 if self._first_with.get(passes, assigned) < assigned else _LEFT

    def _assigning(self, j: int, k: int) -> float:
        mine, theirs = self._after[j], self._before[k]
        cost = self._penalty.get((j, k), 0.0)
        if mine.passes is not theirs.passes:
            cost += _CONDITION
        if mine.events != theirs.events:
            cost += _NEVER
        if mine.positions != theirs.positions:
            cost += _POSITION
        return cost + _failargs_cost(mine, theirs)


def _failargs_cost(mine: GuardEncoding, theirs: GuardEncoding) -> float:
    if mine.failargs is None or theirs.failargs is None:
        return 0.0 if mine.failargs is theirs.failargs else 8 * _FAILARG
    if len(mine.failargs) != len(theirs.failargs):
        return 8 * _FAILARG
    differing = sum(
        wanted is not None and wanted is not got for wanted, got in zip(theirs.failargs, mine.failargs, strict=True)
    )
    return _FAILARG * min(differing, 5)


def decreasing(origins: Sequence[int | None]) -> int | None:
    """The first guard whose origin is below that of the guard before it, if there is one."""
    for j in range(1, len(origins)):
        low, high = origins[j - 1], origins[j]
        if low is not None and high is not None and high < low:
            return j
    return None
