"""The command `corpus` and its own commands."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict
from functools import wraps
from pathlib import Path
from typing import Any

import click

from fuzz.cases.duplicates import duplicates, printed_pair
from fuzz.cases.jobs import CorpusRun, run_corpus
from fuzz.cases.run import CaseRun, judged_case
from fuzz.cases.store import SHIPPED_CORPUS, VERDICTS, Case, case_data, case_names, read_case, store_case
from fuzz.command.options import jobs_option, json_option, optimizer_options
from fuzz.hunt.target import open_target
from fuzz.report.junit import corpus_junit_text
from fuzz.report.words import counted, times
from fuzz.subject.optimizers import OptimizerSpec
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace
from optimizer.ir.text import parse
from validator.command.exits import Exit, worst
from validator.command.files import file_name, read_text, write_last
from validator.command.judging import open_cache
from validator.command.shared_options import output_file_option
from validator.tell.report import verdict_name
from validator.verdict import Failargs, Guards, Options

_json_option = json_option("Print a JSON object for each case.")
corpus_option = click.option(
    "--corpus", "folder", default="corpus", show_default=True, metavar="DIR", help="The folder of cases."
)


def read_corpus_option(command: Callable[..., int]) -> Callable[..., int]:
    """Gives a command that changes no corpus the option above, and --shipped."""

    @wraps(command)
    def with_folder(*, folder: str, shipped: bool, **others: Any) -> int:
        given = click.get_current_context().get_parameter_source("folder")
        if shipped and given is click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError("--corpus and --shipped exclude each other")
        if not shipped and given is not click.core.ParameterSource.COMMANDLINE and not Path(folder).exists():
            raise InputError(
                f"{folder}: there is no such folder; --corpus names another one, --shipped those of traceproof"
            )
        return command(folder=str(SHIPPED_CORPUS) if shipped else folder, **others)

    shipped = click.option("--shipped", is_flag=True, help="The cases that come with traceproof instead.")
    return corpus_option(shipped(with_folder))


@click.group()
def corpus() -> None:
    """List, show, run, add, prune and export the cases of a corpus.

    A case is a folder with `before.trace`, `after.trace` (unless an optimizer made none) and `case.toml`, which
    says what is expected of the pair. Campaigns store their finds as cases, too.

    \b
    $ traceproof corpus list
    $ traceproof corpus run --corpus campaign/cases
    """


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
@output_file_option("--junit", "Write the outcome of each case there, for a CI: JUnit XML.")
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
    if (Path(folder) / "before.trace").exists():
        raise InputError(f"--corpus: {folder} is a case; expected the folder of cases")
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
    not_judged = sum(case.is_open for case in cases)
    told = wrong or ["all as expected" if cases else f"there is none in {folder}"]
    told += [f"{times(not_judged, 'pair')} not judged: no `expect` in case.toml"] * bool(not_judged)
    outcome, seconds = ", ".join(told), time.monotonic() - start
    if not as_json:
        click.echo(f"{times(len(cases), 'case')} in {seconds:.1f} s, {outcome}")
    written = write_last(junit, lambda: corpus_junit_text(folder, began, seconds, cases, outcome))
    return worst([Exit.REFUTED] * different + [Exit.USAGE] * unreadable + [written])


def _show(ran: CaseRun, as_json: bool) -> None:
    """Tells of a case."""
    lines = [f"{ran.name}: {difference}" for difference in ran.differences]
    lines += [f"    {line}" for line in ran.report.splitlines()]
    if not ran.is_readable:
        click.echo(f"error: {ran.report}", err=True)
        lines = []
    told = {
        "name": ran.name,
        "verdict": None if ran.verdict is None else verdict_name(ran.verdict),
        "differences": list(ran.differences),
        "report": ran.report or None,
    }
    for line in [json.dumps(told)] if as_json else lines:
        click.echo(line)


# Changing a corpus, and writing it elsewhere.


@corpus.command(short_help="Judge a pair of traces, and add it as a case.")
@click.argument("before", metavar="BEFORE|CASE")
@click.argument("after", metavar="[AFTER]", required=False)
@corpus_option
@click.option("--name", required=True, metavar="NAME", help="The name of the case, which says what it teaches.")
@click.option("--about", required=True, metavar="TEXT", help="What the case shows, in a sentence.")
@click.option("--taught", default="", metavar="TEXT", help="What is to be learned from it.")
@click.option("--source", default="", metavar="TEXT", help="Where it comes from.")
@click.option("--expect", type=click.Choice(VERDICTS), help="Add it only if that is the verdict.")
@click.option("--guards", type=click.Choice([mode.value for mode in Guards]), help="As of `validate`.")
@click.option("--failargs", type=click.Choice([mode.value for mode in Failargs]), help="As of `validate`.")
def add(
    before: str,
    after: str | None,
    folder: str,
    name: str,
    about: str,
    taught: str,
    source: str,
    expect: str | None,
    guards: str | None,
    failargs: str | None,
) -> int:
    """Judge a pair of traces, and add it as a case, with the verdict as what is expected of it.

    BEFORE and AFTER are files. Instead of them, CASE is the folder of a case, for instance a find of a campaign.
    Without AFTER the case is a recorded trace that the optimizer has to cope with.

    \b
    $ traceproof corpus add loop.trace wrong.trace --name lost-store --about 'A store may not go.' --expect refuted
    $ traceproof corpus add campaign/cases/seed-7-refuted --name odd-factor --about 'An odd factor is no shift.'
    """
    if not re.fullmatch(r"[\w][\w.-]*", name):
        raise InputError(f"--name: expected a name of letters, digits, - and _, got {name!r}")
    case = _given(before, after)
    options = Options(Guards(guards or case.options.guards.value), Failargs(failargs or case.options.failargs.value))
    case = judged_case(
        replace(
            case, name=name, about=about, taught=taught or case.taught, source=source or case.source, options=options
        )
    )
    if expect is not None and case.expect != expect:
        raise InputError(f"--expect: the pair is {case.expect or 'not there'}, not {expect}; nothing was added")
    Path(folder).mkdir(parents=True, exist_ok=True)
    if not store_case(Path(folder), case):
        raise InputError(f"there is a case {name!r} in {folder} already")
    verdict = ", ".join(filter(None, (case.expect or "a recorded trace", case.obligation)))
    click.echo(f"added {Path(folder) / name}: {verdict}")
    return Exit.PROVED


def _given(before: str, after: str | None) -> Case:
    path = Path(before)
    if path.is_dir():
        if after is not None:
            raise InputError(f"{before} is the folder of a case, which has its own optimized trace; got {after}, too")
        return read_case(path.parent, path.name)
    text = read_text(before)
    parse(text, file=file_name(before))
    return Case("", text, None if after is None else read_text(after))


@corpus.command(short_help="Tell which cases say no more than another one, or remove them.")
@corpus_option
@click.option("--yes", is_flag=True, help="Remove them.")
@_json_option
def prune(folder: str, yes: bool, as_json: bool) -> int:
    """Tell which cases say nothing that another one does not say, and remove them with --yes.

    These are pairs that are there twice, but for the names of variables, and finds without a pair whose recorded trace
    another case has. Cases that somebody wrote are kept rather than those that a campaign found.

    \b
    $ traceproof corpus prune --corpus campaign/cases
    """
    names = case_names(Path(folder))
    count = 0
    for duplicate in duplicates([read_case(Path(folder), name) for name in names]):
        count += 1
        if yes:
            shutil.rmtree(Path(folder) / duplicate.name)
        data = {"name": duplicate.name, "same_as": duplicate.same_as, "removed": yes}
        click.echo(json.dumps(data) if as_json else f"{duplicate.name}: says no more than {duplicate.same_as}")
    if not as_json:
        done = f"removed {count}" if yes else f"{count} can go"
        click.echo(f"{counted(len(names), 'case')}, {done}{' (with --yes)' if count and not yes else ''}")
    return Exit.PROVED


@corpus.command(short_help="Print or write the traces of all cases.")
@read_corpus_option
@click.option("--folder", "target", metavar="DIR", help="Write NAME.before.trace and NAME.after.trace there instead.")
def export(folder: str, target: str | None) -> int:
    """Print all pairs as lines of JSON for `validate --batch`, or write all traces into a folder.

    A line has the name of the case, both traces, the verdict that is expected, and the options that it is expected
    under. Traces that say nothing of their words get a line that does.

    \b
    $ traceproof corpus export > pairs.jsonl
    $ traceproof corpus export --folder traces
    """
    for name in case_names(Path(folder)):
        case = read_case(Path(folder), name)
        before, after = printed_pair(case)
        if target is not None:
            Path(target).mkdir(parents=True, exist_ok=True)
            (Path(target) / f"{name}.before.trace").write_text(before, encoding="utf-8")
            if after is not None:
                (Path(target) / f"{name}.after.trace").write_text(after, encoding="utf-8")
        elif after is not None:
            pair = {"name": name, "before": before, "after": after, "expect": case.expect or None}
            options = {"guards": case.options.guards.value, "failargs": case.options.failargs.value}
            click.echo(json.dumps(pair | options))
    return Exit.PROVED
