"""Many pairs, judged in order: in this process, or by workers that may die.

A worker is a process of its own that judges one request after the other. One that ends, or that is far too late, is
killed with all processes that it has started, its request is told as lost, and another worker takes its place. Answers
come in the order of the requests, and no more requests are read than a few for each worker, so that a batch may be as
long as it likes.
"""

from __future__ import annotations

import os
import resource
import signal
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any, BinaryIO

_AHEAD = 32
"""So many requests for each worker are read ahead of the first one that is not answered."""

_CHUNK = 1 << 16

_DYING_S = 1.0

_SLACK_MB = 256
"""What a worker starts inherits its limit of memory. With this, limits of its own come first."""

# A worker is there at once, with all modules. It is made where there are no threads, and no solvers to inherit.
_PROCESSES = get_context("fork")


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


class Loss(Enum):
    """Why a worker did not answer."""

    LATE = "late"
    KILLED = "killed"
    """From outside: by the system, for want of memory."""
    CRASHED = "crashed"


_Connection = Connection  # of requests one way, of answers the other

Judge = Callable[[Request], Answer]


@dataclass(frozen=True, slots=True)
class Supervision:
    """How many workers there are, of how many megabytes each, and after how many seconds one is too late with an answer
    (both apart from the processes that it starts)."""

    jobs: int
    memory_mb: int
    patience_s: float


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
    with _hearing_of_the_end():
        workers = _Workers(judge, supervision)
        try:
            yield from _in_order(_Source(lines), workers, lost)
        finally:
            workers.stop()


def _in_order(source: _Source, workers: _Workers, lost: Callable[[Request, Loss], Answer]) -> Iterator[Answer]:
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
            answers[request.number] = lost(request, answer) if isinstance(answer, Loss) else answer
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


# Workers.


@dataclass(slots=True, eq=False)
class _Worker:
    process: Any
    connection: _Connection
    request: Request | None = None
    started: float = 0.0


class _Workers:
    """As many workers as are needed, up to the number of jobs."""

    def __init__(self, judge: Judge, supervision: Supervision) -> None:
        self.jobs = supervision.jobs
        self._judge = judge
        self._supervision = supervision
        self._workers: list[_Worker] = []

    def has_idle(self) -> bool:
        return len(self._workers) < self.jobs or any(worker.request is None for worker in self._workers)

    def give(self, request: Request) -> None:
        """Have an idle worker, or a new one, judge it."""
        worker = next((worker for worker in self._workers if worker.request is None), None) or self._start()
        try:
            worker.connection.send(request)
        except OSError:  # it has died while it had nothing to do
            self._end([worker])
            worker = self._start()
            worker.connection.send(request)
        worker.request, worker.started = request, time.monotonic()

    def collect(self, others: Sequence[int]) -> Iterator[tuple[Request, Answer | Loss]]:
        """What has been answered, or is lost. Waits until there is something, or one of `others`, which are files, can
        be read."""
        busy = [worker for worker in self._workers if worker.request is not None]
        left = min((worker.started + self._supervision.patience_s - time.monotonic() for worker in busy), default=None)
        ready = wait([*(worker.connection for worker in busy), *others], None if left is None else max(0.0, left))
        for worker in busy:
            assert worker.request is not None
            request = worker.request
            if worker.connection in ready:
                yield request, self._received(worker)
            elif time.monotonic() - worker.started > self._supervision.patience_s:
                self._end([worker])
                yield request, Loss.LATE

    def _received(self, worker: _Worker) -> Answer | Loss:
        try:
            answer: Answer = worker.connection.recv()
        except (EOFError, OSError):
            wait([worker.process.sentinel], _DYING_S)
            self._end([worker])
            return Loss.KILLED if worker.process.exitcode == -signal.SIGKILL else Loss.CRASHED
        worker.request = None
        return answer

    def _start(self) -> _Worker:
        mine, its = _PROCESSES.Pipe()
        inherited = [mine, *(worker.connection for worker in self._workers)]
        arguments = (its, inherited, self._judge, self._supervision.memory_mb)
        process = _PROCESSES.Process(target=_serve, args=arguments)
        with _without_interrupts():
            process.start()
            assert process.pid is not None
            with suppress(OSError):  # it does so itself as well: whoever comes first
                os.setpgid(process.pid, process.pid)
            worker = _Worker(process, mine)
            self._workers.append(worker)
        its.close()
        return worker

    def stop(self) -> None:
        """End all workers, whatever they do."""
        with _without_interrupts():
            self._end(self._workers)

    def _end(self, workers: Sequence[_Worker]) -> None:
        """End these workers, and all that they have started."""
        for worker in workers:
            _signal(worker, signal.SIGTERM)  # so that it ends processes that are in no group of its
        deadline = time.monotonic() + _DYING_S
        for worker in workers:
            wait([worker.process.sentinel], max(0.0, deadline - time.monotonic()))
            _signal(worker, signal.SIGKILL)
            worker.process.join()
            worker.connection.close()
        self._workers = [worker for worker in self._workers if worker not in workers]


def _signal(worker: _Worker, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(worker.process.pid, number)


def _serve(connection: _Connection, inherited: Sequence[_Connection], judge: Judge, megabytes: int) -> None:
    """What a worker does. It is the head of a group of processes, and leaves Ctrl-C to the process that started it."""
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _exit)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDS)
    for one in inherited:
        one.close()
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, ((megabytes + _SLACK_MB) << 20, most))
    with suppress(EOFError, OSError):  # nobody is there any more
        while True:
            connection.send(judge(connection.recv()))


_ENDS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """They come when it is done."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _exit(*_: object) -> None:
    raise SystemExit(128 + signal.SIGTERM)


@contextmanager
def _hearing_of_the_end() -> Iterator[None]:
    """SIGTERM ends what is running inside as an exception does."""
    before = signal.signal(signal.SIGTERM, _exit)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
