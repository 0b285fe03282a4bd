"""Processes that are to end with this one, however it ends: a guardian outlives it by a moment, and kills them.

The guardian is a shell that reads from a pipe who is to be watched, and finds its end when this process has gone, be it
killed. It has a session of its own, so that what is sent to the group of this process does not reach it.
"""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress

# The watched groups are words between spaces: +7 adds one, -7 takes one away.
_WATCH = """
trap '' HUP INT TERM
watched=' '
while read -r sign group; do
    case $sign in
        +) watched="$watched$group " ;;
        -) watched="${watched%% $group *} ${watched#* $group }" ;;
    esac
done
for group in $watched; do kill -s KILL -- "-$group"; done
"""


class _Guardian:
    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def tell(self, sign: str, group: int) -> None:
        """Have the guardian, which is started if there is none, watch that group, or not."""
        if self._process is None:
            self._process = subprocess.Popen(
                ("/bin/sh", "-c", _WATCH),
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                start_new_session=True,
            )
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # somebody has killed it
            self._process.stdin.write(f"{sign} {group}\n".encode())

    def leave(self) -> None:
        """In a fork of this process: the guardian is its parent's."""
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process.returncode = 0
            self._process = None


_GUARDIAN = _Guardian()
os.register_at_fork(after_in_child=_GUARDIAN.leave)


def watch(group: int) -> None:
    """Have that group of processes killed when this process ends."""
    _GUARDIAN.tell("+", group)


def let_go(group: int) -> None:
    """Forgets a group that has ended, or is about to: others may get its number."""
    _GUARDIAN.tell("-", group)
