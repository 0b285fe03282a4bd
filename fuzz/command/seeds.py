"""Parts of the commands that work through seeds: the seeds, the folder of finds, and a line of progress."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from optimizer.ir.faults import InputError
from validator.command.exits import describe

_STATUS_EVERY_S = 2.0


def seeds_from(first: int, traces: int | None, deadline: float | None, clock: Callable[[], float]) -> Iterator[int]:
    """`first` and those behind it, so many of them, until the deadline."""
    seed = first
    while (traces is None or seed < first + traces) and (deadline is None or clock() < deadline):
        yield seed
        seed += 1


def writable(folder: Path, option: str) -> Path:
    """The folder that the option names, made if it is not there. Raises InputError where nothing can be stored."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".writable"
        probe.write_text("a campaign begins\n")
        probe.unlink()
    except OSError as problem:
        problem.filename = str(folder)
        raise InputError(f"{option}: {describe(problem)}") from None
    return folder


def taken(folder: Path, what: str) -> InputError:
    """The mistake of a command that begins something in a folder which has a campaign, or a hunt, already."""
    return InputError(
        f"--folder: there is a {what} in {folder} already: go on with it by --resume, or choose another folder"
    )


class Status:
    """A line on the terminal that says where a run over seeds stands; nothing in a pipe."""

    def __init__(self, start: float) -> None:
        self._start = self._last = start
        self._on_terminal = sys.stderr.isatty()
        self._shown = False

    def show(self, line: Callable[[float], str]) -> None:
        """Shows the line after so many seconds, now and then."""
        now = time.monotonic()
        if self._on_terminal and now - self._last >= _STATUS_EVERY_S:
            self._last = now
            self._shown = True
            click.echo(f"\r\x1b[K{line(now - self._start)}", err=True, nl=False)

    def clear(self) -> None:
        if self._shown:
            self._shown = False
            click.echo("\r\x1b[K", err=True, nl=False)
