"""Does a candidate show the failure? Most are judged by running both traces on the state that showed it before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fuzz.campaign.examine import Find, FindKind, Judge, Made, Optimizer, examine, malformed, validating
from fuzz.draw.generator import GeneratedTrace
from fuzz.edits.walk import numbered, with_origins, without_origins
from fuzz.reduce.alignment import aligned
from fuzz.reduce.candidate import Candidate, may_be_tried
from fuzz.reduce.cause import is_cause, isolated
from fuzz.reduce.failure import Failure, failure_of
from fuzz.reduce.nature import Outline
from optimizer.ir.check import inner_label
from optimizer.ir.faults import InputError
from optimizer.ir.faults import Unsupported as NotModelled
from optimizer.ir.immutable import replace
from optimizer.ir.trace import Trace
from optimizer.ir.types.trace_layout import layout_of
from validator.loops.judge import ITERATIONS, of_loop
from validator.loops.proofs import proofs, unrolled
from validator.loops.shape import loop_of
from validator.prove.align import Alignment, given_origins
from validator.prove.judge import validate
from validator.prove.pairing import encode_pair
from validator.search.counterexample import State
from validator.search.replay import Replay
from validator.verdict import Evidence, Options, Proved, Refuted, Settled, Status, Unknown, Verdict


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of trials on candidates. `optimizer` is None for a pair whose optimizer is not known. `innocent` is
    the optimizer without what is guilty of the failure, where that is known: it does not show it. `change` is what is
    left of the change that shows it, where runs may differ in another thing as long as it is that or a part of it."""

    optimizer: Optimizer | None
    judge: Judge
    options: Options
    innocent: Optimizer | None = None
    change: Outline | None = None


_EFFORT, _PATIENCE_S = 1_000_000, 1.0
"""The budget of the validator for one candidate."""


class Trials:
    """Tries candidates, each at most twice: by running, and by the validator."""

    def __init__(self, subject: Subject, wanted: Failure) -> None:
        self._subject = subject
        self._wanted = wanted
        self._asks = wanted.is_difference
        self._failed: set[tuple[str, bool]] = set()
        self._right: dict[str, bool] = {}
        self.tried = 0

    def shown(self, candidate: Candidate, ask: bool) -> tuple[Candidate, Find] | None:
        """The find that the candidate is, and the candidate with the state that shows it; None where it is not the same
        failure. With `ask` the validator may have to tell."""
        ask = ask and self._asks
        if self.is_known(candidate, ask):
            return None
        found = self._shown(candidate, ask) if may_be_tried(candidate) else None
        self.note(candidate, ask, found is not None)
        return found

    def is_known(self, candidate: Candidate, ask: bool) -> bool:
        """Was it tried, in vain?"""
        return (candidate.text, ask and self._asks) in self._failed

    def note(self, candidate: Candidate, ask: bool, is_shown: bool) -> None:
        """Remember what came of it."""
        self.tried += 1
        if not is_shown:
            self._failed.add((candidate.text, ask and self._asks))

    def _shown(self, candidate: Candidate, ask: bool) -> tuple[Candidate, Find] | None:
        find = self._find(candidate, self._subject.optimizer, ask)
        if find is None:
            return None
        if isinstance(find.verdict, Refuted):
            candidate = replace(candidate, state=find.verdict.counterexample.state)
        if not self._is_wanted(candidate, find):
            return None
        cause = candidate.cause
        return (candidate, find) if cause is None or is_cause(cause, candidate, self.is_right) else None

    def is_right(self, candidate: Candidate) -> bool:
        """Is the pair proved, with a small effort?"""
        assert candidate.after is not None
        if candidate.text not in self._right:
            is_right = may_be_tried(candidate) and malformed(candidate.before, candidate.after) is None
            if is_right and refuted_by(candidate.before, candidate.after, candidate.state, self._subject.options):
                is_right = False
            self._right[candidate.text] = is_right and isinstance(
                validate(candidate.before, candidate.after, self._small), Proved
            )
        return self._right[candidate.text]

    @property
    def _small(self) -> Options:
        return replace(self._subject.options, effort=_EFFORT, timeout_s=_PATIENCE_S)

    def _is_wanted(self, candidate: Candidate, find: Find) -> bool:
        """Is it the same failure? Runs may differ in another thing, if nothing is wrong without what is guilty, or if
        nothing else is left of the change."""
        wanted, innocent, failure = self._wanted, self._subject.innocent, failure_of(find)
        if self._subject.change is not None:
            left = change_left(find, self._subject)
            return left is not None and left.is_part_of(self._subject.change)
        if innocent is None:
            return failure == wanted
        if failure == wanted:
            return not self.shows(candidate, innocent, False)
        return failure.is_difference and wanted.is_difference and self._find(candidate, innocent, False) is None

    def shows(self, candidate: Candidate, optimizer: Optimizer, ask: bool) -> bool:
        """Does another optimizer show the failure on the candidate?"""
        find = self._find(candidate, optimizer, ask)
        return find is not None and failure_of(find) == self._wanted

    def _find(self, candidate: Candidate, optimizer: Optimizer | None, ask: bool) -> Find | None:
        """The find of a trial with an optimizer."""
        made = Made(0, GeneratedTrace(candidate.before, candidate.state, {}))
        try:
            record = examine(made, given_or(candidate, optimizer), self._judge(ask))
        except MemoryError:
            return None
        return record if isinstance(record, Find) else None

    def _judge(self, ask: bool) -> Judge:
        subject, by_validating = self._subject, validating(self._small)

        def by_both(before: Trace, after: Trace, state: State) -> Verdict:
            return refuted_by(before, after, state, subject.options) or by_validating(before, after, state)

        match self._wanted.kind:
            case FindKind.FAULT | FindKind.DISAGREEMENT:
                return subject.judge
            case FindKind.MALFORMED:
                return by_validating
            case _:
                return by_both if ask else by_running(subject.options)


def by_running(options: Options) -> Judge:
    """The judge that only runs both traces on the state."""
    return lambda before, after, state: refuted_by(before, after, state, options) or _NOT_ASKED


_NOT_ASKED = Unknown(Evidence(), "the validator was not asked")


def given_or(candidate: Candidate, optimizer: Optimizer | None) -> Optimizer:
    """The maker of the optimized trace: the one that is there, if no optimizer is known."""
    return optimizer or (lambda _: candidate.after)


def refuted_by(before: Trace, after: Trace, state: State, options: Options) -> Refuted | None:
    """The verdict that follows from running both traces on one state, if one does: whatever the origin is of the guard
    at which the optimized trace leaves. It is told with the origins that the validator takes to be likely. Of a peeled
    loop a few iterations are run, if it is one that can be proved. Its guards may stand for those of later iterations,
    too: a preamble or a body may be several."""
    if inner_label(after) is None:
        return _refuted_straight(before, after, state, options)
    try:
        loop = loop_of(before, after)
        _ = [*proofs(loop, options)]  # raises what the validator would
    except (NotModelled, InputError):
        return None
    for iterations in ITERATIONS:
        found = _refuted_straight(*unrolled(loop, iterations), state, options, len(loop.recorded.guards))
        if found is not None:
            return of_loop(found, "loop", iterations)
    return None


def _refuted_straight(before: Trace, after: Trace, state: State, options: Options, once: int = 0) -> Refuted | None:
    """The same of straight traces; of unrolled loops, `once` is the number of guards of an iteration."""
    try:
        replay = Replay(before, after, options, layout_of(before, after))
        runs = replay.run(state)
        origins = given_origins(before, after)
        if runs is None:
            return None
        guard = replay.left_at(runs)
        named, end = () if guard is None else origins[guard], len(before.guards)
        choices: list[int | None] = [k for first in named for k in range(first, end, once or end)]
        if not all(replay.difference(runs, origin) for origin in choices or [None]):
            return None
        found = replay.counterexample(runs.state, likely_origins(before, after, options))
    except (NotModelled, InputError, ValueError):
        return None
    if found is None:
        return None
    settled = Settled(found.obligation, Status.REFUTED, found.by, 0.0)
    return Refuted(Evidence(origins=found.origins, obligations=(settled,)), found)


def likely_origins(before: Trace, after: Trace, options: Options) -> Sequence[int | None]:
    """The origins that the guards have or, where they do not say so, that the validator tries first."""
    given = given_origins(before, after)
    if all(len(choices) <= 1 for choices in given):
        return [choices[0] if choices else None for choices in given]
    pair = encode_pair(before, after, layout_of(before, after), options)
    likely = Alignment(pair.before, pair.after, given).best()
    return likely or [choices[0] for choices in given]


Still = Callable[[State], bool]


def still_shows(candidate: Candidate, after: Trace, wanted: Failure, options: Options) -> Still:
    """Does a state show the failure on the two traces?"""

    def still(state: State) -> bool:
        found = refuted_by(candidate.before, after, state, options)
        if found is None:
            return False
        made = Made(0, GeneratedTrace(candidate.before, state, {}))
        return failure_of(Find(0, FindKind.REFUTED, made, after, "", found)) == wanted

    return still


def candidate_of(find: Find, subject: Subject) -> Candidate:
    """The candidate that a find is reduced from: its state is that of the counterexample where there is one."""
    before = find.generated.trace
    if subject.optimizer is not None:
        return Candidate(numbered(before), None, find.state)
    assert isinstance(find.after, Trace)
    return Candidate(*aligned(*_with_origins(before, find.after, find.verdict)), find.state)


def _with_origins(before: Trace, after: Trace, verdict: Verdict | None) -> tuple[Trace, Trace]:
    """Both traces, where the guards of the optimized one name the origins under which the pair is refuted. Those of a
    peeled loop are origins of its iterations, and stay away."""
    if not isinstance(verdict, Refuted) or inner_label(after) is not None:
        return before, after
    return without_origins(before), with_origins(after, verdict.counterexample.origins)


def change_left(find: Find, subject: Subject) -> Outline | None:
    """The rest of the change from the trace of a find to what the optimizer made of it, without what it has made right;
    None where there are no two traces that differ."""
    failure = failure_of(find)
    if not failure.is_difference or not isinstance(find.after, Trace):
        return None
    subject = replace(subject, optimizer=None, innocent=None, change=None)
    trials = Trials(subject, failure)

    def shown(candidate: Candidate) -> Candidate | None:
        found = trials.shown(candidate, ask=False)
        return None if found is None else found[0]

    change = isolated(candidate_of(find, subject), shown, trials.is_right).change
    return None if change is None else change.outline
