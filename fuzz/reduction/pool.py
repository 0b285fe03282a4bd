"""Trials in several processes: candidates are tried ahead, and the first one that shows the failure counts."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context

from fuzz.campaign import Find
from fuzz.reduction.candidate import Candidate
from fuzz.reduction.trials import Trials

Shown = tuple[Candidate, Find]

_PROCESSES = get_context("fork")
"""The children have the optimizer that is tried, whatever it is, and with it what its modules have been made to be."""


class Pool:
    """Trials by as many processes; by this one alone without an `executor`."""

    def __init__(self, trials: Trials, jobs: int, executor: ProcessPoolExecutor | None) -> None:
        self._trials = trials
        self._executor = executor
        self.jobs = jobs

    @property
    def tried(self) -> int:
        return self._trials.tried

    def is_right(self, candidate: Candidate) -> bool:
        return self._trials.is_right(candidate)

    def shown(self, candidate: Candidate, ask: bool) -> Shown | None:
        return self._trials.shown(candidate, ask)

    def first_shown(self, candidates: Sequence[Candidate], ask: bool) -> tuple[int, Shown] | None:
        """The first of the candidates that shows the failure, with its number."""
        if self._executor is None or len(candidates) < 2:
            answers: Iterator[Shown | None] = (self.shown(candidate, ask) for candidate in candidates)
        else:
            answers = self._parallel(self._executor, candidates, ask)
        return next(((number, found) for number, found in enumerate(answers) if found is not None), None)

    def _parallel(
        self, executor: ProcessPoolExecutor, candidates: Sequence[Candidate], ask: bool
    ) -> Iterator[Shown | None]:
        known = [self._trials.is_known(candidate, ask) for candidate in candidates]
        coming = [
            None if is_known else executor.submit(_shown, candidate, ask)
            for candidate, is_known in zip(candidates, known, strict=True)
        ]
        for candidate, future in zip(candidates, coming, strict=True):
            found = None if future is None else future.result()
            if future is not None:
                self._trials.note(candidate, ask, found is not None)
            yield found


@contextmanager
def trying(trials: Trials, jobs: int) -> Iterator[Pool]:
    """The trials in so many processes, which end behind it."""
    if jobs == 1:
        yield Pool(trials, 1, None)
        return
    executor = ProcessPoolExecutor(jobs, mp_context=_PROCESSES, initializer=_begin, initargs=(trials,))
    try:
        yield Pool(trials, jobs, executor)
    finally:
        executor.shutdown(cancel_futures=True)


_trials: Trials | None = None


def _begin(trials: Trials) -> None:
    global _trials
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _trials = trials


def _shown(candidate: Candidate, ask: bool) -> Shown | None:
    assert _trials is not None
    return _trials.shown(candidate, ask)
