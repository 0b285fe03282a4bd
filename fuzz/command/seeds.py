"""Parts of the commands that work through seeds: the seeds, and the folder of finds."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import count, islice, takewhile
from pathlib import Path
from tempfile import TemporaryFile

from optimizer.ir.faults import InputError
from validator.command.exits import input_errors


def seeds_from(first: int, traces: int | None, deadline: float | None) -> Iterator[int]:
    """`first` and those behind it, so many of them, until that time of `time.monotonic`."""
    return islice(takewhile(lambda _: deadline is None or time.monotonic() < deadline, count(first)), traces)


def writable(folder: Path, option: str) -> Path:
    """The folder that the option names, made if it is not there. Raises InputError where nothing can be stored."""
    with input_errors(f"{option}: ", str(folder)):
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder) as probe:  # several processes may begin at once
            probe.write(b"a campaign begins\n")
    return folder


def taken(folder: Path, what: str) -> InputError:
    """The mistake of a command that begins something in a folder which has a campaign, or a hunt, already."""
    return InputError(
        f"--folder: there is a {what} in {folder} already: go on with it by --resume, or choose another folder"
    )
