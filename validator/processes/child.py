"""A program that may hang, flood or die: written to and read from at once, so that neither waits for the other for
ever, and ended with all that it has started, at the latest when this process ends, however it ends.

It has a session and a group of processes of its own, so that Ctrl-C comes to this program only.
"""

from __future__ import annotations

import math
import os
import resource
import select
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import Enum
from typing import IO

from validator.processes.guardian import let_go, watch

MOST_BYTES = 16 << 20
"""No program answers with more."""

ERRORS = "standard error ends:"
"""The heading of what a program has printed to standard error."""

_ERRORS_KEPT = 8 << 10
_CHUNK = 1 << 16
_ENDING_S = 1.0
_LOOKING_S = 0.002
_LONGEST_MS = 1 << 30


class Came(Enum):
    """The reason why reading ended."""

    ANSWER = "answer"
    END = "end"
    """The program has closed its output, most often because it has ended."""
    LATE = "late"
    FLOOD = "flood"


class Child:
    """A running program. With `memory_mb`, its memory and processor time are limited, and the end of its standard error
    is kept. Raises OSError where it cannot be started. To be killed, or closed, when it is not needed any more."""

    def __init__(self, words: Sequence[str], memory_mb: int | None = None) -> None:
        self._process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if memory_mb is None else subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        watch(self._process.pid)
        self._owner = os.getpid()
        self._pipes = (self._process.stdin, self._process.stdout, self._process.stderr)
        for pipe in filter(None, self._pipes):
            os.set_blocking(pipe.fileno(), False)
        self.output = bytearray()
        self._errors = bytearray()
        self._started = time.monotonic()
        self._is_limited = memory_mb is not None
        if memory_mb is not None:
            self._limit(resource.RLIMIT_DATA, memory_mb << 20)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_usable(self) -> bool:
        """Is it not known to have ended, and this program's own? A forked program has a copy of its parent's."""
        return self._owner == os.getpid() and self._process.returncode is None

    def exchange(self, data: bytes, deadline: float, is_answer: Callable[[bytearray], bool] | None = None) -> Came:
        """Write this, and read until what came is an answer, or (and then the program's input is closed) its output
        ends; or until it is too late by `time.monotonic`. What it prints is in `output`."""
        incoming, outgoing, complaints = self._pipes
        assert incoming is not None
        assert outgoing is not None
        if self._is_limited:
            self._limit_processor(deadline)
        poll = select.poll()
        poll.register(outgoing, select.POLLIN)
        if complaints is not None and not complaints.closed:
            poll.register(complaints, select.POLLIN)
        poll.register(incoming, select.POLLOUT)
        left, has_answer = memoryview(data), False
        while True:
            for file, _ in poll.poll(min(_LONGEST_MS, max(0.0, deadline - time.monotonic()) * 1000)):
                if file == outgoing.fileno():
                    read = os.read(file, _CHUNK)
                    self.output += read
                    if not read:
                        return Came.END
                    has_answer = is_answer is not None and is_answer(self.output)
                    if not has_answer and len(self.output) > MOST_BYTES:
                        return Came.FLOOD
                elif not incoming.closed and file == incoming.fileno():
                    left = self._write(left)
                    if not left:
                        poll.unregister(incoming)
                        if is_answer is None:
                            _close(incoming)
                elif not self._hear():
                    poll.unregister(file)
                    _close(complaints)
            if has_answer and not left:
                return Came.ANSWER
            if time.monotonic() >= deadline:
                return Came.LATE

    def tell(self, text: bytes) -> None:
        """Give it something short to do that has no answer."""
        self._write(memoryview(text))

    def _limit(self, which: int, value: int) -> None:
        with suppress(ProcessLookupError, PermissionError, ValueError):
            _, most = resource.prlimit(self.pid, which)
            resource.prlimit(self.pid, which, (value, most))

    def _limit_processor(self, deadline: float) -> None:
        """Limits the program's time of processors: if this process is killed and the program hangs, nobody is there to
        end it, and then its time is up by itself."""
        seconds = deadline - self._started + _ENDING_S
        self._limit(resource.RLIMIT_CPU, math.ceil(seconds) * (os.cpu_count() or 1))

    def _write(self, left: memoryview) -> memoryview:
        """The rest that is still to be written; nothing where nobody reads it any more."""
        assert self._process.stdin is not None
        try:
            return left[os.write(self._process.stdin.fileno(), left[:_CHUNK]) :]
        except BlockingIOError:
            return left
        except OSError:  # what it said at last is still to be read
            return left[:0]

    def _hear(self) -> bool:
        """Read what there is of its complaints; False at their end."""
        assert self._process.stderr is not None
        data = os.read(self._process.stderr.fileno(), _CHUNK)
        self._errors += data
        del self._errors[:-_ERRORS_KEPT]
        return bool(data)

    def is_waiting(self) -> bool:
        """Is it there, and has it said nothing that nobody asked for?"""
        assert self._process.stdout is not None
        try:
            self.output += os.read(self._process.stdout.fileno(), _CHUNK)
        except BlockingIOError:
            return not self.output
        return False  # more output, or its end

    def end(self) -> int | None:
        """Wait a little until the program ends, and kill what is left of its group. The exit code, minus the signal
        that killed it, or None if it did not end by itself."""
        deadline = time.monotonic() + _ENDING_S
        ended: object = self._process.returncode
        # Not reaped before its group is killed: until then no other group can have its number.
        while ended is None and time.monotonic() < deadline:
            ended = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if ended is None:
                time.sleep(_LOOKING_S)
        self.kill()
        return self._process.returncode if ended is not None else None

    def kill(self) -> None:
        """End the program and all that it has started, if it is this process's own; let go of it at any rate."""
        try:
            if self._owner != os.getpid():
                self._process.returncode = 0  # the parent's: not ours to wait for
            elif self._process.returncode is None:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self.pid, signal.SIGKILL)
                let_go(self.pid)
                self._process.wait()
            complaints = self._process.stderr
            with suppress(BlockingIOError):
                while complaints is not None and not complaints.closed and self._hear():
                    pass
        finally:
            for pipe in self._pipes:
                _close(pipe)

    def close(self) -> None:
        """Let the program end by itself, as its input does, and kill it if it does not."""
        _close(self._process.stdin)
        self.end()

    def report(self) -> str:
        """The end of what it has printed to standard error."""
        text = bytes(self._errors).decode(errors="backslashreplace")
        return f"{ERRORS}\n{text}" if text else ""


def _close(pipe: IO[bytes] | None) -> None:
    with suppress(OSError):
        if pipe is not None:
            pipe.close()
