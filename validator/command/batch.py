"""`validate --batch`: verdicts as they come, and on a terminal how far it is."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path
from typing import BinaryIO

import click

from optimizer.ir.faults import InputError
from validator.command.exits import Exit, describe, worst
from validator.command.requests import Batch, judge_batch

_EVERY_S = 0.2


def run_batch(path: str, batch: Batch, jobs: int) -> int:
    """Print the verdicts on the pairs of a file, each when those before it are there; the exit code."""
    codes: Counter[int] = Counter()
    warnings: set[str] = set()
    with _opened(path) as lines, closing(judge_batch(lines, batch, jobs)) as answers, _progress() as show:
        for answer in answers:
            click.echo(answer.text)
            codes[answer.code] += 1
            if answer.warning and not warnings:
                click.echo(f"warning: {answer.warning}", err=True)
                warnings.add(answer.warning)
            show(codes)
    return worst(map(Exit, codes))


def _opened(path: str) -> AbstractContextManager[BinaryIO]:
    if path == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(path).open("rb")
    except OSError as problem:
        raise InputError(describe(problem)) from None


@contextmanager
def _progress() -> Iterator[Callable[[Counter[int]], None]]:
    """Tells how many pairs are done, in one line on standard error, where that is a terminal that shows no verdicts."""
    if not sys.stderr.isatty() or sys.stdout.isatty():
        yield lambda _: None
        return
    told = start = time.monotonic()

    def show(codes: Counter[int]) -> None:
        nonlocal told
        now = time.monotonic()
        if now - told >= _EVERY_S:
            told = now
            kinds = ", ".join(f"{count} {Exit(code).name.lower()}" for code, count in sorted(codes.items()))
            click.echo(f"\r\x1b[K{codes.total()} pairs in {now - start:.0f} s: {kinds}", nl=False, err=True)

    try:
        yield show
    finally:
        click.echo("\r\x1b[K", nl=False, err=True)
