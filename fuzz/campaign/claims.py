"""Claims on batches, where several processes or machines share the folder of a campaign.

    FOLDER/claims/FIRST

A batch is claimed by locking a file, which only one process can, until it is removed: the system lets go of it when the
process ends, however it ends, and not while it is stopped. Where the file system has no locks, everybody may work on a
batch; they find the same, and readers of results take each seed once: no harm is done.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path


class Claims:
    """The claims of one process. Raises OSError."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._held: dict[int, int] = {}

    def claim(self, first: int) -> bool:
        """Claim the batch that starts there; False if somebody works on it."""
        path = self._folder / str(first)
        while True:
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
            try:
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # this process's own: forks do not inherit it
            except (BlockingIOError, PermissionError):
                os.close(file)
                return False
            except OSError:
                pass  # there are no locks
            if _is_at(path, file):
                self._held[first] = file
                return True
            os.close(file)  # somebody has released it meanwhile

    def release(self, first: int) -> None:
        path, file = self._folder / str(first), self._held.pop(first)
        if _is_at(path, file):
            path.unlink(missing_ok=True)
        os.close(file)

    def close(self) -> None:
        for first in list(self._held):
            self.release(first)


def _is_at(path: Path, file: int) -> bool:
    """Is this open file the one that has the name?"""
    with suppress(FileNotFoundError):
        return os.path.samestat(path.stat(), os.fstat(file))
    return False
