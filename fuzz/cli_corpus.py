"""The command `corpus` and its own commands."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import click

from fuzz.cli_corpus_edit import add, corpus_option, export, prune
from fuzz.cli_optimizer import optimizer_options
from fuzz.corpus_run import CaseRun, run_case
from fuzz.optimizers import OptimizerSpec, open_optimizer
from fuzz.store import Case, case_names, read_case
from optimizer.ir.faults import InputError
from optimizer.ir.trace import Trace
from validator.cache import Cache, validate_cached
from validator.counterexample import State
from validator.exits import Exit, describe, worst
from validator.judge import validate
from validator.judging import open_cache
from validator.report import verdict_name
from validator.verdict import Options, Verdict

_json_option = click.option("--json", "as_json", is_flag=True, help="Print a JSON object for each case.")


@click.group()
def corpus() -> None:
    """List, show, run, add, prune and export the cases of a corpus.

    A case is a folder with `before.trace`, `after.trace` (unless an optimizer made none) and `case.toml`, which
    says what is expected of the pair. Campaigns store their finds as cases, too.

    \b
    $ traceproof corpus list
    $ traceproof corpus run --corpus campaign
    """


for _command in (add, prune, export):
    corpus.add_command(_command)


@corpus.command("list")
@corpus_option
@_json_option
def list_cases(folder: str, as_json: bool) -> int:
    """List the cases: name, expected verdict or kind of find, and what the case is about.

    \b
    $ traceproof corpus list --corpus campaign
    """
    for name in case_names(Path(folder)):
        case = read_case(Path(folder), name)
        if as_json:
            click.echo(json.dumps(_json(case)))
        else:
            click.echo(f"{name:40} {case.expect or case.kind:12} {case.about or case.message}".rstrip())
    return 0


def _json(case: Case) -> dict[str, Any]:
    return {
        "name": case.name,
        "about": case.about,
        "taught": case.taught or None,
        "source": case.source or None,
        "expect": case.expect or None,
        "obligation": case.obligation or None,
        "expected": {name: list(told) for name, told in asdict(case.expected).items() if told is not None},
        "kind": case.kind or None,
        "message": case.message or None,
        "seed": case.seed,
        "command": case.command or None,
        "optimizer": case.optimizer,
        "guards": case.options.guards.value,
        "failargs": case.options.failargs.value,
        "inputs": dict(case.state.inputs),
        "event_results": list(case.state.event_results),
        "heap": case.state.heap or None,
        "writes": [[asdict(write) for write in done] for done in case.state.writes],
        "invalid": list(case.state.invalid),
        "gc_types": dict(case.state.gc_types),
        "stops_at_event": case.state.stops_at,
        "versions": dict(case.versions),
    }


@corpus.command()
@click.argument("name")
@corpus_option
@_json_option
def show(name: str, folder: str, as_json: bool) -> int:
    """Show the case NAME: what is known of it, and its traces.

    \b
    $ traceproof corpus show wrapping-add
    """
    case = read_case(Path(folder), name)
    texts = {"before": case.before, "after": case.after, "report": case.report}
    if as_json:
        click.echo(json.dumps(_json(case) | texts))
        return 0
    for key, value in _json(case).items():
        if key == "heap" and value:
            click.echo(f"heap:\n{value.rstrip()}")
        elif value not in (None, "", {}, []):
            told = ", ".join(f"{k} = {v}" for k, v in value.items()) if isinstance(value, dict) else value
            click.echo(f"{key}: {told}")
    for key, text in texts.items():
        if text:
            click.echo(f"\n{key}:\n{text.rstrip()}")
    return 0


@corpus.command()
@corpus_option
@optimizer_options
@click.option("--cache", metavar="DIR", help="Keep verdicts in this folder, and look them up there.")
@_json_option
def run(folder: str, optimizer: OptimizerSpec, cache: str | None, as_json: bool) -> int:
    """Validate every stored pair, and what the optimizer makes of every recorded trace.

    Tells where a pair is judged otherwise than its case expects, and where the optimizer crashes, hangs, gives what
    is no trace, or is refuted; ends with 1 if there is such a case, with 2 if one cannot be read.

    \b
    $ traceproof corpus run
    $ traceproof corpus run --corpus campaign --optimizer mine:optimize --cache verdicts
    $ traceproof corpus run --optimizer-cmd './optimize --fast'
    """
    known = None if cache is None else open_cache(cache)
    start, cases, different, unreadable = time.monotonic(), 0, 0, 0
    with open_optimizer(optimizer) as chosen:
        for name in case_names(Path(folder)):
            cases += 1
            try:
                case = read_case(Path(folder), name)
            except (InputError, OSError) as problem:
                unreadable += 1
                click.echo(f"error: {describe(problem) if isinstance(problem, OSError) else problem}", err=True)
                continue
            done = run_case(case, chosen, partial(_judge, known))
            different += bool(done.differences)
            if as_json:
                click.echo(json.dumps(_run_json(done)))
            for difference in () if as_json else done.differences:
                click.echo(f"{name}: {difference}")
    if known is not None and known.problem:
        click.echo(f"warning: {known.problem}", err=True)
    if not as_json:
        words = "1 case" if cases == 1 else f"{cases} cases"
        result = ", ".join(
            [f"{different} not as expected"] * bool(different) + [f"{unreadable} unreadable"] * bool(unreadable)
        )
        click.echo(f"{words} in {time.monotonic() - start:.1f} s, {result or 'all as expected'}")
    return worst([Exit.REFUTED] * different + [Exit.USAGE] * unreadable)


def _run_json(done: CaseRun) -> dict[str, Any]:
    return {
        "name": done.name,
        "verdict": None if done.verdict is None else verdict_name(done.verdict),
        "differences": list(done.differences),
    }


def _judge(known: Cache | None, before: Trace, after: Trace, options: Options, states: tuple[State, ...]) -> Verdict:
    if known is None:
        return validate(before, after, options, examples=states)
    return validate_cached(before, after, options, known, states)
