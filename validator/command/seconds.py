"""The type of options that are limits of time."""

from __future__ import annotations

import math
from typing import Any

import click

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
