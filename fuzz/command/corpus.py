"""The command `corpus` and its own commands."""

from __future__ import annotations

import json
import time
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from fuzz.cases.jobs import CorpusRun, run_corpus
from fuzz.cases.run import CaseRun
from fuzz.cases.store import Case, case_data, case_names, read_case
from fuzz.command.corpus_edit import add, export, prune, read_corpus_option
from fuzz.command.options import jobs_option, json_option, optimizer_options
from fuzz.hunt.target import open_target
from fuzz.report.junit import corpus_junit_text
from fuzz.report.words import times
from fuzz.subject.optimizers import OptimizerSpec
from optimizer.ir.faults import InputError
from validator.command.exits import Exit, worst
from validator.command.files import write_text
from validator.command.judging import open_cache
from validator.tell.report import verdict_name

_json_option = json_option("Print a JSON object for each case.")


@click.group()
def corpus() -> None:
    """List, show, run, add, prune and export the cases of a corpus.

    A case is a folder with `before.trace`, `after.trace` (unless an optimizer made none) and `case.toml`, which
    says what is expected of the pair. Campaigns store their finds as cases, too.

    \b
    $ traceproof corpus list
    $ traceproof corpus run --corpus campaign/cases
    """


for _command in (add, prune, export):
    corpus.add_command(_command)


@corpus.command("list", short_help="List the cases, and what they are about.")
@read_corpus_option
@_json_option
def list_cases(folder: str, as_json: bool) -> int:
    """List the cases: name, expected verdict or kind of find, and what the case is about. Ends with 2 if one cannot be
    read.

    \b
    $ traceproof corpus list --corpus campaign/cases
    """
    code = Exit.PROVED
    for name in case_names(Path(folder)):
        try:
            case = read_case(Path(folder), name)
        except InputError as mistake:
            click.echo(f"error: {mistake}", err=True)
            code = Exit.USAGE
            continue
        if as_json:
            click.echo(json.dumps(_json(case)))
        else:
            click.echo(f"{name:40} {case.expect or case.kind:12} {case.about or case.message}".rstrip())
    return code


def _json(case: Case) -> dict[str, Any]:
    known = {key: None if value == "" else value for key, value in case_data(case).items() if key != "options"}
    return {
        "name": case.name,
        **known,
        "about": case.about,
        "guards": case.options.guards.value,
        "failargs": case.options.failargs.value,
        "writes": [[asdict(write) for write in done] for done in case.state.writes],
    }


@corpus.command()
@click.argument("name")
@read_corpus_option
@_json_option
def show(name: str, folder: str, as_json: bool) -> int:
    """Show the case NAME: what is known of it, and its traces.

    \b
    $ traceproof corpus show swapped-failargs
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
            text = ", ".join(f"{k} = {v}" for k, v in value.items()) if isinstance(value, dict) else value
            click.echo(f"{key}: {text}")
    for key, text in texts.items():
        if text:
            click.echo(f"\n{key}:\n{text.rstrip()}")
    return 0


@corpus.command(short_help="Validate every stored pair, and what the optimizer makes of it.")
@read_corpus_option
@optimizer_options
@click.option("--cache", metavar="DIR", help="Keep verdicts in this folder, and look them up there.")
@click.option("--target", metavar="CMD", help="Run the programs of finds of `traceproof hunt` again, on this PyPy.")
@click.option("--junit", metavar="FILE", help="Write the outcome of each case there, for a CI: JUnit XML.")
@jobs_option
@_json_option
def run(
    folder: str,
    optimizer: OptimizerSpec,
    cache: str | None,
    target: str | None,
    junit: str | None,
    jobs: int,
    as_json: bool,
) -> int:
    """Validate every stored pair, and what the optimizer makes of every recorded trace.

    Tells where a pair is judged otherwise than its case expects, and where the optimizer crashes, hangs, gives what
    is no trace, or is refuted; ends with 1 if there is such a case, with 2 if one cannot be read.

    \b
    $ traceproof corpus run
    $ traceproof corpus run --shipped --optimizer-cmd './optimize --fast'
    $ traceproof corpus run --corpus hunt/cases --target pypy3
    $ traceproof corpus run --corpus campaign/cases --optimizer mine:optimize --cache verdicts --junit corpus.xml
    """
    start, began = time.monotonic(), time.time()
    verdicts, pypy = None if cache is None else open_cache(cache), None if target is None else open_target(target)
    corpus_run = CorpusRun(Path(folder), optimizer, verdicts, pypy)
    cases: list[CaseRun] = []
    with closing(run_corpus(corpus_run, jobs)) as runs:
        for ran in runs:
            cases.append(ran)
            _show(ran, as_json)
    if warning := next((ran.warning for ran in cases if ran.warning), ""):
        click.echo(f"warning: {warning}", err=True)
    unreadable = sum(not case.is_readable for case in cases)
    different = sum(bool(case.differences) for case in cases)
    wrong = [f"{different} not as expected"] * bool(different) + [f"{unreadable} unreadable"] * bool(unreadable)
    outcome, seconds = ", ".join(wrong) or "all as expected", time.monotonic() - start
    if not as_json:
        click.echo(f"{times(len(cases), 'case')} in {seconds:.1f} s, {outcome}")
    if junit is not None:
        write_text(junit, corpus_junit_text(folder, began, seconds, cases, outcome))
    return worst([Exit.REFUTED] * different + [Exit.USAGE] * unreadable)


def _show(ran: CaseRun, as_json: bool) -> None:
    """Tells of a case."""
    lines = [f"{ran.name}: {difference}" for difference in ran.differences]
    lines += [f"    {line}" for line in ran.report.splitlines()]
    if not ran.is_readable:
        click.echo(f"error: {ran.report}", err=True)
        lines = []
    for line in [json.dumps(_run_json(ran))] if as_json else lines:
        click.echo(line)


def _run_json(done: CaseRun) -> dict[str, Any]:
    return {
        "name": done.name,
        "verdict": None if done.verdict is None else verdict_name(done.verdict),
        "differences": list(done.differences),
        "report": done.report or None,
    }
