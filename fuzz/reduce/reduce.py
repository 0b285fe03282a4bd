"""Makes the smallest trace that still shows the same failure.

Changes are tried in order, coarse ones first, and kept where the candidate costs less and shows the failure: after
Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input" (delta debugging), and the passes of
Hypothesis's shrinker. All is done by running first; then again, and the validator is asked about what runs do not show.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from fuzz.campaign.examine import Find
from fuzz.draw.generator import GeneratedTrace
from fuzz.edits.walk import without_origins
from fuzz.reduce.alignment import with_body_aligned
from fuzz.reduce.candidate import Candidate, with_plain_names, with_told_state
from fuzz.reduce.cause import cause_of, isolated
from fuzz.reduce.change import without_unused
from fuzz.reduce.declared import drop_declarations
from fuzz.reduce.failure import Failure, failure_of
from fuzz.reduce.operands import forward, simplify_constants, simplify_operands
from fuzz.reduce.pool import Pool, trying
from fuzz.reduce.structure import Changes, cut_tail, drop_handed_over, drop_inputs, drop_operations, made, simplify_rows
from fuzz.reduce.trials import Subject, candidate_of, still_shows
from optimizer.ir.check import inner_label
from optimizer.ir.immutable import replace
from optimizer.ir.trace import Trace, exit_of
from validator.search.counterexample import State
from validator.search.simplify import simplify_state
from validator.verdict import Refuted

_ROUNDS: tuple[tuple[Changes, ...], ...] = (
    (cut_tail, drop_operations, drop_handed_over),
    (forward, drop_operations, drop_handed_over, drop_inputs, drop_declarations),
    (simplify_operands, simplify_rows, simplify_constants),
)
"""The groups of changes: each is repeated until it changes nothing; then comes the next one, and where that changes
something, all begins again."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a reduction."""

    operations: int
    tried: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Reduced:
    """The find that is left; its trace and its state stand in `find.made`. `failure` is what it shows, as the find that
    it was made from.

    `repeated` is False where that find could not be repeated at all: then it is still what it was. `smaller`: something
    could be left out or made simpler. `complete` says that no change that is known makes it smaller, `interrupted` that
    Ctrl-C was pressed.
    """

    find: Find
    failure: Failure
    tried: int
    seconds: float
    repeated: bool = True
    smaller: bool = True
    complete: bool = True
    interrupted: bool = False

    @property
    def before(self) -> Trace:
        return self.find.generated.trace

    @property
    def state(self) -> State:
        return self.find.generated.state


def reduce_find(
    find: Find,
    subject: Subject,
    budget_s: float,
    *,
    jobs: int = 1,
    observe: Callable[[Progress], None] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Reduced:
    """Reduce what a campaign found, in about so many seconds. Ctrl-C ends it early, with the best so far.

    With more `jobs`, as many processes try candidates ahead; what comes out is the same.
    """
    interrupted = False
    with trying(subject, failure_of(find), jobs) as pool:
        search = _Search(find, subject, pool, budget_s, observe, clock)
        try:
            search.run()
        except KeyboardInterrupt:
            interrupted = True
    return search.reduced(interrupted)


class _TimeIsUp(Exception):
    pass


class _Search:
    """The best candidate so far, and the find that it is."""

    def __init__(
        self,
        find: Find,
        subject: Subject,
        trials: Pool,
        budget_s: float,
        observe: Callable[[Progress], None] | None,
        clock: Callable[[], float],
    ) -> None:
        self._subject = subject
        self._original = find
        self._failure = failure_of(find)
        self._trials = trials
        self._clock, self._start, self._budget_s = clock, clock(), budget_s
        self._observe = observe
        self._best: tuple[Candidate, Find] | None = None
        self._is_smaller = self._complete = False

    def run(self) -> None:
        start = candidate_of(self._original, self._subject)
        if start.after is not None:
            start = start.with_traces((start.before, with_body_aligned(*start.traces)))
        self._best = self._trials.shown(start, ask=False) or self._trials.shown(start, ask=True)
        if self._best is None:
            return
        try:
            self._isolate()
            for ask in (False, True):
                self._to_fixpoint(ask)
            self._complete = True
        except _TimeIsUp:
            pass
        for candidate in self._last_steps():
            if candidate is not None:
                self._best = self._trials.shown(candidate, ask=True) or self._best

    # The search.

    def _isolate(self) -> None:
        """Undo what the failure does not need of the change; what is left of it, and makes it wrong, is to stay. Of a
        peeled loop all of the body is change."""
        after = self.best.after
        if after is None or inner_label(after) is not None or not self._failure.is_difference:
            return

        def shown(candidate: Candidate) -> Candidate | None:
            return None if self._try([candidate], ask=False) is None else self.best

        def is_right(candidate: Candidate) -> bool:
            self._look_at_the_clock()
            return self._trials.is_right(candidate)

        isolated(self.best, shown, is_right)
        assert self._best is not None
        candidate, find = self._best
        self._best = replace(candidate, cause=cause_of(candidate, is_right)), find

    def _to_fixpoint(self, ask: bool) -> None:
        group = 0
        while group < len(_ROUNDS):
            changed = False
            for changes in _ROUNDS[group]:
                changed |= self._apply(changes, ask)
            group = (0 if group else group) if changed else group + 1

    def _apply(self, changes: Changes, ask: bool) -> bool:
        """Try these changes one after the other; has one of them been kept?"""
        kept = False
        waiting = list(changes(self.best))
        while waiting:
            candidates: list[tuple[Candidate, int]] = []  # each with the number of changes that it and those ahead are
            taken = 0
            while taken < len(waiting) and len(candidates) < self._trials.jobs:
                candidate = made(waiting[taken], self.best)
                taken += 1
                if candidate is not None and candidate.cost < self.best.cost:
                    candidates.append((candidate, taken))
            number = self._try([candidate for candidate, _ in candidates], ask)
            if number is not None:
                kept, taken = True, candidates[number][1]
            waiting = waiting[taken:]
        return kept

    def _try(self, candidates: Sequence[Candidate], ask: bool) -> int | None:
        """Try these; the number of the first one that shows the failure, which is the best now."""
        self._look_at_the_clock()
        answer = self._trials.first_shown(candidates, ask)
        if answer is not None:
            self._best, self._is_smaller = answer[1], True
        if self._observe is not None:
            seconds = self._clock() - self._start
            self._observe(Progress(len(self.best.before.ops), self._trials.tried, seconds))
        return None if answer is None else answer[0]

    def _look_at_the_clock(self) -> None:
        if self._clock() - self._start > self._budget_s:
            raise _TimeIsUp

    @property
    def best(self) -> Candidate:
        assert self._best is not None
        return self._best[0]

    # The end.

    def _last_steps(self) -> Iterator[Candidate | None]:
        """No more of the state than is needed, plain names, then a simple state."""
        yield self._without_origins()
        yield self._without_unused()
        yield with_told_state(self.best)
        yield with_plain_names(self.best)
        assert self._best is not None
        candidate, find = self._best
        if isinstance(find.verdict, Refuted) and isinstance(find.after, Trace):
            still = still_shows(candidate, find.after, failure_of(find), self._subject.options)
            yield replace(candidate, state=simplify_state(candidate.state, candidate.before, still))

    def _without_unused(self) -> Candidate | None:
        """The pair without what the optimized trace only computes for what the change has put something else in place
        of."""
        change, after = self.best.change, self.best.after
        if change is None or after is None:
            return None
        kept = without_unused(after.ops, {op.line for op in change.replaced})
        return replace(self.best, after=replace(after, ops=kept), cause=None)

    def _without_origins(self) -> Candidate | None:
        """The pair without origins, if the find that is reduced has none."""
        after, original = self.best.after, self._original.after
        if after is None or not isinstance(original, Trace) or not original.guards:
            return None
        if any(exit_of(guard).origin is not None for guard in original.guards):
            return None
        return replace(self.best, after=without_origins(after))

    def reduced(self, interrupted: bool) -> Reduced:
        seconds = self._clock() - self._start
        if self._best is None:
            return Reduced(self._original, self._failure, self._trials.tried, seconds, False, False, False, interrupted)
        candidate, find = self._best
        made = replace(self._original.made, generated=GeneratedTrace(candidate.before, candidate.state, {}))
        find = replace(find, made=made, seed=self._original.seed)
        tried = self._trials.tried
        return Reduced(find, failure_of(find), tried, seconds, True, self._is_smaller, self._complete, interrupted)
