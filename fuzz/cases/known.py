"""Knowledge of a PyPy in files, and as it is shipped, taken in where logs are proved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from fuzz.cases.recorded import opened
from fuzz.report.words import counted
from validator.command.files import file_name
from validator.pypy.kept import Kept, parse_kept, shipped
from validator.pypy.study import Study


def read_known(files: Sequence[str]) -> tuple[Kept, ...]:
    """The knowledge in files, which may be compressed. Raises InputError."""
    return tuple(map(_read, files))


def _read(file: str) -> Kept:
    with opened(file) as lines:
        data = lines.read()
    try:
        return parse_kept(data.decode(), PurePath(file_name(file)).name)
    except UnicodeDecodeError:
        return parse_kept("", file_name(file))


def take_known(study: Study, given: Sequence[Kept], *, is_shipped: bool) -> Iterator[str]:
    """Has a study take in the knowledge that is shipped, if it is of the PyPy that wrote the logs; in words what is
    known beside the logs, the `given` knowledge first."""
    yield from (f"known of {one.name}: {counted(one.logs, 'log')}" for one in given)
    if is_shipped:
        known = shipped()
        if study.agrees(known):
            study.take(known)
            yield f"known of {known.name}: {counted(known.logs, 'log')}"
        else:
            yield f"known of {known.name}: not used, this seems to be another PyPy"
