"""Settles obligations, cheapest rung first: structure, intervals, then solving.

(Running comes in between, but over states, not obligations: see `validator.judge`.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from optimizer.ir.term import Term, cone
from validator.facts import Facts
from validator.intervals import Intervals
from validator.model_states import state_of
from validator.object_kinds import LEAVES
from validator.obligations import Obligation, Pair, Place
from validator.verdict import State

if TYPE_CHECKING:
    from validator.z3_solver import Answer, Solver


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


class KnownPlaces:
    """The facts at places. Obligations come in the order of the traces, so that those at one place grow out of those
    at the one before; places behind all events (`events` is None) are a sequence of their own."""

    def __init__(self, pair: Pair) -> None:
        self._pair = pair
        self._latest: dict[bool, tuple[Place, int, Facts]] = {}
        self._given: tuple[Place, tuple[Term, ...], Facts] | None = None

    def at(self, place: Place, given: tuple[Term, ...]) -> Facts:
        """What is known at `place` where all of `given` hold."""
        if not given:
            return self._at(place)
        if self._given is None or self._given[:2] != (place, given):
            self._given = (place, given, self._at(place).extended(given))
        return self._given[2]

    def _at(self, place: Place) -> Facts:
        start = Place(0, 0, None if place.events is None else 0)
        latest, defined, facts = self._latest.get(place.events is None, (start, 0, Facts(self._pair.terms)))
        if latest.before > place.before or latest.after > place.after or (latest.events or 0) > (place.events or 0):
            latest, defined, facts = start, 0, Facts(self._pair.terms)
        before, after = self._pair.before, self._pair.after
        for known in before.defined[defined:]:
            if known.guards > place.before or (place.events is not None and known.events > place.events):
                break
            facts.assume(known.condition)
            defined += 1
        for guard in (*before.guards[latest.before : place.before], *after.guards[latest.after : place.after]):
            facts.assume(guard.passes)
        self._latest[place.events is None] = (place, defined, facts)
        return facts


class Discharger:
    """Settles the obligations of one pair. Z3 is imported only when a query is put."""

    def __init__(self, pair: Pair, budget: Budget) -> None:
        self._pair = pair
        self._budget = budget
        self._solver: Solver | None = None
        self._settled: dict[tuple[Place, Term, tuple[Term, ...]], Answered] = {}
        self._variables: dict[Term, frozenset[Term]] = {}
        self._first_before = _first_uses([guard.passes for guard in pair.before.guards])
        self._known = KnownPlaces(pair)
        self._cheap: dict[tuple[Place, Term, tuple[Term, ...]], str | None] = {}
        self._first_after = _first_uses([guard.passes for guard in pair.after.guards])
        self._first_defined = {known.condition: known for known in reversed(pair.before.defined)}

    def without_solver(self, obligation: Obligation) -> str | None:
        """The rung that settles it without a solver, if one does. `structure`: both sides build the same term under
        what is known there, or the claim is among what may be assumed. `intervals`: the claim holds on all values that
        are left."""
        terms, place, claim = self._pair.terms, obligation.place, obligation.claim
        if claim is terms.true or claim in obligation.given or self._is_known(claim, place):
            return "structure"
        key = (place, claim, obligation.given)
        if key not in self._cheap:
            self._cheap[key] = self._by_facts(obligation)
        return self._cheap[key]

    def _by_facts(self, obligation: Obligation) -> str | None:
        if self._budget.left_s() <= 0:
            return None
        facts = self._known.at(obligation.place, obligation.given)
        claim = facts.rebuild(obligation.claim)
        if facts.contradiction or claim is self._pair.terms.true:
            return "structure"
        relevant = self._slice([claim], facts.learned)[1:]
        return "intervals" if Intervals(self._pair.terms.width, relevant).truth(claim) else None

    def _is_known(self, condition: Term, place: Place) -> bool:
        """Did a guard that has passed say so, or an operation that is defined there?"""
        known = self._first_defined.get(condition)
        if (
            known is not None
            and known.guards <= place.before
            and (place.events is None or known.events <= place.events)
        ):
            return True
        return (
            self._first_before.get(condition, place.before) < place.before
            or self._first_after.get(condition, place.after) < place.after
        )

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
        from validator.z3_solver import GaveUp, Sat, Unsat

        claim = self._known.at(obligation.place, obligation.given).rebuild(obligation.claim)
        denied = self._pair.terms.not_(claim)
        everything = [*obligation.given, *self._pair.assumptions(obligation.place)]
        sliced = self._slice([denied], everything)
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
        return self._known.at(place, ())

    def query(self, conditions: Sequence[Term]) -> Answer:
        """Can all of `conditions` hold at once?"""
        from validator.z3_solver import GaveUp, Solver

        if self._solver is None:
            self._solver = Solver(self._pair.terms)
        left_s = self._budget.left_s()
        if left_s <= 0:
            return GaveUp("timeout")
        return self._solver.check(conditions, self._budget.effort, left_s)

    def state(self, model: Mapping[Term, int], stops_at: int | None) -> State:
        """The state that a model describes; what it does not mention is 0 or NULL."""
        return state_of(model, self._pair.before, self._pair.terms, stops_at)

    def _slice(self, start: Sequence[Term], conditions: Sequence[Term]) -> list[Term]:
        """`start` and those of `conditions` that it shares variables with, directly or through others."""
        taken, reached = list(start), set().union(*map(self._variables_of, start))
        waiting = list(conditions)
        while True:
            near = [c for c in waiting if not self._variables_of(c) or self._variables_of(c) & reached]
            if not near:
                return taken
            taken += near
            reached = reached.union(*map(self._variables_of, near))
            chosen = set(near)
            waiting = [c for c in waiting if c not in chosen]

    def _variables_of(self, term: Term) -> frozenset[Term]:
        known = self._variables.get(term)
        if known is None:
            known = frozenset(t for t in cone([term]) if t.kind in LEAVES)
            self._variables[term] = known
        return known


def _first_uses(conditions: Sequence[Term]) -> dict[Term, int]:
    first: dict[Term, int] = {}
    for number, condition in enumerate(conditions):
        first.setdefault(condition, number)
    return first
