"""Processes that work on requests and may die.

A worker is a process of its own that works on one request after the other, and gives any number of answers to each.
One that ends, or that is silent for too long, is killed with all processes that it has started, its request is told as
lost, and another worker takes its place. When the process that has started it ends, be it killed, so do all of these.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

from optimizer.ir.faults import InputError
from validator.command.exits import Exit, collect_seldom, describe, report_fault
from validator.processes.guardian import let_go, watch
from validator.processes.termination import repeat_what_is_swallowed, terminable, terminate

_DYING_S = 1.0

_SLACK_MB = 256
"""Processes that a worker starts inherit its limit of memory. With this, limits of their own come first."""

_OUT_OF_MEMORY = 77
"""The exit code of a worker that has used up its memory."""

# A worker is there at once, with all modules. It is made where there are no threads, and no solvers to inherit.
_PROCESSES = get_context("fork")

Q = TypeVar("Q")
A = TypeVar("A")


class Loss(Enum):
    """The reason for which a worker did not answer."""

    LATE = "late"
    KILLED = "killed"
    """From outside: by the system, for want of memory."""
    CRASHED = "crashed"
    MEMORY = "memory"
    """Its own limit of memory was reached."""


class Done(Enum):
    """Said of a request: there are no more answers."""

    DONE = "done"
    LAST = "last"
    """And this worker ends. What it has not given back is not blamed on the next request."""


_Connection = Connection  # of requests one way, of answers the other


@dataclass(frozen=True, slots=True)
class Supervision:
    """The number of workers, the megabytes of each, and the seconds of silence after which one is too late
    with an answer (both apart from the processes that it starts)."""

    jobs: int
    memory_mb: int
    patience_s: float


@dataclass(slots=True, eq=False)
class _Worker(Generic[Q]):
    process: Any
    connection: _Connection
    request: Q | None = None
    heard: float = 0.0


class Workers(Generic[Q, A]):
    """As many workers as are needed, up to the number of jobs; each enters the context of the work for itself. To be
    stopped: see `working`."""

    def __init__(self, work: AbstractContextManager[Callable[[Q], Iterable[A]]], supervision: Supervision) -> None:
        self.jobs = supervision.jobs
        self._work = work
        self._supervision = supervision
        self._workers: list[_Worker[Q]] = []

    def has_idle(self) -> bool:
        return len(self._workers) < self.jobs or any(worker.request is None for worker in self._workers)

    def is_busy(self) -> bool:
        return any(worker.request is not None for worker in self._workers)

    def give(self, request: Q) -> None:
        """Have an idle worker, or a new one, work on it."""
        worker = next((worker for worker in self._workers if worker.request is None), None) or self._start()
        try:
            worker.connection.send(request)
        except OSError:  # it has died while it had nothing to do
            self._end([worker])
            worker = self._start()
            worker.connection.send(request)
        worker.request, worker.heard = request, time.monotonic()

    def collect(
        self, others: Sequence[int] = (), at_most_s: float | None = None
    ) -> Iterator[tuple[Q, A | Done | Loss]]:
        """The requests that are answered or lost. Waits until there is something, or one of `others`, which are files,
        can be read, or so many seconds are over; who is late by then is so, however long answers take to be taken.
        Raises InputError where the work does."""
        busy = [worker for worker in self._workers if worker.request is not None]
        patience, now = self._supervision.patience_s, time.monotonic()
        limits = [max(0.0, worker.heard + patience - now) for worker in busy]
        if at_most_s is not None:
            limits.append(at_most_s)
        ready = wait([*(worker.connection for worker in busy), *others], min(limits, default=None))
        now = time.monotonic()
        for worker in busy:
            assert worker.request is not None
            request = worker.request
            if worker.connection in ready:
                yield request, self._received(worker)
            elif now - worker.heard > patience:
                self._end([worker])
                yield request, Loss.LATE

    def _received(self, worker: _Worker[Q]) -> A | Done | Loss:
        try:
            answer: A | Done | InputError = worker.connection.recv()
        except (EOFError, OSError):
            wait([worker.process.sentinel], _DYING_S)
            self._end([worker])
            code = worker.process.exitcode
            return {-signal.SIGKILL: Loss.KILLED, _OUT_OF_MEMORY: Loss.MEMORY}.get(code, Loss.CRASHED)
        if isinstance(answer, InputError):
            raise answer
        worker.heard = time.monotonic()
        if isinstance(answer, Done):
            worker.request = None
        if answer is Done.LAST:
            self._end([worker])
        return answer

    def _start(self) -> _Worker[Q]:
        mine, its = _PROCESSES.Pipe()
        inherited = [mine, *(worker.connection for worker in self._workers)]
        arguments = (its, inherited, self._work, self._supervision.memory_mb)
        process = _PROCESSES.Process(target=_serve, args=arguments)
        with _without_interrupts():
            process.start()
            assert process.pid is not None
            with suppress(OSError):  # it does so itself as well: whoever comes first
                os.setpgid(process.pid, process.pid)
            watch(process.pid)
            worker: _Worker[Q] = _Worker(process, mine)
            self._workers.append(worker)
        its.close()
        return worker

    def stop(self) -> None:
        """End all workers, whatever they do."""
        with _without_interrupts():
            self._end(self._workers)

    def _end(self, workers: Sequence[_Worker[Q]]) -> None:
        """End these workers, and all that they have started."""
        for worker in workers:
            _signal(worker, signal.SIGTERM)  # so that it ends processes that are in no group of its
        deadline = time.monotonic() + _DYING_S
        for worker in workers:
            wait([worker.process.sentinel], max(0.0, deadline - time.monotonic()))
            _signal(worker, signal.SIGKILL)
            let_go(worker.process.pid)
            worker.process.join()
            worker.connection.close()
        self._workers = [worker for worker in self._workers if worker not in workers]


def _signal(worker: _Worker[Any], number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(worker.process.pid, number)


def _serve(
    connection: _Connection,
    inherited: Sequence[_Connection],
    work: AbstractContextManager[Callable[[Any], Iterable[Any]]],
    megabytes: int,
) -> None:
    """The work of a worker. It is the head of a group of processes, and leaves Ctrl-C to the process that started
    it."""
    os.setpgid(0, 0)
    collect_seldom()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, terminate)
    repeat_what_is_swallowed()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDS)
    for one in inherited:
        one.close()
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, ((megabytes + _SLACK_MB) << 20, most))
    with suppress(EOFError, OSError), work as answers:  # nobody is there any more
        while True:
            for answer in _answered(answers, connection.recv()):
                connection.send(answer)
            if _is_full(megabytes):
                return connection.send(Done.LAST)
            connection.send(Done.DONE)


def _answered(answers: Callable[[Any], Iterable[Any]], request: object) -> Iterator[Any]:
    """The answers to a request, the last of which may be the mistake that has ended them."""
    try:
        yield from answers(request)
    except InputError as mistake:
        yield mistake
    except OSError as problem:
        yield InputError(describe(problem))
    except MemoryError:
        os._exit(_OUT_OF_MEMORY)
    except Exception:
        import traceback  # here: only a fault needs it

        print(report_fault(traceback.format_exc()), file=sys.stderr)
        raise SystemExit(Exit.FAULT) from None


def _is_full(megabytes: int) -> bool:
    """Has this process grown so much that another one had better go on?"""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # in kilobytes
    return peak >> 10 > megabytes // 2


_ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Holds back the signals that end a process until the block is done."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def working(
    work: AbstractContextManager[Callable[[Q], Iterable[A]]], supervision: Supervision
) -> Iterator[Workers[Q, A]]:
    """Workers, which end with what runs inside; SIGTERM ends that as an exception does."""
    with terminable():
        workers = Workers(work, supervision)
        try:
            yield workers
        finally:
            workers.stop()
