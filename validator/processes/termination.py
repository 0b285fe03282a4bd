"""The end of a process that SIGTERM asks for: an exception, so that what it has made is removed."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

_AGAIN_S = 0.01


class Terminated(SystemExit):
    """Raised by SIGTERM: this process has to end, which is nobody's fault."""


def terminate(number: int, _: object) -> None:
    """The handler of a signal that ends the process."""
    raise Terminated(128 + number)


@contextmanager
def terminable() -> Iterator[None]:
    """Has SIGTERM, and SIGHUP of a terminal that goes, end what runs inside as an exception does; none that is
    ignored."""
    heard = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) is not signal.SIG_IGN]
    before, hook = {number: signal.signal(number, terminate) for number in heard}, sys.unraisablehook
    repeat_what_is_swallowed()
    try:
        yield
    finally:
        sys.unraisablehook = hook
        for number, handler in before.items():
            signal.signal(number, handler)


def repeat_what_is_swallowed() -> None:
    """Has SIGTERM sent again where it came while an object was going: Python swallows what is raised then."""
    sys.unraisablehook = partial(_swallowed, sys.unraisablehook)


def _swallowed(hook: Callable[[sys.UnraisableHookArgs], object], problem: sys.UnraisableHookArgs) -> None:
    if issubclass(problem.exc_type, Terminated):
        threading.Timer(_AGAIN_S, os.kill, (os.getpid(), signal.SIGTERM)).start()
    else:
        hook(problem)
