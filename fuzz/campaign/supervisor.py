"""Batches of seeds, worked on by processes that may hang, die or eat their memory.

A process that is lost is replaced. The seed that it was on is a find, and its batch is done again without that seed:
what went before guides what comes behind. When the time of the tasks is over, what is still being done is cut.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial

from fuzz.campaign.batch import Cut, SeedDone, Task, lost_in_making, run_batch
from fuzz.campaign.plan import Plan
from optimizer.ir.immutable import replace
from validator.processes.workers import Done, Loss, Supervision, Workers, working

_TICK_S = 1.0

_GRACE_S = 0.5
"""The seconds after the end of the time in which most seeds are done that were begun before it."""

_TRIES = 3
"""The number of times that a batch is done again after a loss that no new seed can be blamed for."""


@dataclass(slots=True)
class _Course:
    """The course of the work on a task: it is at the seed `at`, `since` that time of `time.monotonic`, and may have its
    find `unreduced`."""

    task: Task
    at: int
    known: set[int]
    lost: dict[int, Loss]
    tries: int = 0
    unreduced: SeedDone | None = None
    since: float = field(default_factory=time.monotonic)

    def again(self) -> Task:
        """The task that is left."""
        self.since = time.monotonic()
        self.at = self.task.first
        self._pass_over()
        return replace(self.task, known=frozenset(self.known), lost=dict(self.lost))

    def hear(self, done: SeedDone) -> None:
        if not done.is_final:
            self.unreduced = replace(done, is_final=True)
            return
        self.unreduced = None
        self.since = time.monotonic()
        self.known.add(done.seed)
        self.at = done.seed + 1
        self._pass_over()

    def _pass_over(self) -> None:
        while self.at in self.lost and self.at in self.known:
            self.at += 1

    def blame(self, loss: Loss) -> SeedDone | None:
        """A process was lost: learn from it. The seed that is done with that, if one is."""
        seed, found = self.at, self.unreduced
        if found is not None:
            self.hear(found)
            return found
        if seed not in self.task.seeds or (seed in self.known and self.tries < _TRIES):
            self.tries += 1
            return None
        if seed not in self.lost:
            self.lost[seed] = loss
            return None
        self.known.add(seed)
        return lost_in_making(self.task, seed, loss)

    @property
    def is_over(self) -> bool:
        return self.tries > _TRIES or self.known.issuperset(self.task.seeds)


def supervise(plan: Plan, next_task: Callable[[], Task | None], jobs: int) -> Generator[SeedDone | Task | Cut]:
    """The results of each seed, as it is done, finds before they are reduced, each task when it is done, and what is
    cut at the end. To be closed when it is not run to its end."""
    supervision = Supervision(jobs, plan.memory_mb, plan.patience_s)
    with working(nullcontext(partial(run_batch, plan)), supervision) as workers:
        yield from _supervised(workers, next_task)


def _supervised(
    workers: Workers[Task, SeedDone], next_task: Callable[[], Task | None]
) -> Iterator[SeedDone | Task | Cut]:
    courses: dict[int, _Course] = {}
    again: list[Task] = []
    while True:
        while workers.has_idle() and (task := again.pop() if again else next_task()) is not None:
            courses.setdefault(task.first, _Course(task, task.first, set(task.known), dict(task.lost)))
            workers.give(task)
        if not workers.is_busy():
            return
        left, is_silent = _seconds_left(course.task for course in courses.values()), True
        for task, answer in workers.collect(at_most_s=min(_TICK_S, max(0.0, left))):
            course, is_silent = courses[task.first], False
            match answer:
                case SeedDone():
                    course.hear(answer)
                    if answer.result is not None:
                        yield answer
                case Loss():
                    if (given_up := course.blame(answer)) is not None:
                        yield given_up
                    if not course.is_over:
                        again.append(course.again())
                        continue
                    del courses[task.first]
                    yield course.task
                case Done():
                    del courses[task.first]
                    yield course.task
        if left <= 0 and is_silent:
            yield from (Cut(course.at, time.monotonic() - course.since) for course in courses.values())
            return


def _seconds_left(tasks: Iterable[Task]) -> float:
    """The seconds until the tasks are cut."""
    return min((task.until for task in tasks if task.until is not None), default=math.inf) + _GRACE_S - time.time()
