"""Settles obligations, cheapest rung first: structure, intervals, then solving.

(Running comes in between, but over states, not obligations: see `validator.judge`.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from optimizer.ir.term import Term
from validator.cheap_rungs import CheapRungs
from validator.facts import Facts
from validator.model_states import state_of
from validator.obligations import Obligation, Pair, Place
from validator.solvers.answers import Answer, GaveUp, Sat, Unsat
from validator.solvers.portfolio import Portfolio
from validator.verdict import State


@dataclass(frozen=True, slots=True)
class Holds:
    """It holds on every input; `by` is the rung that showed it."""

    by: str


@dataclass(frozen=True, slots=True)
class Model:
    """It does not hold on this state, found by an exact query."""

    state: State


@dataclass(frozen=True, slots=True)
class NotSettled:
    reason: str


Answered = Holds | Model | NotSettled


@dataclass
class Budget:
    """Effort for each query in the solver's units, and the time at which the net closes."""

    effort: int
    deadline: float
    clock: Callable[[], float]

    def left_s(self) -> float:
        return self.deadline - self.clock()


class Discharger:
    """Settles the obligations of one pair. Z3 is imported only when a query is put."""

    def __init__(self, pair: Pair, budget: Budget) -> None:
        self._pair = pair
        self._budget = budget
        self._portfolio = Portfolio(pair.terms, pair.options.solver, pair.options.memory_mb)
        self._settled: dict[tuple[Place, Term, tuple[Term, ...]], Answered] = {}
        self._rungs = CheapRungs(pair, lambda: budget.left_s() <= 0)
        self._cut_off = False

    def without_solver(self, obligation: Obligation) -> str | None:
        """The rung that settles it without a solver, if one does."""
        return self._rungs.settle(obligation)

    def settle(self, obligation: Obligation) -> Answered:
        """Settle it, with the solver where nothing cheaper does."""
        cheap = self.without_solver(obligation)
        if cheap is not None:
            return Holds(cheap)
        key = (obligation.place, obligation.claim, obligation.given)
        if key not in self._settled:
            self._settled[key] = self._solve(obligation)
        return self._settled[key]

    def _solve(self, obligation: Obligation) -> Answered:
        claim = self._rungs.known(obligation.place, obligation.given).rebuild(obligation.claim)
        denied = self._pair.terms.not_(claim)
        everything = [*obligation.given, *self._pair.assumptions(obligation.place)]
        sliced = self._rungs.slice([denied], everything)
        answer = self.query(sliced)
        if isinstance(answer, Sat) and len(sliced) < len(everything) + 1:
            answer = self.query([denied, *everything])
        match answer:
            case Unsat():
                return Holds("solving")
            case Sat(model):
                return Model(self.state(model, obligation.place.events))
            case GaveUp(reason):
                return NotSettled(reason)

    def known(self, place: Place) -> Facts:
        """What is known at a place."""
        return self._rungs.known(place)

    def query(self, conditions: Sequence[Term]) -> Answer:
        """Can all of `conditions` hold at once?"""
        answer = self._portfolio.check(conditions, self._budget.effort, self._budget.left_s())
        self._cut_off |= isinstance(answer, GaveUp) and not answer.is_repeatable
        return answer

    @property
    def is_repeatable(self) -> bool:
        """Has no limit of time or memory had a part in the answers so far?"""
        return not self._cut_off and self._budget.left_s() > 0

    def state(self, model: Mapping[Term, int], stops_at: int | None) -> State:
        """The state that a model describes; what it does not mention is 0 or NULL."""
        return state_of(model, self._pair.before, self._pair.terms, stops_at)
