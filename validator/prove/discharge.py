"""Settles obligations, cheapest rung first: those without a solver, then one query for all that is left, and a query
for each only where that one does not settle them.

(Running comes in between, but over states, not obligations: see `validator.prove.judge`.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from typing import TYPE_CHECKING

from optimizer.ir.domains.term import Term
from optimizer.ir.immutable import immutable
from validator.prove.cheap_rungs import CheapRungs
from validator.prove.facts.facts import Facts
from validator.prove.obligations import Obligation, Pair, Place
from validator.prove.terms.object_kinds import are_opaque
from validator.prove.witness import find_values
from validator.solvers.answers import Answer, GaveUp, Sat, Unsat
from validator.solvers.portfolio import FIRST_EFFORT, Portfolio, Query
from validator.verdict import Floats

if TYPE_CHECKING:
    from validator.search.counterexample import State


@immutable
class Holds:
    """The answer that it holds on every input; `by` is the rung that showed it, and where that was solving, `solver`
    the solver."""

    by: str
    solver: str = ""


@immutable
class Model:
    """The answer that it does not hold on this state, found by an exact query."""

    state: State


@immutable
class NotSettled:
    """The answer that the solvers in `tried` gave up, the last one for that reason."""

    reason: str
    tried: tuple[str, ...] = ()


Answered = Holds | Model | NotSettled

_EARLY_EFFORT = 1_000_000
_EXACT_EFFORT = 30_000_000
_MOST_EXACT = 6
"""The effort of a query in which operations on floats are what they are, and how many of these there are for a pair."""


@cache
def _held(rung: str) -> Holds:
    """The answer that it holds by that rung, without a solver."""
    return Holds(rung)


class _LateError(Exception):
    """The time is used up while a query is made."""


@dataclass
class Budget:
    """Effort for each query in the solver's units, and the time at which the net closes."""

    effort: int
    deadline: float
    clock: Callable[[], float]

    def left_s(self) -> float:
        return self.deadline - self.clock()


class Discharger:
    """Settles the obligations of one pair. `without_solver` says which rung settles one, if one does,
    `at_once` the same where that takes no work."""

    def __init__(self, pair: Pair, budget: Budget, observe: Callable[[Query], None] | None = None) -> None:
        self._pair = pair
        self._budget = budget
        self._portfolio = Portfolio(pair.terms, pair.options.solver, pair.options.memory_mb, observe)
        self._settled: dict[tuple[Place, Term, tuple[Term, ...]], Answered] = {}
        self._rungs = CheapRungs(pair, lambda: budget.left_s() <= 0)
        self.without_solver, self.at_once = self._rungs.settle, self._rungs.at_once
        self._cut_off = False
        self._exact_left = _MOST_EXACT

    def settle(self, obligation: Obligation, effort: int | None = None) -> Answered:
        """Settle it, with solvers where nothing cheaper does. `effort` is a query's: the budget's if not given."""
        settled = self.already(obligation)
        if settled is not None or self.is_late:
            return settled or NotSettled("wall")
        answer = self._solve(obligation, self._budget.effort if effort is None else effort)
        if effort is None or effort >= self._budget.effort or not isinstance(answer, NotSettled):
            self._settled[_key(obligation)] = answer
        return answer

    def early(self, obligation: Obligation) -> Answered | None:
        """The answer to it, if a query with a small effort has one. The first obligation of a wrong pair that is asked
        often shows that it is wrong, and saves all work on those behind it."""
        assumed = [*obligation.given, *self._pair.assumptions(obligation.place)]
        conditions = self._rungs.slice([self._denied(obligation)], assumed)
        effort = min(_EARLY_EFFORT, self._budget.effort)
        answer = self.settle(obligation, effort) if self._portfolio.fits(conditions, effort) else None
        return None if isinstance(answer, NotSettled) else answer

    def already(self, obligation: Obligation) -> Answered | None:
        """The answer to it from before, or from the rungs that need no solver."""
        cheap = self._rungs.settle(obligation)
        return _held(cheap) if cheap is not None else self._settled.get(_key(obligation))

    def settle_exactly(self, obligation: Obligation) -> Answered | None:
        """Settle it by a query in which operations on floats are what they are; None where there are none, or that is
        not to be asked."""
        assumed = [*obligation.given, *self._pair.assumptions(obligation.place)]
        denied = self._denied(obligation)
        conditions = self._rungs.slice([denied], assumed)
        if self._pair.options.floats is Floats.OPAQUE or not are_opaque(conditions):
            return None
        if self._exact_left == 0:
            return NotSettled("effort")
        self._exact_left -= 1
        effort = min(_EXACT_EFFORT, self._budget.effort)
        answer = self._told(obligation, self._query_sliced(denied, assumed, effort, exact=True))
        self._settled[_key(obligation)] = answer
        return answer

    def _solve(self, obligation: Obligation, effort: int) -> Answered:
        assumed = [*obligation.given, *self._pair.assumptions(obligation.place)]
        return self._told(obligation, self._query_sliced(self._denied(obligation), assumed, effort))

    def _told(self, obligation: Obligation, answer: Answer) -> Answered:
        match answer:
            case Unsat(by):
                return Holds("solving", by)
            case Sat(model):
                return Model(self.state(model, obligation.place.events))
            case GaveUp(reason, tried):
                return NotSettled(reason, tried)

    def _denied(self, obligation: Obligation) -> Term:
        claim = self._rungs.known(obligation.place, obligation.given).rebuild(obligation.claim)
        return self._pair.terms.not_(claim)

    def together(self, obligations: Sequence[Obligation]) -> Answer:
        """Can any of them fail? A short search for values, then one query with a small effort, if it is not too large
        for that, for obligations in the order of the traces."""
        chains = list(_chains(obligations))
        try:
            if len(chains) == 1:
                assumed, fails = self._nested(chains[0])
            else:
                assumed = []
                fails = self._any(self._all([rest, *first]) for first, rest in map(self._nested, chains))
        except _LateError:
            return GaveUp("wall", ())
        found = find_values(self._pair.terms, [fails, *assumed])
        if found is not None:
            return Sat(found, "search")
        effort = min(FIRST_EFFORT, self._budget.effort)
        if not self._portfolio.fits(self._rungs.slice([fails], assumed), effort):
            return GaveUp("effort", ())
        answer = self._query_sliced(fails, assumed, effort)
        if isinstance(answer, Unsat):
            for obligation in obligations:
                self._settled[_key(obligation)] = Holds("solving", answer.by)
        return answer

    def can_fail(self, obligation: Obligation) -> bool:
        """Were values found under which it does not hold, by a short search?"""
        return self._found(obligation) is not None

    def failing(self, obligations: Sequence[Obligation]) -> list[Obligation]:
        """The obligations, of these at one place, of which a short search found values under which they do not hold:
        most often it finds values for many of them at once."""
        failing: list[Obligation] = []
        left = list(obligations)
        while left:
            denied = [self._denied(one) for one in left]
            assumed = [*left[0].given, *self._pair.assumptions(left[0].place)]
            found = find_values(self._pair.terms, [denied[0], *assumed], denied[1:]) or {}
            failing += [one for one, fails in zip(left, denied, strict=True) if found.get(fails)]
            left = [one for one, fails in zip(left[1:], denied[1:], strict=True) if not found.get(fails)]
        return failing

    def candidate(self, obligation: Obligation) -> State | None:
        """A state of such values, on which it may not hold; None if none were found in time."""
        found = None if self.is_late else self._found(obligation)
        return None if found is None else self.state(found, obligation.place.events)

    def _found(self, obligation: Obligation) -> Mapping[Term, int] | None:
        assumed = [*obligation.given, *self._pair.assumptions(obligation.place)]
        return find_values(self._pair.terms, [self._denied(obligation), *assumed])

    def _nested(self, chain: Sequence[Obligation]) -> tuple[list[Term], Term]:
        """The assumptions at the first of the obligations, and a condition that can hold there where one of them fails:
        `d0 or (a1 and (d1 or ...))`, d being the claims denied, and a what may be assumed that was not assumed ahead.
        What holds at a place holds further on too."""
        steps: list[tuple[list[Term], Term]] = []
        assumed: set[Term] = set()
        for obligation in chain:
            new = [one for one in self._pair.assumptions(obligation.place) if one not in assumed]
            assumed.update(new)
            if self.is_late:
                raise _LateError
            steps.append((new, self._all([self._denied(obligation), *obligation.given])))
        fails = self._pair.terms.false
        for new, denied in reversed(steps[1:]):
            fails = self._all([self._pair.terms.either(denied, fails), *new])
        return steps[0][0], self._pair.terms.either(steps[0][1], fails)

    def _all(self, conditions: Iterable[Term]) -> Term:
        return reduce(self._pair.terms.both, conditions)

    def _any(self, conditions: Iterable[Term]) -> Term:
        return reduce(self._pair.terms.either, conditions)

    def _query_sliced(self, fails: Term, assumed: Sequence[Term], effort: int, *, exact: bool = False) -> Answer:
        """Can `fails` hold where all of `assumed` do? What shares no variables with it is left out at first."""
        sliced = self._rungs.slice([fails], assumed)
        answer = self.query(sliced, effort, exact=exact)
        if isinstance(answer, Sat) and len(sliced) < len(assumed) + 1:
            answer = self.query([fails, *assumed], effort, exact=exact)
        return answer

    def known(self, place: Place) -> Facts:
        """The facts at a place."""
        return self._rungs.known(place)

    def query(self, conditions: Sequence[Term], effort: int | None = None, *, exact: bool = False) -> Answer:
        """Can all of `conditions` hold at once? `effort` is the budget's if it is not given. `exact`: operations on
        floats are what they are."""
        effort = self._budget.effort if effort is None else effort
        answer = self._portfolio.check(conditions, effort, self._budget.left_s(), exact)
        self._cut_off |= isinstance(answer, GaveUp) and not answer.is_repeatable
        return answer

    @property
    def is_late(self) -> bool:
        """Is the time used up?"""
        return self._budget.left_s() <= 0

    @property
    def is_repeatable(self) -> bool:
        """Has no limit of time or memory had a part in the answers so far?"""
        return not self._cut_off and not self.is_late

    def state(self, model: Mapping[Term, int], stops_at: int | None) -> State:
        """The state that a model describes; what it does not mention is 0 or NULL."""
        from validator.search.model_states import state_of  # here: most proofs do without it

        return state_of(model, self._pair.before, self._pair.terms, stops_at)


def _key(obligation: Obligation) -> tuple[Place, Term, tuple[Term, ...]]:
    return obligation.place, obligation.claim, obligation.given


def _chains(obligations: Iterable[Obligation]) -> Iterator[list[Obligation]]:
    """The obligations in their order, cut where a place is not behind the one before it."""
    chain: list[Obligation] = []
    for obligation in obligations:
        if chain and not chain[-1].place.is_ahead_of(obligation.place):
            yield chain
            chain = []
        chain.append(obligation)
    yield chain
