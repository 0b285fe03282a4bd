"""Solver processes: started when first asked, kept for the whole program, killed where they do not answer."""

from __future__ import annotations

import atexit
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from validator.processes.child import Came, Child
from validator.solvers.answers import GaveUp, Reply

GRACE_S = 1.0
"""The seconds for which a solver is waited for behind its limit of time."""


class NoAnswer(Exception):
    """The process said something that is none of the answers that there are, or nothing in time."""


class Died(Exception):
    """The process ended instead of answering, with that code. `is_new`: it was its first query."""

    def __init__(self, code: int, is_new: bool) -> None:
        super().__init__(f"ended with {code}")
        self.code = code
        self.is_new = is_new


class Process(Child):
    """A process that reads queries and writes answers."""

    def __init__(self, command: Sequence[str]) -> None:
        super().__init__(command)
        self.lock = threading.Lock()
        self.is_new = True
        """Has it answered nothing so far?"""

    def ask(self, text: str, end: str, timeout_s: float) -> str:
        """The text that it writes up to the line `end`. Raises `NoAnswer` or `Died`; where anything goes wrong, it is
        killed."""
        last = f"{end}\n".encode()

        def is_answer(said: bytearray) -> bool:
            return said.endswith(last) and (said == last or said[-len(last) - 1] == 10)

        try:
            came = self.exchange(text.encode(), time.monotonic() + timeout_s, is_answer)
            if came is Came.END:
                code = self.end()
                raise Died(-signal.SIGKILL if code is None else code, self.is_new)
            if came is not Came.ANSWER:
                raise NoAnswer("wall")
        except BaseException:
            self.kill()
            raise
        self.is_new = False
        said = self.output.decode(errors="replace")
        self.output.clear()
        return said.removesuffix(f"{end}\n")


def converse(
    solver: str, command: tuple[str, ...], talk: Callable[[Process], Reply], cause: Callable[[int], str]
) -> Reply:
    """The outcome of a talk with the process that runs this command. One that served others before and dies has a new
    one talked to. `cause` says why a process ended, from its exit code."""
    while True:
        with running(command) as process:
            try:
                return talk(process)
            except Died as death:
                if death.is_new:
                    return GaveUp(cause(death.code), (solver,))
            except NoAnswer as wrong:
                process.kill()
                return GaveUp(str(wrong), (solver,))
            except BaseException:  # it has this query still, and the next one would be asked under its assertions
                process.kill()
                raise


_KEPT: dict[tuple[str, ...], Process] = {}


@contextmanager
def running(command: tuple[str, ...]) -> Iterator[Process]:
    """The process that runs this command, started if there is none, for one thread to talk to."""
    while True:
        process = _KEPT.get(command)
        if process is None or not process.is_usable:
            process = _KEPT[command] = Process(command)
        with process.lock:
            if process.is_usable:
                yield process
                return


def end_all() -> None:
    """No process of a solver is left. Another one is started when a solver is asked again."""
    for process in _KEPT.values():
        process.kill()
    _KEPT.clear()


atexit.register(end_all)
os.register_at_fork(after_in_child=end_all)  # its parent's are not its own
