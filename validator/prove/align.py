"""The alignment of guards: the guard of the recorded trace that each guard of the optimized one stands for.

An assignment of origins never decreases, so it is a way through a grid: from the corner (0, 0) each step either
assigns guard j of `after` to guard k of `before`, to (j + 1, k), or passes guard k, to (j, k + 1). What an assignment
must prove hangs on the single steps of that way, not on the way as a whole. So the best way is a shortest one, by what
the steps seem to cost, and what is learned about a step holds for every way that takes it.

The search is A*: what the guards that are left cost at least, each by itself, is known ahead. Where the guards of both
traces correspond in order it walks straight to the end, and it looks the farther aside the less they do.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from heapq import heappop, heappush
from itertools import accumulate

from optimizer.ir.domains.term import Term
from optimizer.ir.faults import InputError, Unsupported
from optimizer.ir.trace import Trace, exit_of
from validator.prove.encoding import Encoding, GuardEncoding

# What a step costs that is not settled by structure: a solver has to be asked.
_CONDITION, _FAILARG, _LEFT, _POSITION, _NEVER = 6, 1, 2, 3, 1000
_OTHER_LIST = 8 * _FAILARG
_MOST_FAILARGS = 5

_LARGEST_SEARCH = 1_000_000
"""The number of steps taken for a pair, in all searches together, at most."""

_MOST_ALIKE = 8
"""The number of guards of `before` on one condition up to which the cost of the best one is computed ahead."""


def given_origins(before: Trace, after: Trace) -> list[Sequence[int]]:
    """The guards of `before` that the text of each guard of `after` allows, ascending: one where it names its origin.

    Where `before` names origins itself (it is an optimized trace), both name guards of a third trace, and equal names
    match. Raises InputError for an origin that `before` does not have.
    """
    recorded = before.guards
    named: dict[int, list[int]] = {}
    for k, guard in enumerate(recorded):
        origin = exit_of(guard).origin
        named.setdefault(k if origin is None else origin, []).append(k)
    result: list[Sequence[int]] = []
    for guard in after.guards:
        origin = exit_of(guard).origin
        if origin is not None and origin not in named:
            raise InputError(
                f"the guard names origin {origin}, but the guards before are numbered 0 to {len(recorded) - 1}"
                if recorded
                else f"the guard names origin {origin}, but the trace before has no guards",
                file="after",
                line=guard.line,
            )
        result.append(range(len(recorded)) if origin is None else named[origin])
    return result


def out_of_order(given: Sequence[Sequence[int]]) -> int | None:
    """The first guard none of whose origins is that of the guards in front of it or behind, if there is one."""
    low = 0
    for j, choices in enumerate(given):
        place = bisect_left(choices, low)
        if place == len(choices):
            return j
        low = choices[place]
    return None


def is_inferred(after: Trace, given: Sequence[Sequence[int]]) -> bool:
    """Must origins be inferred, at least in part, where those are `given`?"""
    return any(
        len(choices) > 1 or exit_of(guard).origin is None for choices, guard in zip(given, after.guards, strict=True)
    )


class Alignment:
    """The search for origins, among those that are `given`; `choices` are those behind as many events."""

    def __init__(self, before: Encoding, after: Encoding, given: Sequence[Sequence[int]]) -> None:
        self._before = before.guards
        self._after = after.guards
        self._steps_left = _LARGEST_SEARCH
        self._events = [guard.events for guard in self._before]
        self.choices = [self._in_place(j, choices) for j, choices in enumerate(given)]
        self._excluded: list[set[int]] = [set() for _ in self._after]
        self._hopeless = False
        self._best: list[int | None] | None = None
        self._penalty: dict[tuple[int, int], int] = {}

    @cached_property
    def _first_with(self) -> dict[Term, int]:
        """The first guard of `after` on each condition."""
        return {guard.passes: j for j, guard in reversed(list(enumerate(self._after)))}

    @cached_property
    def _recorded_with(self) -> dict[Term, list[int]]:
        """The guards of `before` on each condition."""
        found: dict[Term, list[int]] = {}
        for k, guard in enumerate(self._before):
            found.setdefault(guard.passes, []).append(k)
        return found

    def _in_place(self, j: int, choices: Sequence[int]) -> Sequence[int]:
        """The members of `choices` behind as many events as guard j; where there are none, all remain, and the
        obligation on events will speak."""
        first, last = (bisect_left(self._events, self._after[j].events + more) for more in (0, 1))
        return choices[bisect_left(choices, first) : bisect_left(choices, last)] or choices

    def allowed(self, j: int) -> Iterator[int]:
        """The origins that guard j of `after` may still have, ascending."""
        return (k for k in self.choices[j] if k not in self._excluded[j])

    def _allows(self, j: int, k: int) -> bool:
        choices = self.choices[j]
        place = bisect_left(choices, k)
        return place < len(choices) and choices[place] == k and k not in self._excluded[j]

    def exclude(self, j: int, origins: Collection[int | None]) -> None:
        """Guard j has none of those origins: a state was found that shows it."""
        self._excluded[j].update(k for k in origins if k is not None)
        self._best = None

    def give_up(self) -> None:
        """A state was found on which the traces differ whatever the origins are."""
        self._hopeless = True

    def discourage(self, j: int, origin: int) -> None:
        """Notes that guard j with that origin could not be settled, so that other origins are preferred."""
        self._penalty[j, origin] = _NEVER
        self._best = None

    def best(self) -> list[int | None] | None:
        """The cheapest assignment, or None where none is left.

        Raises Unsupported where the search for it takes too many steps.
        """
        if self._hopeless:
            return None
        if self._best is None:
            self._best = self._search() if self._before else [None] * len(self._after)
        return self._best

    def _lowest(self) -> list[int] | None:
        """The lowest origin that each guard has in any assignment; None where there is no assignment."""
        lowest: list[int] = []
        low = 0
        for j, choices in enumerate(self.choices if self._before else ()):
            places = range(bisect_left(choices, low), len(choices))
            found = next((choices[i] for i in places if choices[i] not in self._excluded[j]), None)
            if found is None:
                return None
            lowest.append(low := found)
        return lowest

    def _highest(self) -> list[int]:
        """The highest origin that each guard has in any assignment, where there is one."""
        highest = [len(self._before) - 1]
        for choices, excluded in zip(reversed(self.choices), reversed(self._excluded), strict=True):
            places = range(bisect_left(choices, highest[-1] + 1) - 1, -1, -1)
            highest.append(next(choices[i] for i in places if choices[i] not in excluded))
        return highest[:0:-1]

    def _search(self) -> list[int | None] | None:
        """A shortest way, by A*. Of those that promise the same, the one that is farthest goes on first, and assigns
        as early as it can."""
        lowest = self._lowest()
        if lowest is None:
            return None
        if all(len(choices) == 1 for choices in self.choices):
            return [*lowest]
        rows, columns = len(self._before), len(self._after)
        highest = [*self._highest(), rows]
        left, assigned = self._least_left(), self._least_assigned()
        was_assigned: dict[tuple[int, int], bool] = {}
        waiting = [(left[0] + assigned[0], 0, 0, False)]
        while waiting:
            promise, ahead, minus_j, is_assigned = heappop(waiting)
            j, k = -minus_j, minus_j - ahead
            if (j, k) in was_assigned:
                continue
            was_assigned[j, k] = is_assigned
            if j == columns and k == rows:
                return _way_back(was_assigned, j, k)
            self._count_step()
            cost = promise - left[k] - assigned[j]
            if j < columns and self._allows(j, k):
                more = cost + self._assigning(j, k) + left[k] + assigned[j + 1]
                heappush(waiting, (more, ahead - 1, minus_j - 1, True))
            if k < highest[j]:
                more = cost + self._left(k, j) + left[k + 1] + assigned[j]
                heappush(waiting, (more, ahead - 1, minus_j, False))
        return None

    def _count_step(self) -> None:
        self._steps_left -= 1
        if self._steps_left < 0:
            raise Unsupported(
                f"{len(self._after)} guards without origins, which are not in an order that is easy to see"
            )

    def _least_left(self) -> list[int]:
        """The least cost of passing the guards of `before`, from each one on."""
        everywhere = len(self._after)
        return _sums_from([self._left(k, everywhere) for k in range(len(self._before))])

    def _least_assigned(self) -> list[int]:
        """The least cost of assigning the guards of `after`, from each one on."""
        least = []
        sizes = {_size(guard) for guard in self._before}
        for j, guard in enumerate(self._after):
            alike = self._recorded_with.get(guard.passes, [])
            of_list = 0 if _size(guard) in sizes else _OTHER_LIST
            few = len(alike) <= _MOST_ALIKE
            costs = [self._assigning(j, k) for k in alike if self._allows(j, k)] if few else [of_list]
            least.append(min([_CONDITION + of_list, *costs]))
        return _sums_from(least)

    def _left(self, k: int, assigned: int) -> int:
        """The cost of passing guard k with `assigned` guards of `after` assigned."""
        passes = self._before[k].passes
        if passes.kind == "truth" and passes.value:
            return 0
        return 0 if self._first_with.get(passes, assigned) < assigned else _LEFT

    def _assigning(self, j: int, k: int) -> int:
        mine, theirs = self._after[j], self._before[k]
        cost = self._penalty.get((j, k), 0)
        if mine.passes is not theirs.passes:
            cost += _CONDITION + (mine.operation.op is not theirs.operation.op)  # the same in other words is likelier
        if mine.events != theirs.events:
            cost += _NEVER
        if mine.positions != theirs.positions:
            cost += _POSITION
        return cost + _failargs_cost(mine, theirs)


def _sums_from(costs: Sequence[int]) -> list[int]:
    """The sums of all from each one on, and that of none."""
    return [*accumulate(reversed(costs), initial=0)][::-1]


def _way_back(was_assigned: dict[tuple[int, int], bool], j: int, k: int) -> list[int | None]:
    """The origins on the way to that corner of the grid."""
    way: list[int | None] = []
    while j or k:
        if was_assigned[j, k]:
            j -= 1
            way.append(k)
        else:
            k -= 1
    return way[::-1]


def _size(guard: GuardEncoding) -> int | None:
    """The length of the guard's list; None where it has none."""
    return None if guard.failargs is None else len(guard.failargs)


def _failargs_cost(mine: GuardEncoding, theirs: GuardEncoding) -> int:
    if _size(mine) != _size(theirs):
        return _OTHER_LIST
    if mine.failargs is None or theirs.failargs is None:
        return 0
    differing = sum(
        wanted is not None and wanted is not got for wanted, got in zip(theirs.failargs, mine.failargs, strict=True)
    )
    return _FAILARG * min(differing, _MOST_FAILARGS)
