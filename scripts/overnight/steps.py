"""Running a step of the night: a command with a limit, of which the end of the output is kept."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from validator.command.exits import Exit

_KEPT_LINES = 60
_GRACE_S = 60.0


@dataclass(frozen=True, slots=True)
class Done:
    """The end of a command: its exit code (None: it was ended, because it took too long), and the last lines that it
    printed."""

    code: int | None
    lines: tuple[str, ...]
    seconds: float

    def line(self, start: str) -> str:
        """The last line that starts so, else what the exit code says."""
        found = [line.strip() for line in self.lines if line.strip().startswith(start)]
        if self.code is None:
            return "did not end in time"
        return found[-1] if found else f"ended with exit code {self.code}"

    @property
    def is_interrupted(self) -> bool:
        return self.code == Exit.INTERRUPTED


def run_step(command: Sequence[str], seconds: float) -> Done:
    """Runs a command that should end within so many seconds, and shows what it prints."""
    start, kept, late = time.monotonic(), deque[str](maxlen=_KEPT_LINES), threading.Event()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:

        def end() -> None:
            late.set()
            process.terminate()

        timer = threading.Timer(seconds + _GRACE_S, end)
        timer.start()
        try:
            assert process.stdout is not None
            for line in process.stdout:
                sys.stdout.write(line)
                sys.stdout.flush()
                kept.append(line.rstrip("\n"))
            code = process.wait()
        except KeyboardInterrupt:
            process.wait()
            code = Exit.INTERRUPTED
        finally:
            timer.cancel()
    return Done(None if late.is_set() else code, tuple(kept), time.monotonic() - start)
