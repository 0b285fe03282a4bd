"""The options of command lines that say what is compared of guards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from validator.verdict import Failargs, Guards, Options

_Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

_DEFAULT = Options()


def mode_options(guards: str, failargs: str) -> _Decorator:
    """`--guards` and `--failargs`, with these helps."""
    where, whether = _option("--guards", _DEFAULT.guards, guards), _option("--failargs", _DEFAULT.failargs, failargs)
    return lambda command: where(whether(command))


def _option(name: str, default: Guards | Failargs, help_text: str) -> _Decorator:
    modes = [mode.value for mode in type(default)]
    return click.option(name, type=click.Choice(modes), default=default.value, show_default=True, help=help_text)
