"""Options that several command lines have: limits of time, and what is compared of guards."""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import Enum
from typing import Any

import click

from validator.command.files import check_writable
from validator.verdict import Options

_Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

_DEFAULT = Options()


def mode_options(guards: str, failargs: str) -> _Decorator:
    """`--guards` and `--failargs`, with these helps."""
    where, whether = choice_option(_DEFAULT.guards, guards), choice_option(_DEFAULT.failargs, failargs)
    return lambda command: where(whether(command))


def choice_option(default: Enum, help_text: str) -> _Decorator:
    """The option that is called as the enumeration is and takes one of its values; the command is given the member."""
    kind = type(default)
    return click.option(
        f"--{kind.__name__.lower().removesuffix('choice')}",
        type=click.Choice([choice.value for choice in kind]),
        default=default.value,
        show_default=True,
        callback=lambda _context, _option, value: kind(value),
        help=help_text,
    )


def effort_option(default: int) -> _Decorator:
    """`--effort`, an `effort` of at least 1."""
    return click.option(
        "--effort",
        type=click.IntRange(1),
        default=default,
        show_default=True,
        metavar="N",
        help="Budget of one solver query, in the solver's own units (about ten million a second); verdicts do not "
        "depend on how busy the machine is.",
    )


def timeout_option(default: float | None, help_text: str) -> _Decorator:
    """`--timeout`, a `timeout_s` of more than 0 seconds."""
    return click.option(
        "--timeout",
        "timeout_s",
        type=Seconds(0, min_open=True),
        default=default,
        show_default=default is not None,
        metavar="S",
        help=help_text,
    )


def memory_option(least: int, default: int | None, help_text: str) -> _Decorator:
    """`--memory`, a `memory_mb` of at least so many megabytes."""
    return click.option(
        "--memory",
        "memory_mb",
        type=click.IntRange(least),
        default=default,
        show_default=default is not None,
        metavar="MB",
        help=help_text,
    )


def output_file_option(name: str, help_text: str, *variable: str) -> _Decorator:
    """The option that names a file which is written in the end: if it cannot be, that is told before anything is
    done."""

    def check(_context: object, _option: object, path: str | None) -> str | None:
        if path is not None:
            check_writable(path)
        return path

    return click.option(name, *variable, metavar="FILE", callback=check, help=help_text)


_MOST_S = 1e6
"""Eleven days: what is more is no limit, and `inf` is that too. The system counts milliseconds in 32 bits."""


class Seconds(click.FloatRange):
    """A number of seconds."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read it, or fail."""
        seconds: float = super().convert(value, param, ctx)
        if math.isnan(seconds):
            self.fail(f"{value} is not a number of seconds.", param, ctx)
        return min(seconds, _MOST_S)
