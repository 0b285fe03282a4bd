"""The command `reduce`."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import click

from fuzz.campaign.examine import Counted, Find, Optimizer, Record, text_of, validating
from fuzz.campaign.find import case_of
from fuzz.campaign.plan import Plan
from fuzz.campaign.triage import OurParts, Settled, reduced_case, settle
from fuzz.cases.store import Case, read_case, store_case
from fuzz.command.options import (
    OF_THE_OPTIMIZER,
    Reading,
    json_option,
    judging_options,
    optimizer_options,
    reading_options,
    refuse,
)
from fuzz.reduce.reduce import Progress, Reduced
from fuzz.reduce.source import look_at, look_at_case
from fuzz.reduce.trials import Subject
from fuzz.report.words import counted
from fuzz.subject.optimizers import OptimizerKind, OptimizerSpec, open_optimizer
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace
from optimizer.ir.text import format_trace
from validator.command.exits import Exit, exit_code, input_errors
from validator.command.files import writable
from validator.command.shared_options import Seconds
from validator.command.status import Status
from validator.tell.report import verdict_name
from validator.tell.state_text import state_lines
from validator.tell.stored_state import stored_state
from validator.verdict import Options, Proved, Refuted


@click.command("reduce", short_help="Make the smallest trace that shows the same failure.")
@click.argument("source", metavar="CASE|BEFORE")
@click.argument("after", required=False, metavar="[AFTER]")
@click.option("-o", "--output", metavar="DIR", help="Store what is left in this new folder, as a case.")
@click.option("--corpus", default="campaign/cases", show_default=True, metavar="DIR", help="Where the case CASE is.")
@click.option("--seconds", type=Seconds(0), default=60.0, show_default=True, metavar="N", help="Time limit.")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, metavar="N", help="Processes that try.")
@judging_options(
    "Where a guard may fail; a case says so itself.",
    "Compare what guards hand over, or not; a case says so itself.",
)
@optimizer_options
@reading_options("TOML declarations to add to those of the traces.", "Width of a machine int, if the trace says none.")
@json_option("Print a JSON object.")
def reduce(
    source: str,
    after: str | None,
    output: str | None,
    corpus: str,
    seconds: float,
    jobs: int,
    options: Options,
    optimizer: OptimizerSpec,
    reading: Reading,
    as_json: bool,
) -> int:
    """Make the smallest trace that still shows the same failure: the same kind of find, the same kind of obligation,
    and the same pass and rule at fault where they are known.

    CASE is a folder or the name of one in DIR. With BEFORE alone, our own optimizer is run again on each trace that is
    tried, or the one that an option names; with BEFORE and AFTER, both are made smaller together, as is the pair of a
    case that the optimizer does not show, which is told then. Ctrl-C ends it with the smallest trace so far.

    \b
    $ traceproof reduce seed-7-refuted
    $ traceproof reduce before.trace --optimizer mine:optimize -o smaller
    $ traceproof reduce before.trace after.trace --json

    Ends with 0 if a failure was reduced, with 2 if there is none, and with 3 if nothing came out smaller: because it
    did not show again, or is the smallest already, as the first line says.
    """
    if after is not None:
        refuse(OF_THE_OPTIMIZER, "no optimizer is run on a pair")
    if output is not None:
        _check_new(Path(output))
    with open_optimizer(optimizer) as chosen:
        case = _case(source, corpus) if after is None else None
        if case is not None:
            refuse(["types", "word"], "a case says so itself")
            options = case.options
        record, subject = _looked_at(case or source, after, chosen, options, reading)
        if not isinstance(record, Find):
            return _nothing_wrong(source, record, case)
        find = record
        settled = _settled(find, subject, optimizer, seconds, jobs)
    shows = None if after is not None else subject.optimizer is not None
    note = _not_shown(case, optimizer.kind) if shows is False else ""
    click.echo(json.dumps(_json(find, settled, shows)) if as_json else "\n".join(_words(find, settled, note)))
    if output is not None:
        _store(Path(output), case or replace(case_of(find, Plan(0, options=options)), seed=None, command=""), settled)
    if settled.reduced.interrupted:
        return Exit.INTERRUPTED
    return Exit.PROVED if settled.reduced.smaller else Exit.UNKNOWN


def _settled(find: Find, subject: Subject, optimizer: OptimizerSpec, seconds: float, jobs: int) -> Settled:
    """The reduced find; how far that has come is shown on a terminal."""
    status = Status(time.monotonic())
    is_ours = subject.optimizer is not None and optimizer.kind is OptimizerKind.OURS
    separable = OurParts(optimizer.limit_s) if is_ours else None
    settled = settle(find, subject, seconds, separable, lambda at: status.show(partial(_line, at)), jobs)
    status.clear()
    return settled


def _not_shown(case: Case | None, kind: OptimizerKind) -> str:
    """The note that the optimizer does not show what is wrong with a case, and by which command it was found."""
    whose = "our" if kind is OptimizerKind.OURS else "the"
    found = f"; it was found by: {case.command}" if case is not None and case.command else ""
    return f"{whose} optimizer does not show this, the stored pair was reduced{found}"


def _looked_at(
    given: Case | str, after: str | None, optimizer: Optimizer, options: Options, reading: Reading
) -> tuple[Record, Subject]:
    """The record of the case or the files, and the subject that smaller ones are tried on."""
    if isinstance(given, Case):
        return look_at_case(given, optimizer, validating(options), options)
    before = reading.trace(given)
    optimized = None if after is None else reading.trace(after, before.word)
    subject = Subject(None if optimized else optimizer, validating(options), options)
    return look_at(before, optimized, subject), subject


def _nothing_wrong(source: str, record: Counted, case: Case | None) -> Exit:
    was = "" if case is None else case.kind or (case.expect if case.expect == "refuted" else "")
    if was:
        told = f"a {was}" if was in ("crash", "hang", "fault", "disagreement") else was
        click.echo(
            f"not reproduced: the case {source} is {told}, and that does not show now"
            f" ({verdict_name(record.verdict)}); say by an option which optimizer it was found with"
        )
        return Exit.UNKNOWN
    verdict = record.verdict
    if isinstance(verdict, Proved):
        raise InputError(f"{source}: nothing is wrong there, it is proved: there is nothing to reduce")
    told = f"{verdict_name(verdict)}: {verdict.reason}"
    click.echo(f"{source}: not reduced: nothing wrong was found there ({told})", err=True)
    return exit_code(verdict)


def _case(source: str, corpus: str) -> Case | None:
    """The case that is meant, None where it is the file of a trace."""
    path = Path(source)
    if (path / "before.trace").is_file():
        path = path.resolve()
        return read_case(path.parent, path.name)
    if path.is_dir():
        raise InputError(f"{source}: there is no trace in this folder: a case has before.trace")
    if source == "-" or path.exists():
        return None
    if not (Path(corpus) / source).is_dir():
        raise InputError(f"{source}: there is neither a file nor a case in {corpus} of that name")
    return read_case(Path(corpus), source)


def _check_new(folder: Path) -> None:
    """Raises InputError where no case can be stored."""
    if folder.exists():
        raise InputError(f"--output: {folder} is there already")
    writable(folder.parent, "--output")


def _store(folder: Path, case: Case, settled: Settled) -> None:
    with input_errors("--output: "):
        stored = store_case(folder.parent, reduced_case(case, settled.reduced, folder.name))
    if not stored:
        raise InputError(f"--output: {folder} is there already")


def _line(progress: Progress, seconds: float) -> str:
    left, tried = counted(progress.operations, "operation"), counted(progress.tried, "trace")
    return f"{seconds:.0f} s: {left} left, {tried} tried"


def _words(find: Find, settled: Settled, note: str) -> Iterator[str]:
    reduced = settled.reduced
    left = reduced.find
    if not reduced.smaller:
        yield f"not {_not_reduced(reduced)}"
    yield f"{left.kind.value}: {left.message}"
    if note:
        yield note
    if settled.guilt is not None:
        rule = f", rule {settled.guilt.rule}" if settled.guilt.rule else ""
        yield f"guilty: {', '.join(settled.guilt.passes)}{rule}"
    yield f"bucket: {settled.bucket}"
    sizes = f"{counted(len(find.generated.trace.ops), 'operation')}, {len(reduced.before.ops)} left"
    yield f"{sizes}; {counted(reduced.tried, 'trace')} tried in {reduced.seconds:.1f} s{_how(settled)}"
    yield f"\nbefore:\n{format_trace(reduced.before).rstrip()}"
    if after := text_of(left.after):
        yield f"\nafter:\n{after.rstrip()}"
    if isinstance(left.verdict, Refuted):
        yield ""
        yield from state_lines(left.verdict.counterexample, reduced.before)
        yield f"    {left.verdict.counterexample.difference}"


def _not_reduced(reduced: Reduced) -> str:
    if reduced.interrupted:
        return "reduced: it was interrupted before anything could be left out"
    if not reduced.repeated:
        return "reproduced: the failure did not show again, so nothing was reduced"
    if not reduced.complete:
        return "reduced: the time was up before anything could be left out; give it more --seconds"
    return "reduced: it is the smallest already, no change that was tried leaves the failure"


def _how(settled: Settled) -> str:
    reduced = settled.reduced
    if not reduced.smaller:
        return ""
    if reduced.interrupted:
        return " (interrupted)"
    return "" if reduced.complete else " (the time was up: a smaller one may be found with more --seconds)"


def _json(find: Find, settled: Settled, optimizer_shows_it: bool | None) -> dict[str, Any]:
    reduced, guilt = settled.reduced, settled.guilt
    left = reduced.find
    return {
        "kind": left.kind.value,
        "failure": reduced.failure.what,
        "message": left.message,
        "obligation": left.obligation or None,
        "bucket": settled.bucket,
        "guilty": None if guilt is None else {"passes": list(guilt.passes), "rule": guilt.rule or None},
        "before": format_trace(reduced.before),
        "after": text_of(left.after),
        "inputs": dict(stored_state(reduced.state, reduced.before).inputs),
        "heap": stored_state(reduced.state, reduced.before).heap or None,
        "operations": [len(find.generated.trace.ops), len(reduced.before.ops)],
        "tried": reduced.tried,
        "seconds": round(reduced.seconds, 3),
        "repeated": reduced.repeated,
        "smaller": reduced.smaller,
        "complete": reduced.complete,
        "interrupted": reduced.interrupted,
        "optimizer_shows_it": optimizer_shows_it,
    }
