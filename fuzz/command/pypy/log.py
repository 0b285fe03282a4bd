"""The command `pypy-log`: the traces in logs of PyPy, and what its optimizer made of them, proved."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

import click
from click.core import ParameterSource

from fuzz.cases.log_run import opened_logs, read_known, study_logs
from fuzz.cases.recorded import log_stem, recorded_text, sections_of
from fuzz.command.options import gathered, json_option
from fuzz.command.pypy.compare import compare
from fuzz.command.pypy.pairs import list_pairs, problems_of
from fuzz.command.pypy.prove import Proving, prove, proving_options
from fuzz.report.words import counted
from optimizer.ir.faults import InputError
from validator.command.exits import Exit, worst
from validator.command.files import writable, write_text
from validator.command.shared_options import output_file_option
from validator.pypy.kept import Kept


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The options that say what is done."""

    listing: bool
    extract: str | None
    bare: bool
    pairs: bool
    proves: bool
    compares: bool
    learn_to: str | None

    @property
    def judges(self) -> bool:
        return self.proves or (self.pairs and self.extract is not None)


_wanted_options = gathered(
    "wanted",
    _Wanted,
    click.option(
        "--list", "listing", is_flag=True, help="Count the recorded traces and their operations; the default."
    ),
    click.option("--extract", metavar="DIR", help="Write each recorded trace to a file *.trace in this folder."),
    click.option(
        "--bare", is_flag=True, help="With --extract: leave what guards hand over unknown, as it is in the log."
    ),
    click.option("--pairs", is_flag=True, help="Count what PyPy's optimizer has left of each recorded trace."),
    click.option("--prove", "proves", is_flag=True, help="Prove what PyPy's optimizer made of each recorded trace."),
    click.option(
        "--compare",
        "compares",
        is_flag=True,
        help="Show what our optimizer leaves of each recorded trace and PyPy's does not.",
    ),
    output_file_option("--learn", "Write what the logs say about their PyPy to this file, for --with.", "learn_to"),
)


@click.command("pypy-log", short_help="List, extract or prove the traces in logs of PyPy.")
@click.argument("logs", metavar="LOG...", nargs=-1, required=True)
@_wanted_options
@proving_options
@json_option("Print one JSON object a trace or pair, and one at the end.")
def pypy_log(logs: tuple[str, ...], wanted: _Wanted, proving: Proving, as_json: bool) -> int:
    """Read the traces in logs of PyPy (`-`: standard input), which may be compressed (.gz, .xz).

    PyPy itself writes the log of a program. docs/pypy-logs.md says how what a log leaves open is read.

    \b
    $ PYPYLOG=jit-log-noopt,jit-summary:run.log pypy3 prog.py
    $ traceproof pypy-log run.log --list
    $ traceproof pypy-log run.log --extract traces
    $ traceproof optimize traces/run-0001.trace
    $ PYPYLOG=jit-log-noopt,jit-log-opt:run.log pypy3 prog.py
    $ traceproof pypy-log run.log --prove
    $ traceproof pypy-log run.log --pairs --extract pairs
    $ traceproof pypy-log first.log second.log --prove
    $ traceproof pypy-log logs/*.log --compare

    Several logs, of programs that the same PyPy has run, are proved with what all of them say, and as far as none
    contradicts it. What they say of PyPy itself can be kept in a file, and used instead of them:

    \b
    $ traceproof pypy-log logs/*.log --learn known.json
    $ traceproof pypy-log run.log --prove --with known.json

    --extract with --pairs or --prove proves each pair and writes it as a case: before.trace, after.trace, and
    case.toml, which says how to judge it, so that `report` and `reduce` work on its folder.

    Ends with 2 if there is no trace, or one that is not whole or cannot be read, or with --pairs, --prove and
    --compare, if a log has only one kind of trace; the others are there nevertheless. --prove ends as `validate
    --batch` does.
    """
    _check_options(wanted, proving)
    _check_logs(logs, wanted.extract is not None, bool(proving.only))
    if wanted.learn_to is not None:
        return _learn(logs, read_known(proving.given), wanted.learn_to)
    folder = None if wanted.extract is None else writable(Path(wanted.extract), "--extract")
    if wanted.judges:
        return prove(logs, proving, as_json, folder)
    if wanted.compares:
        return compare(logs, proving, as_json)
    if wanted.pairs:
        return _each(logs, lambda log: list_pairs(log, as_json))
    return _each(logs, lambda log: _list_recorded(log, folder, wanted.bare, as_json))


def _check_options(what: _Wanted, proving: Proving) -> None:
    """Raises UsageError for options that do not go together."""
    extracts, learns = what.extract is not None, what.learn_to is not None
    if what.bare and not extracts:
        raise click.UsageError("--bare says how to --extract")
    if what.listing and extracts:
        raise click.UsageError("either --list or --extract")
    if sum((what.listing, what.bare, what.pairs, what.proves, what.compares, learns)) > 1:
        raise click.UsageError("only one of --list, --bare, --pairs, --prove, --compare and --learn can be given")
    if extracts and (learns or what.compares):
        raise click.UsageError(f"either --{'learn' if learns else 'compare'} or --extract")
    given = click.get_current_context().get_parameter_source
    for option in ("only", "jobs", "effort", "timeout_s", "cache", "html", "junit", "without_known"):
        of_both = what.compares and option in ("only", "jobs", "without_known")
        if not (what.judges or of_both) and given(option) is ParameterSource.COMMANDLINE:
            name = option.removesuffix("_s").replace("_", "-")
            raise click.UsageError(f"--{name} is for --prove, and for --pairs with --extract")
    if proving.given and not (what.judges or what.compares or learns):
        raise click.UsageError("--with is for --prove, --compare and --learn, and for --pairs with --extract")


def _check_logs(logs: tuple[str, ...], extracts: bool, chooses: bool) -> None:
    """Raises UsageError where several logs are given, and what is done is for one, or they are not told apart."""
    if len({*map(os.path.realpath, logs)}) < len(logs):
        raise click.UsageError("a log is given twice")
    if extracts and len({*map(log_stem, logs)}) < len(logs):
        raise click.UsageError("--extract names files after logs, and two of these have one name")
    if chooses and len(logs) > 1:
        raise click.UsageError("--only is for one log")


def _learn(logs: Sequence[str], given: Sequence[Kept], file: str) -> Exit:
    """Studies logs, with the knowledge that is given, and writes all that they say to the file."""
    with opened_logs(logs) as read:
        known = study_logs(read, given=given).kept(PurePath(file).name)
    problems = problems_of(read)
    for problem in problems:
        click.echo(problem, err=True)
    if not any(log.pairs for log in read):
        raise InputError(f"{file} is not written: there is nothing to learn")
    write_text(file, known.text)
    click.echo(f"{file}: {counted(len(known.rows), 'statement')} of {counted(known.logs, 'log')}")
    return Exit.USAGE if problems else Exit.PROVED


def _each(logs: Sequence[str], do: Callable[[str], Exit]) -> Exit:
    """Does it to each log, also behind one that cannot be read to its end; the worst exit code."""
    codes = []
    for log in logs:
        try:
            codes.append(do(log))
        except InputError as mistake:
            click.echo(f"error: {mistake}", err=True)
            codes.append(Exit.USAGE)
    return worst(codes)


def _list_recorded(log: str, folder: Path | None, bare: bool, as_json: bool) -> Exit:
    """Prints a line for each recorded trace, and writes it to the folder, if there is one."""
    counts = {"traces": 0, "operations": 0, "lost": 0}
    for row in _rows(log, folder, bare):
        counts["traces"] += 1
        counts["operations"] += row["operations"]
        counts["lost"] += bool(row["loss"])
        if as_json:
            click.echo(json.dumps(row))
        elif row["loss"]:
            click.echo(f"{log}:{row['line']}: trace {row['number']} is left out: {row['loss']}", err=True)
        elif folder is None:
            click.echo(f"{row['number']:6} {row['operations']:6} operations, line {row['line']}")
    if as_json:
        click.echo(json.dumps({"log": log, **counts}))
    else:
        where = f", written to {folder}" if folder is not None else ""
        lost = f", {counts['lost']} of them left out" if counts["lost"] else ""
        traces, operations = counted(counts["traces"], "trace"), counted(counts["operations"], "operation")
        click.echo(f"{log}: {traces} of {operations}{lost}{where}")
    if not counts["traces"]:
        click.echo(f"{log}: nothing was recorded in it; PyPy records with PYPYLOG=jit-log-noopt:run.log", err=True)
    return Exit.USAGE if counts["lost"] or not counts["traces"] else Exit.PROVED


def _rows(log: str, folder: Path | None, bare: bool) -> Iterator[dict[str, Any]]:
    for number, section in enumerate(sections_of(log), start=1):
        loss, file = section.loss, None
        if folder is not None and not loss:
            file = folder / f"{log_stem(log)}-{number:04}.trace"
            try:
                write_text(str(file), recorded_text(section, log, number, bare=bare))
            except InputError as problem:
                loss, file = str(problem), None
        yield {
            "number": number,
            "line": section.line,
            "operations": section.operations,
            "loss": loss,
            "file": None if file is None else str(file),
        }
