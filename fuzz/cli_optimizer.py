"""The options of command lines that choose an optimizer."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from fuzz.optimizers import OptimizerKind, OptimizerSpec


def optimizer_options(command: Callable[..., int]) -> Callable[..., int]:
    """Gives the command its optimizer as `optimizer`, an OptimizerSpec."""

    @click.option("--optimizer", metavar="MODULE:FUNCTION", help="What to test instead of our own optimizer.")
    @wraps(command)
    def chosen(*args: Any, optimizer: str | None, **options: Any) -> int:
        spec = OptimizerSpec(OptimizerKind.FUNCTION, optimizer) if optimizer else OptimizerSpec()
        return command(*args, optimizer=spec, **options)

    return chosen
