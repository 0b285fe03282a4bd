"""Batches of seeds, worked on by the workers of a cluster of Dask.distributed.

What a cluster's worker is given it has done by a process of its own, which supervises one more as on a single machine:
no trace can hang or kill the cluster's worker. Should that be lost all the same, the scheduler gives its task to
another one. Results come back to the client.
"""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from distributed import Client, KilledWorker, wait

from fuzz.campaign.batch import SeedDone, Task
from fuzz.campaign.plan import Plan
from fuzz.campaign.supervisor import supervise
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace
from validator.processes.guardian import let_go, watch

_wait: Any = wait  # Dask has hardly any types

_TASK_S = 5.0
"""The seconds that a task should take, at least: the process that does it takes half a second to start."""

_MOST_BATCHES = 64
_CONNECTING_S = 10.0
_TICK_S = 1.0


@dataclass(frozen=True, slots=True)
class _Worked:
    """The seeds of the batches of a task, and the seconds that they took."""

    seeds: tuple[SeedDone, ...]
    seconds: float


def supervise_cluster(address: str, plan: Plan, next_task: Callable[[], Task | None]) -> Generator[SeedDone | Task]:
    """The results of each seed, batch by batch, and each task when it is done. To be closed when it is not run to its
    end. Raises InputError where there is no scheduler, or its workers cannot do this work."""
    try:
        client: Any = Client(address, timeout=_CONNECTING_S)  # type: ignore[no-untyped-call,unused-ignore]  # with Dask
    except (OSError, ValueError) as problem:
        raise InputError(f"--scheduler: no scheduler answers at {address}: {problem}") from None
    with client:
        yield from _on_cluster(client, plan, next_task)


def _on_cluster(client: Any, plan: Plan, next_task: Callable[[], Task | None]) -> Iterator[SeedDone | Task]:
    running: dict[Any, list[Task]] = {}
    size = 1
    try:
        while True:
            # Two for each place, so that a worker does not wait for the next one.
            while len(running) < 2 * max(1, sum(client.ncores().values())) and (group := _group(next_task, size)):
                running[client.submit(_work, plan, group, pure=False)] = group
            if not running or _is_too_late(plan, running.values()):
                return
            with suppress(TimeoutError):
                _wait(list(running), timeout=_TICK_S, return_when="FIRST_COMPLETED")
            for future in [future for future in running if future.done()]:
                group = running.pop(future)
                worked = _worked(future, plan, group)
                size = min(_MOST_BATCHES, math.ceil(_TASK_S * len(group) / max(worked.seconds, 0.01)))
                yield from worked.seeds
                yield from group
    finally:
        client.cancel(list(running))


def _group(next_task: Callable[[], Task | None], size: int) -> list[Task]:
    group: list[Task] = []
    while len(group) < size and (task := next_task()) is not None:
        group.append(task)
    return group


def _is_too_late(plan: Plan, groups: Iterable[Sequence[Task]]) -> bool:
    """Should all have ended, were their workers still there?"""
    ends = [task.until for group in groups for task in group if task.until is not None]
    return bool(ends) and time.time() > max(ends) + plan.patience_s


def _worked(future: Any, plan: Plan, group: Sequence[Task]) -> _Worked:
    error = future.exception()
    if error is None:
        worked: _Worked = future.result()
        return worked
    if isinstance(error, KilledWorker):  # again and again: let it be seen here what is the matter
        return _work(plan, group)
    raise InputError(f"--scheduler: a worker cannot do this work: {error}")


# On a worker of the cluster.


def _work(plan: Plan, group: Sequence[Task]) -> _Worked:
    """Has the tasks done by a process of its own."""
    command = [sys.executable, "-P", "-c", "from fuzz.campaign.cluster import serve; serve()"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True) as process:
        watch(process.pid)
        said, complaints = process.communicate(pickle.dumps((plan, group)))
        let_go(process.pid)
    if process.returncode:
        last = complaints.decode(errors="replace").strip().splitlines()[-1:]
        raise RuntimeError(f"the process that was to do it ended with {process.returncode}: {''.join(last)}")
    worked: _Worked = pickle.loads(said)
    return worked


def serve() -> None:
    """The work of that process."""
    plan, group = pickle.load(sys.stdin.buffer)
    worked = _supervised(plan, group)
    sys.stdout.buffer.write(pickle.dumps(worked))


def _supervised(plan: Plan, group: Sequence[Task]) -> _Worked:
    tasks, start = iter(group), time.monotonic()
    done: dict[int, SeedDone] = {}
    for event in supervise(plan, lambda: next(tasks, None), 1):
        if isinstance(event, SeedDone):
            done[event.seed] = replace(event, is_final=True)  # it is kept as it is if there was no time to reduce it
    return _Worked(tuple(done.values()), time.monotonic() - start)
