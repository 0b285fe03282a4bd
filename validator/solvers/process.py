"""Solver processes: started when first asked, kept for the whole program, killed where they do not answer.

A process is a session of its own, so that Ctrl-C comes to this program only. When this program ends, however it ends,
its guardian ends the processes too.
"""

from __future__ import annotations

import atexit
import os
import select
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from validator.processes.guardian import let_go, watch

_CHUNK = 1 << 16
_LONGEST_MS = 1 << 30


class Silent(Exception):
    """The process did not answer in time, and was killed."""


class Died(Exception):
    """The process ended instead of answering. `said` is what it had said by then; `is_new`: it was its first query."""

    def __init__(self, said: str, code: int, is_new: bool) -> None:
        super().__init__(said)
        self.said = said
        self.code = code
        self.is_new = is_new


class Process:
    """A process that reads queries and writes answers."""

    def __init__(self, command: Sequence[str]) -> None:
        self._child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            bufsize=0,
        )
        watch(self._child.pid)
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._in, self._out = self._child.stdin.fileno(), self._child.stdout.fileno()
        os.set_blocking(self._in, False)
        self._owner = os.getpid()
        self._answers = 0
        self.lock = threading.Lock()

    @property
    def is_usable(self) -> bool:
        """Is it alive, and this program's own? A forked program has a copy of its parent's processes."""
        return self._owner == os.getpid() and self._child.returncode is None

    @property
    def is_new(self) -> bool:
        """Has it answered nothing so far?"""
        return self._answers == 0

    def ask(self, text: str, end: str, timeout_s: float) -> str:
        """What it writes up to the line `end`. Raises `Silent` or `Died`; where anything goes wrong, it is killed."""
        try:
            answer = self._exchange(text.encode(), f"{end}\n".encode(), time.monotonic() + timeout_s)
        except BaseException:
            self.kill()
            raise
        self._answers += 1
        return answer

    def tell(self, text: str) -> None:
        """Give it something short to do that has no answer."""
        self._write(memoryview(text.encode()))

    def _exchange(self, text: bytes, end: bytes, deadline: float) -> str:
        poll = select.poll()
        poll.register(self._out, select.POLLIN)
        rest = self._write(memoryview(text))
        if rest:
            poll.register(self._in, select.POLLOUT)
        said = bytearray()
        while True:
            ready = poll.poll(min(_LONGEST_MS, max(0.0, deadline - time.monotonic()) * 1000))
            if not ready and time.monotonic() >= deadline:
                raise Silent
            for file, _ in ready:
                if file == self._in:
                    rest = self._write(rest)
                    if not rest:
                        poll.unregister(self._in)
                    continue
                read = os.read(self._out, _CHUNK)
                said += read
                if said.endswith(end) and (said == end or said[-len(end) - 1] == 10):
                    return said[: -len(end)].decode(errors="replace")
                if not read:
                    let_go(self._child.pid)
                    raise Died(said.decode(errors="replace"), self._child.wait(), self.is_new)

    def _write(self, text: memoryview) -> memoryview:
        """Writes as much as fits; what is left, nothing where the process reads no more."""
        try:
            return text[os.write(self._in, text) :]
        except BlockingIOError:
            return text
        except BrokenPipeError:  # what it said at last is still to be read
            return text[:0]

    def kill(self) -> None:
        """End it, if it is this program's own, and let go of it."""
        for pipe in (self._child.stdin, self._child.stdout):
            assert pipe is not None
            pipe.close()
        if self._owner == os.getpid():
            if self._child.returncode is None:
                let_go(self._child.pid)
            self._child.kill()
            self._child.wait()
        else:
            self._child.returncode = 0  # the parent's: not ours to wait for


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
