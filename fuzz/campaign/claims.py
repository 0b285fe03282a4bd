"""Claims on batches, where several processes or machines share the folder of a campaign.

    FOLDER/claims/FIRST

A batch is claimed by making a file, which only one process can. The file is touched while the work goes on, and removed
at its end; one that was not touched for a while was left by a process that is gone. Should two processes work on a
batch all the same, they find the same, and readers of results take each seed once: no harm is done.
"""

from __future__ import annotations

import os
import platform
import time
from contextlib import suppress
from pathlib import Path

_BEAT_S = 10.0
_STALE_S = 60.0


class Claims:
    """The claims of one process. Raises OSError."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._held: set[int] = set()
        self._beaten = time.monotonic()

    def claim(self, first: int) -> bool:
        """Claim the batch that starts there; False if somebody works on it."""
        path = self._folder / str(first)
        if _is_left(path):
            path.unlink(missing_ok=True)
        try:
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            return False
        os.write(file, f"{platform.node()} {os.getpid()}\n".encode())
        os.close(file)
        self._held.add(first)
        return True

    def beat(self) -> None:
        """Say that the work goes on; to be called often."""
        if time.monotonic() - self._beaten < _BEAT_S:
            return
        self._beaten = time.monotonic()
        for first in self._held:
            with suppress(FileNotFoundError):
                os.utime(self._folder / str(first))

    def release(self, first: int) -> None:
        self._held.discard(first)
        (self._folder / str(first)).unlink(missing_ok=True)

    def close(self) -> None:
        for first in list(self._held):
            self.release(first)


def _is_left(path: Path) -> bool:
    """Is the process gone that made the claim?"""
    try:
        age = time.time() - path.stat().st_mtime
        host, _, pid = path.read_text().partition(" ")
    except OSError:
        return False
    return age > _STALE_S or (host == platform.node() and pid.strip().isdigit() and not _is_running(int(pid)))


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
