"""Many lines, answered in order: in this process, or by workers that may die.

Answers come in the order of the requests, and no more requests are read than a few for each worker, so that a batch may
be as long as it likes.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import BinaryIO

from validator.workers import Done, Loss, Supervision, Workers, hearing_of_the_end

_AHEAD = 32
"""So many requests for each worker are read ahead of the first one that is not answered."""

_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Request:
    """A line of the input, with its number."""

    number: int
    text: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """What is printed for a request, the exit code of its verdict, and a warning, if there is one."""

    text: str
    code: int
    warning: str = ""


Judge = Callable[[Request], Answer]


def judge_all(
    lines: BinaryIO, judge: Judge, lost: Callable[[Request, Loss], Answer], supervision: Supervision
) -> Generator[Answer]:
    """The answers to the lines that are not blank, in their order, each as soon as it is there. `lost` makes the answer
    for a request whose worker did not. With one job, this process does the work. To be closed when it is not run to its
    end; `lines` has to be a file of the system where there are more jobs."""
    if supervision.jobs == 1:
        requests = (Request(number, line) for number, line in enumerate(lines, start=1) if line.strip())
        yield from map(judge, requests)
        return
    with hearing_of_the_end():
        workers: Workers[Request, Answer] = Workers(lambda request: (judge(request),), supervision)
        try:
            yield from _in_order(_Source(lines), workers, lost)
        finally:
            workers.stop()


def _in_order(
    source: _Source, workers: Workers[Request, Answer], lost: Callable[[Request, Loss], Answer]
) -> Iterator[Answer]:
    expected: deque[int] = deque()  # the numbers of the requests that were read and not yet told
    waiting: deque[Request] = deque()
    answers: dict[int, Answer] = {}
    while True:
        while len(expected) < _AHEAD * workers.jobs and (request := source.next_request()) is not None:
            expected.append(request.number)
            waiting.append(request)
        while waiting and workers.has_idle():
            workers.give(waiting.popleft())
        while expected and expected[0] in answers:
            yield answers.pop(expected.popleft())
        if not expected and source.has_ended:
            return
        can_read = not source.has_ended and len(expected) < _AHEAD * workers.jobs
        for request, answer in workers.collect([source.fileno()] if can_read else []):
            match answer:
                case Loss():
                    answers[request.number] = lost(request, answer)
                case Answer():
                    answers[request.number] = answer
                case Done():
                    pass
        if can_read and wait([source.fileno()], 0):
            source.read()


class _Source:
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
