"""Parts of the commands that work through seeds: the seeds, and the mistake of a folder that is taken."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import count, islice, takewhile
from pathlib import Path

from optimizer.ir.faults import InputError


def seeds_from(first: int, traces: int | None, deadline: float | None) -> Iterator[int]:
    """`first` and those behind it, so many of them, until that time of `time.monotonic`."""
    return islice(takewhile(lambda _: deadline is None or time.monotonic() < deadline, count(first)), traces)


def taken(folder: Path, what: str) -> InputError:
    """The mistake of a command that begins something in a folder which has a campaign, or a hunt, already."""
    return InputError(
        f"--folder: there is a {what} in {folder} already: go on with it by --resume, or choose another folder"
    )
