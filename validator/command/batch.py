"""`validate --batch`: verdicts as they come, and on a terminal how far it is."""

from __future__ import annotations

import sys
import time
from collections import Counter
from contextlib import AbstractContextManager, closing, nullcontext
from functools import partial
from pathlib import Path
from typing import BinaryIO

import click

from optimizer.ir.faults import InputError
from validator.command.exits import Exit, describe, worst
from validator.command.requests import Batch, judge_batch
from validator.command.status import Status


def run_batch(path: str, batch: Batch, jobs: int) -> int:
    """Print the verdicts on the pairs of a file, each when those before it are there; the exit code."""
    codes: Counter[int] = Counter()
    status = Status(time.monotonic())
    warnings: set[str] = set()
    with _opened(path) as lines, closing(judge_batch(lines, batch, jobs)) as answers:
        try:
            for answer in answers:
                status.clear()
                click.echo(answer.text)
                codes[answer.code] += 1
                if answer.warning and not warnings:
                    click.echo(f"warning: {answer.warning}", err=True)
                    warnings.add(answer.warning)
                status.show(partial(_line, codes))
        finally:
            status.clear()
    return worst(map(Exit, codes))


def _opened(path: str) -> AbstractContextManager[BinaryIO]:
    if path == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(path).open("rb")
    except OSError as problem:
        raise InputError(describe(problem)) from None


def _line(codes: Counter[int], seconds: float) -> str:
    kinds = ", ".join(f"{count} {Exit(code).name.lower()}" for code, count in sorted(codes.items()))
    return f"{codes.total()} pairs in {seconds:.0f} s: {kinds}"
