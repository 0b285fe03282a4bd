"""The command `pypy-run`: from a program to the verdicts on what PyPy compiled."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from fuzz.command.options import json_option
from fuzz.command.pypy.prove import Proving, prove, proving_options
from optimizer.ir.faults import InputError
from validator.command.exits import Exit, input_errors
from validator.processes.termination import terminable

_SECTIONS = "jit-log-noopt,jit-log-opt,jit-summary"
_ENDING_S = 2.0
"""The seconds that a program has for its end when this one is ended."""


@click.command(
    "pypy-run",
    short_help="Run a program on PyPy, and prove what its JIT compiled.",
    context_settings={"allow_interspersed_args": False},
)
@click.argument("program", metavar="-- PYPY ARGS...", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option("--log", metavar="FILE", help="Keep the log there; it is a file for the time being otherwise.")
@proving_options
@json_option("Print one JSON object a pair, and one at the end; what the program prints comes in front of them.")
def pypy_run(program: tuple[str, ...], log: str | None, proving: Proving, as_json: bool) -> int:
    """Run a program on PyPy with a log of its traces, and prove what PyPy's optimizer made of each.

    What the program reads and prints goes through. Ctrl-C goes to the program, too: what it has compiled by then is
    proved; again, and the proofs are broken off.

    \b
    $ traceproof pypy-run -- pypy3 prog.py args
    $ traceproof pypy-run --log run.log --html run.html -- pypy3 -m unittest

    Ends as `traceproof pypy-log --prove` does, whatever the program ends with, which is told: with 2 if nothing was
    logged.
    """
    with terminable(), _place(log) as place:
        ended = _run(program, place)
        if ended:
            click.echo(f"{program[0]} {ended}", err=True)
        if not place.exists():
            raise InputError(f"{program[0]} has written no log: it is no PyPy, or one without a JIT")
        if not place.stat().st_size:
            raise InputError(f"{program[0]} has compiled nothing: nothing in the program ran often enough")
        code = prove([str(place)], proving, as_json, names=[] if log else [shlex.join(program)])
    if code is not Exit.PROVED and log is None:
        click.echo("the log is not kept; --log FILE keeps it, for `traceproof pypy-log FILE --prove`", err=True)
    return code


@contextmanager
def _place(log: str | None) -> Iterator[Path]:
    """The file of the log, which is not there yet. Raises InputError where it cannot be."""
    if log is None:
        with tempfile.TemporaryDirectory(prefix="traceproof-") as folder:
            yield Path(folder) / "run.log"
        return
    place = Path(log).absolute()
    if "%" in log:
        raise InputError("--log: PyPy gives % a meaning in the name of a log")
    if not place.parent.is_dir():
        raise InputError(f"--log: there is no folder {place.parent}")
    if place.exists() and not place.is_file():
        raise InputError(f"--log: {log} is no file")
    place.unlink(missing_ok=True)
    yield place


def _run(program: tuple[str, ...], place: Path) -> str:
    """Runs the program to its end, with its log in that place; in words how it ended, '' if well. Raises InputError if
    it cannot be started."""
    environment = {**os.environ, "PYPYLOG": f"{_SECTIONS}:{place}"}
    with input_errors():
        process = subprocess.Popen(program, env=environment)
    with _while_it_runs(process):
        code = process.wait()
    if code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"ended with {code}" if code else ""


@contextmanager
def _while_it_runs(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Leaves Ctrl-C to the program, to which a terminal sends it as well, and ends it however this ends."""
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(_ENDING_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
