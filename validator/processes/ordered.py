"""Many requests, answered in order: in this process, or by workers that may die.

Answers come in the order of the requests, and no more requests are read than a few for each worker, so that a batch may
be as long as it likes.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import wait
from typing import BinaryIO, TypeVar

from validator.processes.workers import Done, Loss, Supervision, working

_AHEAD = 32
"""The number of requests for each worker that are read ahead of the first one that is not answered, at most."""

_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Request:
    """A line of the input, with its number."""

    number: int
    text: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """The text that is printed for a request, the exit code of its verdict, and a warning, if there is one."""

    text: str
    code: int
    warning: str = ""


Judge = Callable[[Request], Answer]

Q = TypeVar("Q")
A = TypeVar("A")


def judge_all(
    lines: BinaryIO, judge: Judge, lost: Callable[[Request, Loss], Answer], supervision: Supervision
) -> Generator[Answer]:
    """The answers to the lines that are not blank, in their order, each as soon as it is there. `lost` makes the answer
    for a request whose worker did not. With one job, this process does the work. To be closed when it is not run to its
    end; `lines` has to be a file of the system where there are more jobs."""
    if supervision.jobs == 1:
        numbered = enumerate(lines, start=1)
        requests = (Request(number, line.removesuffix(b"\n")) for number, line in numbered if line.strip())
        yield from map(judge, requests)
        return
    source = _Lines(lines)
    yield from _in_order(source.next_request, source, nullcontext(judge), lost, supervision)


def answer_all(
    requests: Iterable[Q],
    work: AbstractContextManager[Callable[[Q], A]],
    lost: Callable[[Q, Loss], A],
    supervision: Supervision,
) -> Generator[A]:
    """The same for requests that are there, each of which is taken when a worker is idle. Each process that works
    enters the context of the work for itself."""
    if supervision.jobs == 1:
        with work as answer:
            yield from map(answer, requests)
        return
    yield from _in_order(partial(next, iter(requests), None), None, work, lost, supervision)


_Numbered = tuple[int, Q]


@contextmanager
def _answering(work: AbstractContextManager[Callable[[Q], A]]) -> Iterator[Callable[[_Numbered[Q]], tuple[A]]]:
    with work as answer:
        yield lambda numbered: (answer(numbered[1]),)


def _in_order(
    next_request: Callable[[], Q | None],
    lines: _Lines | None,
    work: AbstractContextManager[Callable[[Q], A]],
    lost: Callable[[Q, Loss], A],
    supervision: Supervision,
) -> Generator[A]:
    """The answers of workers. `next_request` gives None while there is no request: for ever, or until more of the
    `lines` are read."""
    taken = told = 0  # so many requests
    most = _AHEAD * supervision.jobs
    waiting: deque[_Numbered[Q]] = deque()
    answers: dict[int, A] = {}
    with working(_answering(work), supervision) as workers:
        while True:
            while waiting and workers.has_idle():
                workers.give(waiting.popleft())
            while taken - told < most and (lines is not None or workers.has_idle()):
                if (request := next_request()) is None:
                    break
                waiting.append((taken, request))
                taken += 1
                if workers.has_idle():
                    workers.give(waiting.popleft())
            if told in answers:
                yield answers.pop(told)
                told += 1
                continue
            has_more = lines is not None and not lines.has_ended
            if told == taken and not has_more and not workers.is_busy():
                return
            to_read = [lines] if lines is not None and has_more and taken - told < most else []
            for (number, request), answer in workers.collect([file.fileno() for file in to_read]):
                if not isinstance(answer, Done):
                    answers[number] = lost(request, answer) if isinstance(answer, Loss) else answer
            for file in to_read:
                if wait([file.fileno()], 0):
                    file.read()


class _Lines:
    """Requests from a file that may be a pipe into which somebody writes."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._lines: deque[bytes] = deque()
        self._rest: list[bytes] = []
        self._number = 0
        self.has_ended = False

    def fileno(self) -> int:
        return self._file.fileno()

    def read(self) -> None:
        """Read what is there; waits if nothing is."""
        data = os.read(self.fileno(), _CHUNK)
        *whole, rest = data.split(b"\n")
        if whole:
            whole[0] = b"".join([*self._rest, whole[0]])
            self._rest.clear()
        self._rest.append(rest)
        if not data:
            self.has_ended = True
            whole.append(b"".join(self._rest))
        self._lines += whole

    def next_request(self) -> Request | None:
        """The next line that was read and is not blank."""
        while self._lines:
            self._number += 1
            line = self._lines.popleft()
            if line.strip():
                return Request(self._number, line)
        return None
