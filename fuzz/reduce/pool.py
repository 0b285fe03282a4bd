"""Trials in several processes: candidates are tried ahead, and the first one that shows the failure counts."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from threading import Thread

from fuzz.campaign.examine import Find
from fuzz.reduce.candidate import Candidate
from fuzz.reduce.failure import Failure
from fuzz.reduce.trials import Subject, Trials

Shown = tuple[Candidate, Find]

_PROCESSES = get_context("fork")
"""The children have the optimizer that is tried, whatever it is, and with it what its modules have been made to be."""


class Pool(Trials):
    """Trials by as many processes; by this one alone without an `executor`."""

    def __init__(self, subject: Subject, wanted: Failure, jobs: int, executor: ProcessPoolExecutor | None) -> None:
        super().__init__(subject, wanted)
        self.jobs = jobs
        self._executor = executor

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
        known = [self.is_known(candidate, ask) for candidate in candidates]
        coming = [
            None if is_known else executor.submit(_shown, candidate, ask)
            for candidate, is_known in zip(candidates, known, strict=True)
        ]
        for candidate, future in zip(candidates, coming, strict=True):
            found = None if future is None else future.result()
            if future is not None:
                self.note(candidate, ask, found is not None)
            yield found


@contextmanager
def trying(subject: Subject, wanted: Failure, jobs: int) -> Iterator[Pool]:
    """The trials in so many processes, which end behind it."""
    if jobs == 1:
        yield Pool(subject, wanted, 1, None)
        return
    trials = Trials(subject, wanted)
    reader, writer = os.pipe()
    executor = ProcessPoolExecutor(jobs, mp_context=_PROCESSES, initializer=_begin, initargs=(trials, reader, writer))
    try:
        yield Pool(subject, wanted, jobs, executor)
    finally:
        executor.shutdown(cancel_futures=True)
        os.close(reader)
        os.close(writer)


_trials: Trials | None = None


def _begin(trials: Trials, reader: int, writer: int) -> None:
    global _trials
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.close(writer)
    Thread(target=_end_with_starter, args=(reader,), daemon=True).start()
    _trials = trials


def _end_with_starter(reader: int) -> None:
    """The one that can write into this pipe is the process that has started this one, until it ends."""
    os.read(reader, 1)
    os._exit(1)


def _shown(candidate: Candidate, ask: bool) -> Shown | None:
    assert _trials is not None
    return _trials.shown(candidate, ask)
