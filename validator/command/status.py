"""A line of progress."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import click

_EVERY_S = 2.0


class Status:
    """A line on the terminal that says where a run over many things stands; nothing in a pipe."""

    def __init__(self, start: float) -> None:
        self._start = self._last = start
        self._on_terminal = sys.stderr.isatty()
        self._shown = False

    def show(self, line: Callable[[float], str]) -> None:
        """Shows the line after so many seconds, now and then."""
        now = time.monotonic()
        if self._on_terminal and now - self._last >= _EVERY_S:
            self._last = now
            self._shown = True
            click.echo(f"\r\x1b[K{line(now - self._start)}", err=True, nl=False)

    def clear(self) -> None:
        if self._shown:
            self._shown = False
            click.echo("\r\x1b[K", err=True, nl=False)
