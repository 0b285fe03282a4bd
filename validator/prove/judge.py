"""Validates a pair of traces: encode, align, discharge, replay, verdict."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from optimizer.ir.check import inner_label
from optimizer.ir.faults import InputError
from optimizer.ir.faults import Unsupported as UnsupportedFault
from optimizer.ir.immutable import replace
from optimizer.ir.trace import Trace
from optimizer.ir.types.trace_layout import layout_of
from validator.processes.alarm import Late, alarm
from validator.prove.align import Alignment, given_origins, is_inferred, out_of_order
from validator.prove.discharge import Answered, Budget, Discharger, Holds, Model, NotSettled
from validator.prove.notes import (
    LONGEST_SAMPLED,
    assumptions,
    guards_elsewhere,
    lost_failargs,
    unlisted_origin,
    vacuity,
)
from validator.prove.obligations import Obligation
from validator.prove.pairing import encode_pair, inputs_differ
from validator.solvers.answers import Sat, Unsat
from validator.solvers.portfolio import Query
from validator.verdict import (
    Evidence,
    Failargs,
    Failed,
    Fault,
    Options,
    Proved,
    Refuted,
    Settled,
    Status,
    Unknown,
    Unsupported,
    Verdict,
)

if TYPE_CHECKING:
    from validator.search.counterexample import State
    from validator.search.running import Running

_NET_S, _NET_SHARE = 1.0, 1.1
"""The seconds, and the share of the pair's time, behind which work that does not look at the clock is interrupted."""

OUT_OF_TIME = "the time limit was reached (a larger one: --timeout)"

_EARLY = 2
"""The number of obligations of a long pair that solvers are asked about before those behind them are looked at."""

_UNSETTLED = 3
"""The number of obligations of an attempt that could not be settled after which no others are tried."""

_UNSETTLED_ATTEMPTS, _UNSETTLED_ATTEMPTS_LONG = 8, 2
"""The number of ways to match the guards that could not be settled after which the answer is `unknown`, and of long
traces."""


def validate(
    before: Trace,
    after: Trace,
    options: Options | None = None,
    *,
    examples: Sequence[State] = (),
    runs_to_end: bool = False,
    clock: Callable[[], float] = time.perf_counter,
    observe: Callable[[Query], None] | None = None,
    loop: tuple[Trace, Trace] | None = None,
) -> Verdict:
    """Is `after` a correct optimization of `before`?

    `examples` are states worth running first; they cannot change what is proved. `runs_to_end`: `before` is known to go
    to its end on one of them, as a generated trace does, so that no proof is vacuous. `observe` is told every query to
    a solver. Of a bridge, `loop` is what it jumps to: the loop as recorded, to whose start `before` jumps, and peeled,
    to whose inner label `after` does. In Python's main thread it ends a little behind the time limit, whatever takes so
    long. Never raises for traces that are well-formed.
    """

    def judge(recorded: Trace) -> Verdict:
        return _judged(recorded, after, options or Options(), examples, runs_to_end, clock, observe, loop)

    declared = (before.declarations, after.declarations)
    may_matter = all(one.string_identity and all(struct.identity for struct in one.structs) for one in declared)
    if may_matter or loop is not None or inner_label(after) is not None:  # a loop asks about straight pairs in turn
        return judge(before)
    from validator.prove.stand_ins import with_stand_ins  # here: few pairs declare that identity does not matter

    return with_stand_ins(before, after, judge)


def _judged(
    before: Trace,
    after: Trace,
    options: Options,
    examples: Sequence[State],
    runs_to_end: bool,
    clock: Callable[[], float],
    observe: Callable[[Query], None] | None,
    loop: tuple[Trace, Trace] | None,
) -> Verdict:
    """The verdict on the traces as they are written."""
    start = clock()
    try:
        mismatch = inputs_differ(before, after)
        if mismatch:
            return Failed(Fault.INPUT, mismatch)
        if loop is not None or inner_label(after) is not None:
            from validator.loops.judge import Judging, validate_loop  # here: it asks about straight pairs in turn
            from validator.loops.shape import bridge_to, loop_of

            judging = Judging(options, examples, clock, start, observe)
            shape = loop_of(before, after) if loop is None else bridge_to(loop, before, after)
            return _timed(validate_loop(shape, judging), clock() - start)
        with alarm(_NET_S + _NET_SHARE * options.timeout_s * (1 + options.audit)):
            judge = _Judge(before, after, options, examples, runs_to_end, clock, start, observe)
            verdict = judge.verdict()
            if options.audit and isinstance(verdict, Proved):
                from validator.prove.audit import audited

                verdict = audited(before, after, options, verdict, examples)
    except Late:
        return Unknown(Evidence(seconds=clock() - start, is_repeatable=False), OUT_OF_TIME)
    except UnsupportedFault as limit:
        return Unsupported(str(limit), limit.file)
    except InputError as mistake:
        return Failed(Fault.INPUT, str(mistake))
    return _timed(verdict, clock() - start, is_repeatable=judge.is_repeatable)


def _timed(verdict: Verdict, seconds: float, *, is_repeatable: bool = True) -> Verdict:
    if not isinstance(verdict, Proved | Refuted | Unknown):
        return verdict
    is_repeatable = is_repeatable and verdict.evidence.is_repeatable
    return replace(verdict, evidence=replace(verdict.evidence, seconds=seconds, is_repeatable=is_repeatable))


_FEW, _FEW_LONG = 2, 4
"""The number of samples that are run before a solver is asked, all others where that does not settle it: a small query
takes less time than they do. Of long traces no more than so many are run, and only where solvers do not settle it:
each takes longer than a query."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    """An obligation that a solver has to settle, its number, and the guard whose origin it hangs on, if it does."""

    number: int
    obligation: Obligation
    guard: int | None


@dataclass
class _Attempt:
    """The findings about one assignment of origins."""

    origins: list[int | None]
    settled: list[Settled] = field(default_factory=list)
    unsettled: list[tuple[Obligation, int | None, NotSettled]] = field(default_factory=list)
    refuting: State | None = None


class _Judge:
    """One validation: the state of the search for an assignment of origins that proves, or for proof that none does."""

    def __init__(
        self,
        before: Trace,
        after: Trace,
        options: Options,
        examples: Sequence[State],
        runs_to_end: bool,
        clock: Callable[[], float],
        start: float,
        observe: Callable[[Query], None] | None,
    ) -> None:
        self._options = options
        self._clock = clock
        self._before, self._after = before, after
        self._examples, self._runs_to_end = examples, runs_to_end
        self._given_origins = given_origins(before, after)
        self._check_order(self._given_origins)
        self._layout = layout_of(before, after)
        self._pair = encode_pair(before, after, self._layout, options)
        self._discharger = Discharger(self._pair, Budget(options.effort, start + options.timeout_s, clock), observe)
        self._alignment = Alignment(self._pair.before, self._pair.after, self._given_origins)
        self._check_order(self._alignment.choices)

    @cached_property
    def _running(self) -> Running:
        from validator.search.running import Running  # here: most proofs do without it

        pair, discharger = (self._before, self._after), self._discharger  # not this one, which has what is made here
        return Running(*pair, self._options, self._layout, self._alignment, self._examples, lambda: discharger.is_late)

    @property
    def is_repeatable(self) -> bool:
        """Has no limit of time or memory had a part in it?"""
        return self._discharger.is_repeatable

    def verdict(self) -> Verdict:
        unknown: _Attempt | None = None
        seen: set[tuple[int | None, ...]] = set()
        most = _UNSETTLED_ATTEMPTS_LONG if self._is_long else _UNSETTLED_ATTEMPTS
        while True:
            origins = self._alignment.best()
            if origins is None:
                return self._refuted()
            tried_enough = self._discharger.is_late or tuple(origins) in seen or len(seen) == most
            if unknown is not None and tried_enough:
                return self._unknown(unknown)
            attempt = self._attempt(origins)
            if attempt is None:
                continue
            if attempt.refuting is not None:
                failure = self._learn(attempt)
                if failure is not None:
                    return failure
                continue
            if not attempt.unsettled:
                return self._proved(attempt)
            seen.add(tuple(origins))
            unknown = unknown or attempt
            for _, j, _ in attempt.unsettled:
                for guard in range(len(origins)) if j is None else (j,):
                    origin = origins[guard]
                    if origin is not None:
                        self._alignment.discourage(guard, origin)

    def _check_order(self, choices: Sequence[Sequence[int]]) -> None:
        j = out_of_order(choices) if self._before.guards else None
        if j is not None:
            raise UnsupportedFault("guards reordered", self._after.guards[j].line)

    # One assignment.

    def _attempt(self, origins: list[int | None]) -> _Attempt | None:
        """Try to prove this assignment. None where running ruled it out."""
        attempt = _Attempt(origins)
        waiting: list[_Waiting] = []
        settled, without_solver = attempt.settled, self._discharger.without_solver
        early = _EARLY if self._is_long else 0
        for obligation, guard in self._pair.obligations(origins):
            by = without_solver(obligation)
            if by is not None:
                settled.append(Settled(obligation.name, Status.PROVED, by, 0.0))
            elif self._discharger.is_late:
                attempt.unsettled.append((obligation, guard, NotSettled("wall")))
                return attempt
            elif (answer := self._discharger.already(obligation)) is not None:
                settled.append(self._told(attempt, obligation, guard, answer, 0.0))
            elif not waiting and not self._is_long and self._running.rules_out(_FEW):
                return None
            elif not waiting and (state := self._candidate([obligation], origins)) is not None:
                attempt.refuting = state
            elif early and (answer := self._discharger.early(obligation)) is not None:
                early -= 1
                settled.append(self._told(attempt, obligation, guard, answer, 0.0))
            else:
                early = 0
                waiting.append(_Waiting(len(settled), obligation, guard))
                settled.append(Settled(obligation.name, Status.SKIPPED, "", 0.0))
            if attempt.refuting is not None:
                return attempt
        return attempt if not waiting or self._settle_together(attempt, waiting) else None

    @property
    def _is_long(self) -> bool:
        return len(self._before.ops) > LONGEST_SAMPLED

    def _settle_together(self, attempt: _Attempt, waiting: Sequence[_Waiting]) -> bool:
        """Settle what is left, all at once if that is easy; False where running ruled the assignment out."""
        start = self._clock()
        answer = self._discharger.together([one.obligation for one in waiting])
        seconds = (self._clock() - start) / len(waiting)
        if isinstance(answer, Unsat):
            for one in waiting:
                holds = Holds("solving", answer.by)
                attempt.settled[one.number] = self._told(attempt, one.obligation, one.guard, holds, seconds)
            return True
        if isinstance(answer, Sat):
            attempt.refuting = self._replayed(answer, attempt, waiting)
        if attempt.refuting is None:
            attempt.refuting = self._candidate([one.obligation for one in waiting[1:]], attempt.origins)
        if attempt.refuting is not None:
            return True
        if not self._is_long and self._running.rules_out(None):
            return False
        is_hard = self._is_long and self._discharger.early(waiting[0].obligation) is None
        if is_hard and self._running.rules_out(_FEW_LONG):
            return False
        for one in waiting:
            if attempt.refuting is None and len(attempt.unsettled) < _UNSETTLED:
                start = self._clock()
                answered = self._discharger.settle(one.obligation)
                seconds = self._clock() - start
                attempt.settled[one.number] = self._told(attempt, one.obligation, one.guard, answered, seconds)
        is_open = attempt.unsettled and attempt.refuting is None and not is_hard
        return not (self._is_long and is_open and self._running.rules_out(_FEW_LONG))

    def _candidate(self, obligations: Sequence[Obligation], origins: list[int | None]) -> State | None:
        """A state on which one of these does not hold, found by short searches: each takes less time than a query."""
        states = filter(None, map(self._discharger.candidate, obligations))
        return next((state for state in states if self._running.differs(state, origins)), None)

    def _replayed(self, answer: Sat, attempt: _Attempt, waiting: Sequence[_Waiting]) -> State | None:
        """The state of the model, with a world that stops where the two traces differ."""
        for stops_at in dict.fromkeys(one.obligation.place.events for one in waiting):
            state = self._discharger.state(answer.model, stops_at)
            if self._running.differs(state, attempt.origins):
                return state
        return None

    def _told(
        self, attempt: _Attempt, obligation: Obligation, guard: int | None, answer: Answered, seconds: float
    ) -> Settled:
        """The record of how the obligation was settled; what the attempt has to know of that is put there."""
        name = obligation.name
        match self._exactly(obligation, answer, attempt.origins) if isinstance(answer, Model) else answer:
            case Holds(by, solver):
                return Settled(name, Status.PROVED, by, seconds, solver)
            case Model(state):
                attempt.refuting = state
                return Settled(name, Status.REFUTED, "solving", seconds)
            case NotSettled() as not_settled:
                attempt.unsettled.append((obligation, guard, not_settled))
                return Settled(name, Status.UNKNOWN, "solving", seconds)

    def _exactly(self, obligation: Obligation, answer: Model, origins: list[int | None]) -> Answered:
        """The model, or, where that may be due to terms that mean less than the language does, what an exact query says
        instead."""
        if not self._pair.is_abstract or self._running.differs(answer.state, origins):
            return answer
        exact = self._discharger.settle_exactly(obligation)
        if exact is None or (isinstance(exact, Model) and not self._running.differs(exact.state, origins)):
            return NotSettled("abstraction")
        return exact

    def _learn(self, attempt: _Attempt) -> Failed | None:
        """Take the state of the model of an exact query to heart. One that does not replay is a fault of ours."""
        assert attempt.refuting is not None
        if self._running.learn(attempt.refuting, attempt.origins):
            return None
        name = next(one.name for one in attempt.settled if one.status is Status.REFUTED)
        return Failed(
            Fault.TOOL,
            f"{name}: the solver's counterexample does not replay in the interpreter",
            f"state: {attempt.refuting}\norigins: {attempt.origins}",
        )

    # Verdicts.

    def _evidence(self, attempt: _Attempt | None, vacuous: tuple[str, ...] | None = ()) -> Evidence:
        return Evidence(
            vacuous=vacuous,
            assumes=assumptions(self._pair),
            origins=tuple(attempt.origins) if attempt else (),
            inferred=is_inferred(self._after, self._given_origins),
            obligations=tuple(attempt.settled) if attempt else (),
        )

    def _refuted(self) -> Verdict:
        first, *others = self._running.counterexamples
        settled = Settled(first.obligation, Status.REFUTED, first.by, 0.0)
        evidence = replace(self._evidence(None), origins=first.origins, obligations=(settled,))
        return Refuted(evidence, first, tuple(others))

    def _unknown(self, attempt: _Attempt) -> Verdict:
        obligation, _, not_settled = attempt.unsettled[0]
        from validator.tell.why_unknown import explain, why_unknown

        reason = f"{obligation.name} was not settled: {explain(not_settled.reason)}"
        return Unknown(self._evidence(attempt), reason, why_unknown(self._pair, obligation, not_settled))

    def _proved(self, attempt: _Attempt) -> Verdict:
        lost = lost_failargs(self._pair, attempt.origins)
        if lost is not None:
            return Unknown(self._evidence(attempt), lost)
        if not self._options.notes and self._options.failargs is Failargs.IGNORE:
            return Proved(self._evidence(attempt, None))
        pair, origins, reaches_end = self._pair, attempt.origins, lambda *places: self._running.reaches_end(*places)
        reasons = () if self._runs_to_end else vacuity(pair, self._discharger, reaches_end)
        inferred = [j for j, given in enumerate(self._given_origins) if len(given) > 1]
        early, stricter = guards_elsewhere(pair, self._discharger, origins, inferred)
        evidence = replace(self._evidence(attempt, reasons), early=tuple(early), stricter=tuple(stricter))
        unlisted = unlisted_origin(pair, origins, [j for j in inferred if j in (*early, *stricter)])
        if unlisted is not None:
            return Unknown(replace(evidence, vacuous=()), unlisted)
        if self._options.certify or self._options.audit:
            from validator.prove.certify import certify  # here: most proofs are not handed on

            evidence = replace(evidence, certificate=certify(pair, origins))
        return Proved(evidence)
