"""A limit of time for what runs in this process."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

_LONGEST_S = 1e8
_AGAIN_S, _SOON_S = 1.0, 1e-3


class Late(BaseException):
    """The time is over. Not an Exception: what runs may catch those."""


@contextmanager
def alarm(limit_s: float) -> Iterator[None]:
    """Raises `Late` in what runs inside when it takes longer. Only Python's main thread can be interrupted so:
    elsewhere there is no limit, nor is there one inside a single call of something that is not written in Python."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(*_: object) -> None:
        raise Late

    start, before = time.monotonic(), signal.signal(signal.SIGALRM, late)
    # Again and again, in case that one is caught.
    left, again = signal.setitimer(signal.ITIMER_REAL, min(limit_s, _LONGEST_S), _AGAIN_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if left:  # of an alarm around this one
            signal.setitimer(signal.ITIMER_REAL, max(_SOON_S, left - (time.monotonic() - start)), again)
