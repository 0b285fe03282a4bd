"""A second opinion on a proof: a solver proves it again, over terms as they are written.

What it checks is all that a proof without a solver rests on: the algebra of terms, the facts, the intervals and the
lemmas, and also that slicing left out nothing that matters. The pair is encoded again over plain terms, and each
obligation under the same origins goes to the solver with everything that may be assumed at its place. Obligations that
the algebra made trivial, so that the proof does not list them, are among them. What both share is not checked: the
operation table, the assumptions of each place, the decisions on references, and the solver.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from optimizer.ir.immutable import replace
from optimizer.ir.term import Term
from optimizer.ir.trace import Trace
from optimizer.ir.trace_layout import layout_of
from validator.counterexample import State
from validator.discharge import Budget, Discharger, Holds, Model, NotSettled
from validator.obligations import Obligation, Pair
from validator.pairing import encode_pair
from validator.replay import Replay
from validator.solvers.answers import Unsat
from validator.verdict import Audit, Failed, Fault, Options, Proved, Rungs

_FIRST_EFFORT = 1_000_000
"""Of a query for several obligations, in Z3's rlimit units: where it does not do, they are asked in halves."""

_TOGETHER = 16
"""So many obligations go into one query at first."""


def audited(
    before: Trace, after: Trace, options: Options, proof: Proved, clock: Callable[[], float]
) -> Proved | Failed:
    """The proof with what a solver says of it; Failed where the solver has a counterexample.

    The time limit of the pair counts anew.
    """
    layout, plain = layout_of(before, after), replace(options, rungs=Rungs.PLAIN)
    pair = encode_pair(before, after, layout, plain)
    budget = Budget(options.effort, clock() + options.timeout_s, clock)
    discharger = Discharger(pair, budget)
    auditor = _Auditor(pair, discharger, Replay(before, after, plain, layout), proof.evidence.origins)
    failure = auditor.run(min(_FIRST_EFFORT, options.effort))
    if failure is not None:
        return failure
    audit = Audit(auditor.agreed, tuple(auditor.unsettled))
    return Proved(replace(proof.evidence, audit=audit, is_repeatable=discharger.is_repeatable))


class _Auditor:
    def __init__(self, pair: Pair, discharger: Discharger, replay: Replay, origins: Sequence[int | None]) -> None:
        self._pair = pair
        self._discharger = discharger
        self._replay = replay
        self._origins = origins
        self.agreed = 0
        self.unsettled: list[str] = []

    def run(self, effort: int) -> Failed | None:
        """Goes through all obligations; the first disagreement ends it. `effort` is that of queries for several."""
        obligations = [obligation for obligation, _ in self._pair.obligations(self._origins)]
        for start in range(0, len(obligations), _TOGETHER):
            failure = self._settle(obligations[start : start + _TOGETHER], effort)
            if failure is not None:
                return failure
        return None

    def _settle(self, obligations: Sequence[Obligation], effort: int) -> Failed | None:
        """All at once, or in halves."""
        if len(obligations) == 1:
            return self._settle_one(obligations[0])
        if isinstance(self._discharger.query([self._any_fails(obligations)], effort), Unsat):
            self.agreed += len(obligations)
            return None
        middle = len(obligations) // 2
        return self._settle(obligations[:middle], effort) or self._settle(obligations[middle:], effort)

    def _any_fails(self, obligations: Sequence[Obligation]) -> Term:
        """The condition under which one of them does not hold where all does that may be assumed at its place."""
        terms, anywhere = self._pair.terms, self._pair.terms.false
        for place, group in groupby(obligations, lambda obligation: obligation.place):
            here = terms.false
            for obligation in group:
                denied = terms.all_of((*obligation.given, terms.not_(obligation.claim)))
                here = terms.either(here, denied)
            anywhere = terms.either(anywhere, terms.all_of((*self._pair.assumptions(place), here)))
        return anywhere

    def _settle_one(self, obligation: Obligation) -> Failed | None:
        match self._discharger.settle(obligation):
            case Holds():
                self.agreed += 1
            case NotSettled():
                self.unsettled.append(obligation.name)
            case Model(state):
                return self._judge(obligation, state)
        return None

    def _judge(self, obligation: Obligation, state: State) -> Failed | None:
        """A model against a proof. Where terms may mean less than the language does, it counts if it replays."""
        found = self._replay.counterexample(state, self._origins)
        if found is None and self._pair.is_abstract:
            exact = self._discharger.settle_exactly(obligation)
            if isinstance(exact, Holds):
                self.agreed += 1
                return None
            found = self._replay.counterexample(exact.state, self._origins) if isinstance(exact, Model) else None
        if found is None and self._pair.is_abstract:
            self.unsettled.append(obligation.name)
            return None
        shown = "its counterexample replays" if found else "its counterexample does not replay"
        reason = f"{obligation.name}: proved, but not by a solver over plain terms; {shown}"
        return Failed(
            Fault.TOOL, reason, f"state: {state}\norigins: {self._origins}\ncounterexample: {found}\n{reason}"
        )
