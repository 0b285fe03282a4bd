"""Another program, written to and read from at once, so that neither waits for the other for ever."""

from __future__ import annotations

import math
import os
import resource
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from enum import Enum
from typing import IO

from validator.processes.guardian import let_go, watch

MOST_BYTES = 16 << 20
"""No program prints more for one trace."""

_ERRORS_KEPT = 8 << 10
_CHUNK = 1 << 16
_NOT_YET = b"not yet"
_ENDING_S = 1.0
_LOOKING_S = 0.002


class Came(Enum):
    """What ended the reading."""

    LINE = "line"
    END = "end"
    """The program has closed its output, most often because it has ended."""
    LATE = "late"
    FLOOD = "flood"


class Child:
    """A program in a session and a group of processes of its own, with a limit of memory. Raises OSError where it
    cannot be started. To be killed, or closed, when it is not needed any more."""

    def __init__(self, words: Sequence[str], memory_mb: int) -> None:
        self._process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        watch(self._process.pid)
        self.output = bytearray()
        self.answered = 0
        self._errors = bytearray()
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._input, self._output, self._complaints = self._process.stdin, self._process.stdout, self._process.stderr
        for pipe in (self._input, self._output, self._complaints):
            os.set_blocking(pipe.fileno(), False)
        self._started = time.monotonic()
        self._limit(resource.RLIMIT_DATA, memory_mb << 20)

    def exchange(self, data: bytes, deadline: float, until_line: bool) -> Came:
        """Write this, and read until a line is there, or (and then the program's input is closed) its output ends; or
        until it is too late by `time.monotonic`. What it prints is in `output`."""
        left, has_line = memoryview(data), False
        self._limit_processor(deadline)
        with selectors.DefaultSelector() as selector:
            selector.register(self._input, selectors.EVENT_WRITE)
            selector.register(self._output, selectors.EVENT_READ)
            if not self._complaints.closed:
                selector.register(self._complaints, selectors.EVENT_READ)
            while True:
                ready = selector.select(max(0.0, deadline - time.monotonic()))
                for key, _ in ready:
                    if key.fileobj is self._input:
                        left = self._write(left)
                        if not left:
                            selector.unregister(self._input)
                            if not until_line:
                                _close(self._input)
                    elif key.fileobj is self._complaints:
                        if not self._hear():
                            selector.unregister(self._complaints)
                            self._complaints.close()
                    else:
                        came = self._read(until_line)
                        if came not in (None, Came.LINE):
                            return came
                        has_line = has_line or came is Came.LINE
                if has_line and not left:
                    return Came.LINE
                if time.monotonic() > deadline:
                    return Came.LATE

    def _limit(self, which: int, value: int) -> None:
        with suppress(ProcessLookupError, PermissionError, ValueError):
            _, most = resource.prlimit(self._process.pid, which)
            resource.prlimit(self._process.pid, which, (value, most))

    def _limit_processor(self, deadline: float) -> None:
        """If this process is killed and the program hangs, nobody is there to end it: then its time is up by itself."""
        seconds = deadline - self._started + _ENDING_S
        self._limit(resource.RLIMIT_CPU, math.ceil(seconds) * (os.cpu_count() or 1))

    def _write(self, left: memoryview) -> memoryview:
        """What is still to be written; nothing where nobody reads it any more."""
        try:
            return left[os.write(self._input.fileno(), left[:_CHUNK]) :]
        except BlockingIOError:
            return left
        except OSError:
            return left[:0]

    def _read(self, until_line: bool) -> Came | None:
        try:
            data = os.read(self._output.fileno(), _CHUNK)
        except BlockingIOError:
            return None
        self.output += data
        if not data:
            return Came.END
        if until_line and b"\n" in data:
            return Came.LINE
        return Came.FLOOD if len(self.output) > MOST_BYTES else None

    def _hear(self) -> bytes:
        """What there is to read of its complaints, nothing at their end."""
        try:
            data = os.read(self._complaints.fileno(), _CHUNK)
        except BlockingIOError:
            return _NOT_YET
        self._errors += data
        del self._errors[:-_ERRORS_KEPT]
        return data

    def has_line(self) -> bool:
        return b"\n" in self.output

    def first_line(self) -> bytes:
        """The first of the lines that it has printed; there has to be one."""
        return bytes(self.output).partition(b"\n")[0]

    def drop_line(self) -> None:
        """Forget the first line."""
        del self.output[: self.output.index(b"\n") + 1]

    def take_line(self) -> bytes:
        """What it has printed, which ends a line; there may be more lines, in front or (with their ends) behind."""
        line = bytes(self.output)
        self.output.clear()
        self.answered += 1
        return line.removesuffix(b"\n")

    def is_waiting(self) -> bool:
        """Is it there, and has it said nothing that nobody asked for?"""
        try:
            self.output += os.read(self._output.fileno(), _CHUNK)
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
            ended = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if ended is None:
                time.sleep(_LOOKING_S)
        self.kill()
        return self._process.returncode if ended is not None else None

    def kill(self) -> None:
        """End the program and all that it has started."""
        if self._process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            let_go(self._process.pid)
            self._process.wait()
        try:
            while not self._complaints.closed and self._hear() not in (b"", _NOT_YET):
                pass
        finally:
            for pipe in (self._input, self._output, self._complaints):
                _close(pipe)

    def close(self) -> None:
        """Let the program end by itself, as its input does, and kill it if it does not."""
        _close(self._input)
        self.end()

    def report(self) -> str:
        """The end of what it has printed to standard error."""
        text = bytes(self._errors).decode(errors="backslashreplace")
        return f"standard error ends:\n{text}" if text else ""


def _close(pipe: IO[bytes]) -> None:
    with suppress(OSError):
        pipe.close()
