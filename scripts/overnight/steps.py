"""Running a step of the night: a command with a limit, of which the end of the output is kept."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from validator.command.exits import Exit
from validator.processes.guardian import let_go, watch

_KEPT_LINES = 60
_GRACE_S = 60.0
_ENDING_S = 5.0
"""The seconds that a command has for its end when it is ended."""


@dataclass(frozen=True, slots=True)
class Done:
    """The end of a command: its exit code (None: it was ended, because it took too long), and the last lines that it
    printed."""

    code: int | None
    lines: tuple[str, ...]
    seconds: float

    def line(self, start: str = "") -> str:
        """The last line that starts so and is not empty, else what the exit code says."""
        found = [line for line in map(str.strip, self.lines) if line and line.startswith(start)]
        if self.code is None:
            return "did not end in time"
        return found[-1] if found else f"ended with exit code {self.code}"

    @property
    def is_interrupted(self) -> bool:
        return self.code == Exit.INTERRUPTED


def run_step(command: Sequence[str], seconds: float) -> Done:
    """Runs a command that should end within so many seconds, and shows what it prints. Ctrl-C interrupts the command,
    which can say then what it has found; it ends with this process, however this one ends."""
    start, kept = time.monotonic(), deque[str](maxlen=_KEPT_LINES)
    late, interrupted = threading.Event(), threading.Event()
    pipe = subprocess.PIPE
    with (
        subprocess.Popen(command, stdout=pipe, stderr=subprocess.STDOUT, text=True, start_new_session=True) as process,
        _ended_in_time(process, seconds + _GRACE_S, late),
        _interrupts_for(process, interrupted),
    ):
        assert process.stdout is not None
        for line in process.stdout:
            sys.stdout.write(line)
            sys.stdout.flush()
            kept.append(line.rstrip("\n"))
        code = process.wait()
    ended = Exit.INTERRUPTED if interrupted.is_set() else None if late.is_set() else code
    return Done(ended, tuple(kept), time.monotonic() - start)


@contextmanager
def _ended_in_time(process: subprocess.Popen[str], seconds: float, late: threading.Event) -> Iterator[None]:
    """Ends the command with what runs inside, or, if that takes longer than so many seconds, then, which is noted."""

    def end() -> None:
        late.set()
        _end(process)

    watch(process.pid)
    timer = threading.Timer(seconds, end)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        _end(process)
        let_go(process.pid)


def _end(process: subprocess.Popen[str]) -> None:
    """Ends the command, and the processes of its group, unless it has ended."""
    if process.poll() is None:
        _signal(process, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_ENDING_S)
        _signal(process, signal.SIGKILL)


def _signal(process: subprocess.Popen[str], number: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)


@contextmanager
def _interrupts_for(process: subprocess.Popen[str], interrupted: threading.Event) -> Iterator[None]:
    """Hands Ctrl-C on to the command, as a terminal does, and notes it. Where it is ignored, it stays so."""

    def hand_on(number: int, _: object) -> None:
        interrupted.set()
        _signal(process, number)

    before = signal.getsignal(signal.SIGINT)
    if before is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, hand_on)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
