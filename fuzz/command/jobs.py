"""The option that says how many processes work."""

from __future__ import annotations

import os

import click


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


jobs_option = click.option(
    "--jobs",
    type=click.IntRange(1),
    default=_cores,
    metavar="N",
    help="Processes that work; one for each core by default.",
)
