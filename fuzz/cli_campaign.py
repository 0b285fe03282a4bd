"""The command `fuzz`."""

from __future__ import annotations

import json
import time
from pathlib import Path
from random import SystemRandom
from typing import Any

import click

from fuzz.campaign import Find, FindKind, run_campaign
from fuzz.cli_optimizer import optimizer_options
from fuzz.cli_seeds import Status, seeds_from, writable
from fuzz.find import case_of
from fuzz.optimizers import OptimizerSpec, open_optimizer
from fuzz.store import store_case
from fuzz.summary import SHOWN_FINDS, Summary
from optimizer.ir.faults import InputError
from optimizer.ir.trace import Trace
from validator.exits import Exit, describe
from validator.judge import validate
from validator.verdict import Options, State, Verdict

_OPTIONS = Options(effort=10_000_000, timeout_s=20.0)
"""A campaign does not wait long for one proof: there are more traces."""


@click.command(short_help="Test an optimizer on generated traces.")
@click.option("--seconds", type=click.FloatRange(0), metavar="N", help="Stop after that many; 60 by default.")
@click.option("--traces", type=click.IntRange(0), metavar="N", help="Stop after that many traces.")
@click.option("--seed", type=click.IntRange(0), metavar="S", help="The first seed; a random one by default.")
@click.option("--corpus", default="campaign", show_default=True, metavar="DIR", help="Where finds are stored as cases.")
@optimizer_options
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object for each find and one at the end.")
def fuzz(
    seconds: float | None,
    traces: int | None,
    seed: int | None,
    corpus: str,
    optimizer: OptimizerSpec,
    as_json: bool,
) -> int:
    """Test an optimizer: generate traces, optimize them, prove the results, and store what is wrong.

    Each seed makes one trace, seed S the same one on every machine; the campaign takes S, S + 1 and so on, until its
    time or number of traces is used up or Ctrl-C is pressed. An optimizer is a function from a trace to a trace (of
    `optimizer.Trace`). A wrong result, a crash and a malformed trace are finds, each stored in a folder with both
    traces and the command that repeats it.

    \b
    $ traceproof fuzz --seconds 60
    $ traceproof fuzz --seed 7 --traces 500 --optimizer mine:optimize --corpus finds
    $ traceproof corpus list --corpus finds

    Ends with 1 if something was found, with 5 if this tool itself failed, else with 0.
    """
    folder = writable(Path(corpus))
    first = SystemRandom().randrange(1 << 32) if seed is None else seed
    if seconds is None and traces is None:
        seconds = 60.0
    start = time.monotonic()
    seeds = seeds_from(first, traces, None if seconds is None else start + seconds, time.monotonic)
    summary = Summary(first)
    status = Status(start)
    interrupted = False
    try:
        with open_optimizer(optimizer) as chosen:
            for record in run_campaign(seeds, chosen, _judge):
                summary.add(record)
                if isinstance(record, Find):
                    _keep(record, folder, optimizer.arguments(), summary)
                    status.clear()
                    if as_json or len(summary.cases) <= SHOWN_FINDS:
                        click.echo(_found(record, folder, as_json))
                status.show(summary)
    except KeyboardInterrupt:
        interrupted = True
    status.clear()
    spent = time.monotonic() - start
    if as_json:
        click.echo(json.dumps(summary.data(spent, optimizer.arguments(), interrupted)))
    else:
        click.echo(summary.text(spent, optimizer.arguments(), corpus, interrupted))
    return _exit_code(summary, interrupted)


def _exit_code(summary: Summary, interrupted: bool) -> Exit:
    if interrupted:
        return Exit.INTERRUPTED
    if summary.finds[FindKind.FAULT]:
        return Exit.FAULT
    return Exit.REFUTED if summary.finds else Exit.PROVED


def _judge(before: Trace, after: Trace, state: State) -> Verdict:
    return validate(before, after, _OPTIONS, examples=(state,))


def _keep(find: Find, folder: Path, optimizer: str, summary: Summary) -> None:
    case = case_of(find, optimizer, _OPTIONS)
    try:
        store_case(folder, case)
    except OSError as problem:
        problem.filename = str(folder / case.name)
        raise InputError(f"a find could not be stored: {describe(problem)}") from None
    summary.cases.append(case.name)


def _found(find: Find, folder: Path, as_json: bool) -> str:
    name = f"seed-{find.seed}-{find.kind.value}"
    if not as_json:
        return f"{find.kind.value}: {folder / name}: {find.message}"
    told: dict[str, Any] = {"seed": find.seed, "kind": find.kind.value, "case": name, "message": find.message}
    return json.dumps(told)
