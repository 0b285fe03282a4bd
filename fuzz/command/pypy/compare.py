"""The tables of `pypy-log --compare`: what our optimizer leaves of recorded traces, and PyPy's does not."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from contextlib import closing

import click

from fuzz.cases.compared_logs import compare_logs
from fuzz.cases.log_run import opened_logs, read_known, study_logs, take_known
from fuzz.command.pypy.pairs import pair_json, problems_of, tell_unpaired
from fuzz.command.pypy.prove import Proving
from fuzz.report.compared_figures import ComparedFigures, counts_json, differences_json
from fuzz.report.words import counted
from optimizer.ir.dialects.pypy_pairs import Unpaired
from validator.command.exits import Exit
from validator.command.status import Status


def compare(logs: Sequence[str], proving: Proving, as_json: bool) -> Exit:
    """Compares the pairs of logs with what our optimizer makes of the recorded traces, and prints the tables; with
    JSON, an object for each pair, too."""
    figures, status, seen, is_damaged = ComparedFigures(), Status(time.monotonic()), set[int](), False
    with opened_logs(logs) as read:
        given = read_known(proving.given)
        study = study_logs(read, given=given)
        known = [*take_known(study, given, is_shipped=not proving.without_known)]
        with closing(compare_logs(read, study, proving.jobs, frozenset(proving.only))) as compared:
            for log, one in compared:
                status.clear()
                if isinstance(one, Unpaired):
                    figures.unpaired += 1
                    seen.add(one.number)
                    is_damaged |= tell_unpaired(log, one, as_json)
                    continue
                figures.add(one)
                seen.add(one.pair.number)
                status.show(lambda seconds: f"{figures.pairs} pairs in {seconds:.0f} s")
                if as_json:
                    left = {"loss": one.loss} if one.loss else {"differences": differences_json(one.differences)}
                    click.echo(json.dumps({"log": log} | pair_json(one.pair) | counts_json(one.counts) | left))
    status.clear()
    name = read[0].name if len(read) == 1 else counted(len(read), "log")
    for line in [json.dumps(figures.json() | {"known": known})] if as_json else [*figures.lines(name), *known]:
        click.echo(line)
    problems = problems_of(read, proving.only, seen)
    click.echo("".join(f"{problem}\n" for problem in problems), err=True, nl=False)
    return Exit.USAGE if problems or is_damaged else Exit.PROVED
