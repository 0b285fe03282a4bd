"""Places that are given in the order in which they were asked for, so that nobody waits for those who came later."""

from __future__ import annotations

import threading
from collections import deque


class Turns:
    """So many places. A semaphore gives one that is free to whoever asks next, which need not be one of those who
    wait."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._lock = threading.Lock()
        self._waiting: deque[threading.Event] = deque()

    def take(self, timeout_s: float) -> bool:
        """Waits for a place for so many seconds; has it come?"""
        turn = threading.Event()
        with self._lock:
            self._waiting.append(turn)
            self._call()
        if turn.wait(timeout_s):
            return True
        with self._lock:
            if not turn.is_set():
                self._waiting.remove(turn)
            return turn.is_set()

    def give_back(self) -> None:
        with self._lock:
            self._free += 1
            self._call()

    def _call(self) -> None:
        while self._free and self._waiting:
            self._free -= 1
            self._waiting.popleft().set()
