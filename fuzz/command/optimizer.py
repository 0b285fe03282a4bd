"""The options of command lines that choose an optimizer."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from fuzz.subject.optimizers import OPTIONS, OptimizerKind, OptimizerSpec
from validator.command.seconds import Seconds

_DEFAULT = OptimizerSpec()

_CLICK_OPTIONS = (
    click.option("--optimizer", metavar="MODULE:FUNCTION", help="What to test instead of our own optimizer."),
    click.option(
        "--optimizer-cmd", metavar="CMD", help="A program that reads a trace and prints it optimized, started for each."
    ),
    click.option(
        "--optimizer-server", metavar="CMD", help='A program that answers lines {"trace": ...} with lines of that form.'
    ),
    click.option(
        "--optimizer-timeout",
        type=Seconds(0, 86_400, min_open=True),
        default=_DEFAULT.limit_s,
        show_default=True,
        metavar="S",
        help="Seconds that the optimizer may take for a trace.",
    ),
    click.option(
        "--optimizer-memory",
        type=click.IntRange(16),
        default=_DEFAULT.memory_mb,
        show_default=True,
        metavar="MB",
        help="Megabytes that such a program may use.",
    ),
)


def optimizer_options(command: Callable[..., int]) -> Callable[..., int]:
    """Gives a command these options; they come to it as one argument `optimizer`, an `OptimizerSpec`."""

    @wraps(command)
    def with_spec(
        *,
        optimizer: str | None,
        optimizer_cmd: str | None,
        optimizer_server: str | None,
        optimizer_timeout: float,
        optimizer_memory: int,
        **others: Any,
    ) -> int:
        given = {
            OptimizerKind.FUNCTION: optimizer,
            OptimizerKind.COMMAND: optimizer_cmd,
            OptimizerKind.SERVER: optimizer_server,
        }
        chosen = [(kind, text) for kind, text in given.items() if text is not None]
        if len(chosen) > 1:
            raise click.UsageError(f"only one of {', '.join(OPTIONS[kind] for kind, _ in chosen)} can be given")
        kind, text = chosen[0] if chosen else (OptimizerKind.OURS, "")
        return command(optimizer=OptimizerSpec(kind, text, optimizer_timeout, optimizer_memory), **others)

    for option in reversed(_CLICK_OPTIONS):
        option(with_spec)
    return with_spec
