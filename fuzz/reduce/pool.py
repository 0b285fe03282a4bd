"""Trials in several processes: candidates are tried ahead, and the first one that shows the failure counts."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Literal

from fuzz.campaign.examine import Find
from fuzz.reduce.candidate import Candidate
from fuzz.reduce.failure import Failure
from fuzz.reduce.trials import Subject, Trials
from fuzz.subject.optimizers import OptimizerSpec
from validator.processes.workers import Done, Loss, Supervision, Workers, working

Shown = tuple[Candidate, Find]
_Request = tuple[int, Candidate, bool]
_Answer = Shown | Literal["shown"] | None
"""A find, or the word for one that holds objects of the optimizer's which cannot be sent."""

_PATIENCE_S = 600.0
"""The optimizer has a limit of its own, and so has the validator."""


class Pool(Trials):
    """Trials by workers; by this process alone where there are none."""

    def __init__(self, subject: Subject, wanted: Failure, workers: Workers[_Request, _Answer] | None) -> None:
        super().__init__(subject, wanted)
        self.jobs = 1 if workers is None else workers.jobs
        self._workers = workers

    def first_shown(self, candidates: Sequence[Candidate], ask: bool) -> tuple[int, Shown] | None:
        """The first of the candidates, which are no more than there are jobs, that shows the failure, with its
        number."""
        answers = (
            (self.shown(candidate, ask) for candidate in candidates)
            if self._workers is None or len(candidates) < 2
            else self._tried_ahead(self._workers, candidates, ask)
        )
        return next(((number, found) for number, found in enumerate(answers) if found is not None), None)

    def _tried_ahead(
        self, workers: Workers[_Request, _Answer], candidates: Sequence[Candidate], ask: bool
    ) -> Iterator[Shown | None]:
        answers: dict[int, _Answer] = {}
        for number, candidate in enumerate(candidates):
            if not self.is_known(candidate, ask):
                answers[number] = None  # where the worker is lost
                workers.give((number, candidate, ask))
        while workers.is_busy():
            answers |= {
                request[0]: answer for request, answer in workers.collect() if not isinstance(answer, Done | Loss)
            }
        for number, candidate in enumerate(candidates):
            answer = answers.get(number)
            if answer == "shown":
                yield self.shown(candidate, ask)
                continue
            if number in answers:
                self.note(candidate, ask, answer is not None)
            yield answer


def _can_be_sent(shown: Shown | None) -> bool:
    try:
        pickle.loads(pickle.dumps(shown))
    except Exception:  # whatever the optimizer's classes raise
        return False
    return True


@contextmanager
def trying(subject: Subject, wanted: Failure, jobs: int) -> Iterator[Pool]:
    """The trials in so many processes, which end behind it."""
    if jobs == 1:
        yield Pool(subject, wanted, None)
        return
    trials = Trials(subject, wanted)

    def answers(request: _Request) -> Iterable[_Answer]:
        _, candidate, ask = request
        shown = trials.shown(candidate, ask)
        return (shown if _can_be_sent(shown) else "shown",)

    with working(nullcontext(answers), Supervision(jobs, OptimizerSpec().memory_mb, _PATIENCE_S)) as workers:
        yield Pool(subject, wanted, workers)
