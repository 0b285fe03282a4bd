"""Proving the pairs of logs: the table of `pypy-log --prove` and `pypy-run`, and the pairs as cases."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from fuzz.cases.log_run import LogRun, PairRun, opened_logs, prove_logs, read_known, study_logs, take_known
from fuzz.cases.recorded import log_stem
from fuzz.cases.store import Case, store_case
from fuzz.command.options import gathered, jobs_option
from fuzz.command.pypy.pairs import pair_json, pair_line, problems_of, tell_unpaired
from fuzz.report.junit import log_junit_text
from fuzz.report.log_figures import LogFigures
from fuzz.report.log_page import LogPage
from fuzz.report.statements import in_short
from fuzz.report.words import counted
from optimizer.ir.dialects.pypy_pairs import LogPair, Unpaired
from optimizer.ir.immutable import replace
from optimizer.ir.text import format_trace
from validator.command.exits import Exit, input_errors, worst
from validator.command.files import file_name, write_last
from validator.command.judging import Judging, open_cache
from validator.command.shared_options import effort_option, output_file_option, timeout_option
from validator.command.status import Status
from validator.pypy.judge import OPTIONS


@dataclass(frozen=True, slots=True)
class Proving:
    """The options of a command that proves logs."""

    jobs: int
    effort: int
    timeout_s: float
    only: tuple[int, ...] = ()
    cache: str | None = None
    html: str | None = None
    junit: str | None = None
    given: tuple[str, ...] = ()
    without_known: bool = False

    @property
    def judging(self) -> Judging:
        options = replace(OPTIONS, effort=self.effort, timeout_s=self.timeout_s)
        return Judging(options, None if self.cache is None else open_cache(self.cache))


proving_options = gathered(
    "proving",
    Proving,
    jobs_option,
    effort_option(OPTIONS.effort),
    timeout_option(OPTIONS.timeout_s, "Seconds for one pair."),
    click.option("--only", type=click.IntRange(1), multiple=True, metavar="N", help="Pair N alone; may be repeated."),
    click.option("--cache", metavar="DIR", help="Keep verdicts in this folder, and look them up there."),
    output_file_option("--html", "Write a page about all pairs there."),
    output_file_option("--junit", "Write the outcome of each pair there, for a CI: JUnit XML."),
    click.option(
        "--with", "given", multiple=True, metavar="FILE", help="Use what --learn wrote to this file; may be repeated."
    ),
    click.option("--without-known", is_flag=True, help="Do not use the knowledge of PyPy that comes with traceproof."),
)
"""The options of proofs; they come to a command as one argument `proving`."""


def prove(
    logs: Sequence[str], proving: Proving, as_json: bool, folder: Path | None = None, names: Sequence[str] = ()
) -> Exit:
    """Proves the pairs of logs, prints a line for each, in order, and the tables, under the names of the logs or other
    ones; the exit code of a batch. Stores each as a case in the folder, if there is one."""
    start = time.monotonic()
    figures, status = LogFigures(tuple(names or map(file_name, logs))), Status(start)
    with opened_logs(logs, figures.logs) as read:
        keeps_texts = folder is not None or proving.html is not None
        run = LogRun(read, proving.judging, frozenset(proving.only), keeps_texts)
        given = read_known(proving.given)
        study = study_logs(run.logs, lambda items: _watched(items, figures, status), given)
        figures.known = tuple(take_known(study, given, is_shipped=not proving.without_known))
        shown = _Shown(figures, as_json, LogPage() if proving.html is not None else None, folder)
        began, is_interrupted = time.time(), False
        try:
            with closing(prove_logs(run, study, proving.jobs)) as outcomes:
                for log, outcome in outcomes:
                    status.clear()
                    shown.add(log.name, outcome)
                    status.show(figures.line)
        except KeyboardInterrupt:
            is_interrupted = True
    status.clear()
    figures.problems = problems_of(run.logs, frozenset() if is_interrupted else run.only, shown.seen)
    if is_interrupted:
        figures.problems.append(f"interrupted: {counted(figures.pairs, 'pair')} of {figures.all_pairs} judged")
    for line in [json.dumps(figures.json())] if as_json else figures.lines():
        click.echo(line)
    if folder is not None and not as_json:
        click.echo(f"the pairs are in {folder}; their case.toml says with what --failargs they are judged")
    click.echo("".join(f"{problem}\n" for problem in figures.problems), err=True, nl=False)
    seconds, page = time.monotonic() - start, shown.page
    written = [
        write_last(proving.junit, lambda: log_junit_text(figures, began, seconds, shown.tests)),
        write_last(proving.html, lambda: "" if page is None else page.text(figures)),
    ]
    if is_interrupted:
        return Exit.INTERRUPTED
    return worst([*shown.codes, *written, *([Exit.USAGE] if figures.problems or shown.is_damaged else [])])


def _watched(items: Iterable[LogPair | Unpaired], figures: LogFigures, status: Status) -> Iterator[LogPair | Unpaired]:
    for item in items:
        figures.all_pairs += isinstance(item, LogPair)
        status.show(lambda seconds: f"{seconds:.0f} s: {figures.all_pairs} pairs are read")
        yield item


class _Shown:
    """The outcomes that were printed, as far as they are needed later, and stored in a folder, if there is one."""

    def __init__(self, figures: LogFigures, as_json: bool, page: LogPage | None, folder: Path | None) -> None:
        self._figures, self._as_json, self.page, self._folder = figures, as_json, page, folder
        self._warning = ""
        self.codes: set[Exit] = set()
        self.seen: set[int] = set()
        self.tests: list[tuple[str, str, str, float]] = []
        self.is_damaged = False

    def add(self, log: str, outcome: PairRun | Unpaired) -> None:
        """Takes in an outcome in the log of that name."""
        self.seen.add(outcome.number if isinstance(outcome, Unpaired) else outcome.pair.number)
        if isinstance(outcome, Unpaired):
            self._figures.unpaired += 1
            self.is_damaged |= tell_unpaired(log, outcome, self._as_json)
            return
        self._figures.add(outcome)
        self.codes.add(outcome.code)
        if outcome.warning and not self._warning:
            self._warning = outcome.warning
            click.echo(f"warning: {outcome.warning}", err=True)
        where = f"{log}: " if len(self._figures.logs) > 1 else ""
        reason = "" if outcome.name == "proved" else str(outcome.verdict["reason"])
        name = f"{where}{outcome.pair.number}: {outcome.pair.kind.value} {outcome.pair.point}"
        self.tests.append((name, outcome.name, reason, outcome.verdict["seconds"] or 0.0))
        if self.page is not None:
            self.page.add(log if where else "", outcome)
        if self._as_json:
            click.echo(json.dumps({"log": log} | outcome_json(outcome)))
        else:
            told = f": {reason.partition(chr(10))[0]}" if reason else ""
            told += f"; {outcome.where}" if outcome.where else ""
            told += f": {in_short(outcome.missing)}" if outcome.missing else ""
            margin = max(map(len, self._figures.logs)) + len(": ") if where else 0
            click.echo(f"{where:{margin}}{pair_line(outcome.pair, outcome.name)}{told}")
        if self._folder is not None and (loss := _stored(outcome, log, self._folder)):
            self.is_damaged = True
            click.echo(f"{log}: pair {outcome.pair.number} is not extracted: {loss}", err=True)


def outcome_json(outcome: PairRun) -> dict[str, Any]:
    """The outcome of a pair for machines: the pair, and its verdict as a batch tells it."""
    return (
        pair_json(outcome.pair)
        | outcome.verdict
        | {
            "inferred": list(outcome.inferred),
            "missing": list(outcome.missing),
            "where": outcome.where,
            "proved_without_inferred": outcome.holds_without,
        }
    )


# Pairs as cases.


def _stored(outcome: PairRun, log: str, folder: Path) -> str:
    """Stores the texts that the verdict is about as a case in the folder; why that cannot be, '' if it is done."""
    if outcome.texts is None:
        return str(outcome.verdict["reason"])
    pair, verdict = outcome.pair, str(outcome.verdict["verdict"])
    where = f"{Path(log).name}, pair {pair.number}, line {pair.recorded.line}: {pair.kind.value} {pair.point}".rstrip()
    notes = [where, f"{outcome.name}, judged with --failargs {outcome.texts.options.failargs.value}"]
    notes += [f"assumes: {what}" for what in outcome.inferred]
    notes += [f"the log does not say: {what}" for what in outcome.missing]
    heading = "".join(f"# {note}\n" for note in notes)
    before, after = (f"{heading}{format_trace(trace)}" for trace in (outcome.texts.before, outcome.texts.after))
    case = Case(
        name=f"{log_stem(log)}-{pair.number:04}",
        before=before,
        after=after,
        about=where,
        source="a log of PyPy: before is what it recorded, after what its optimizer made of it",
        expect=verdict if verdict in ("proved", "refuted") and outcome.texts.loop is None else "",
        optimizer=False,
        options=outcome.texts.options,
    )
    with input_errors("--extract: "):
        if not store_case(folder, case):
            return f"{folder / case.name} is there already"
        for name, trace in zip(("recorded", "peeled"), outcome.texts.loop or (), strict=False):
            (folder / case.name / f"{name}.trace").write_text(format_trace(trace))
    return ""
