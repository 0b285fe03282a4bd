"""Knowledge of a PyPy in files: learning it from logs, and taking it in where logs are proved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import PurePath

import click

from fuzz.cases.log_run import LogFile, study_logs
from fuzz.cases.recorded import opened, rereadable
from fuzz.command.pypy_pairs import missing_sections
from fuzz.report.words import counted
from optimizer.ir.faults import InputError
from validator.command.exits import Exit
from validator.command.files import file_name, write_text
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


def learn(logs: Sequence[str], given: Sequence[Kept], file: str) -> Exit:
    """Studies logs, with the knowledge that is given, and writes all that they say to the file."""
    with ExitStack() as entered:
        names = map(file_name, logs)
        read = [LogFile(entered.enter_context(rereadable(log)), name) for log, name in zip(logs, names, strict=True)]
        known = study_logs(read, given=given).kept(PurePath(file).name)
    problems = [
        f"{log.name}: {log.damage or missing_sections(log.kinds)}" for log in read if log.damage or not log.pairs
    ]
    for problem in problems:
        click.echo(problem, err=True)
    if not any(log.pairs for log in read):
        raise InputError(f"{file} is not written: there is nothing to learn")
    write_text(file, known.text)
    click.echo(f"{file}: {counted(len(known.rows), 'statement')} of {counted(known.logs, 'log')}")
    return Exit.USAGE if problems else Exit.PROVED
