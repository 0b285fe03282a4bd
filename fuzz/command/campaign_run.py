"""The run of a campaign by the command `fuzz`: what it shows meanwhile and says at the end, and its exit code."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import click

from fuzz.campaign.batch import Cut, SeedDone, Task
from fuzz.campaign.examine import FindKind
from fuzz.campaign.find import PRINTED
from fuzz.campaign.folder import CampaignFolder
from fuzz.campaign.plan import Plan
from fuzz.campaign.summary import SHOWN_FINDS, Summary
from fuzz.report.folder import write_report
from fuzz.report.words import last_lines, times
from validator.command.exits import Exit
from validator.command.status import Status
from validator.processes.child import ERRORS

Supervise = Callable[[Callable[[], Task | None]], Generator[SeedDone | Task | Cut]]
"""Has tasks done, and tells what comes of them."""

_SLOW_S = 1.0
"""The seconds from which on a trace is slow enough that it is worth telling that it was cut."""


def run_campaign(plan: Plan, folder: Path, supervising: Supervise, as_json: bool, start: float) -> Exit:
    """Run the campaign in the folder until it ends, or Ctrl-C. Its time began at `start` by `time.monotonic`."""
    summary = Summary(plan, str(folder))
    shown = _Shown(summary, Status(start), folder, as_json)
    until = None if plan.seconds is None else time.time() + plan.seconds - (time.monotonic() - start)
    with closing(CampaignFolder(folder, plan, until, summary.add)) as campaign:
        summary.before = summary.traces
        interrupted = _work(campaign, supervising, summary, shown)
        why = _why_ended(summary, interrupted, is_late=until is not None and time.time() >= until)
        campaign.refresh()
    shown.status.clear()
    spent = time.monotonic() - start
    click.echo(json.dumps(summary.data(spent, interrupted)) if as_json else summary.text(spent, interrupted))
    write_report(folder, why or _why_ended(summary) or "other processes are at what is left")
    if not as_json:
        click.echo(f"  report: {folder / 'report' / 'index.html'}")
    if warning := summary.warning(interrupted):
        click.echo(f"warning: {warning}", err=True)
    return _exit_code(summary, interrupted)


def _work(campaign: CampaignFolder, supervising: Supervise, summary: Summary, shown: _Shown) -> bool:
    """Keep and show what is found out; was it interrupted? A find that is being reduced at the end is kept as it is."""
    interrupted = False
    reducing: dict[int, SeedDone] = {}

    def next_task() -> Task | None:
        return None if _is_enough(summary) else campaign.next_task()

    def keep(done: SeedDone) -> None:
        campaign.keep(done)
        shown.show(done)

    try:
        with closing(supervising(next_task)) as events:
            for event in events:
                match event:
                    case Task():
                        campaign.end(event)
                    case SeedDone(is_final=False):
                        reducing[event.seed] = event
                    case SeedDone():
                        reducing.pop(event.seed, None)
                        keep(event)
                    case Cut(seed, seconds):
                        summary.cut += [seed] * (seed not in reducing and seconds >= _SLOW_S)
                if _is_enough(summary):
                    return False
    except KeyboardInterrupt:
        interrupted = True
    for unreduced in reducing.values():
        keep(unreduced)
    return interrupted


def _why_ended(summary: Summary, interrupted: bool = False, *, is_late: bool = False) -> str:
    """The reason for which the campaign has ended; "" if there is none in this process."""
    traces = summary.plan.traces
    if interrupted:
        return "it was interrupted"
    if _is_enough(summary):
        return f"it was to stop after {times(summary.plan.stop_after or 0, 'find')}"
    if traces is not None and summary.traces >= traces:
        return "all its traces were tried"
    return "its time was up" if is_late else ""


def _is_enough(summary: Summary) -> bool:
    return summary.plan.stop_after is not None and summary.figures.finds >= summary.plan.stop_after


def _exit_code(summary: Summary, interrupted: bool) -> Exit:
    if interrupted:
        return Exit.INTERRUPTED
    if any(kind.is_ours for kind in summary.finds):
        return Exit.FAULT
    return Exit.REFUTED if summary.finds else Exit.PROVED


@dataclass(slots=True)
class _Shown:
    """Printing of finds: the first of each bucket with the end of what the optimizer said, or in JSON each."""

    summary: Summary
    status: Status
    folder: Path
    as_json: bool
    buckets: set[str] = field(default_factory=set)

    def show(self, done: SeedDone) -> None:
        for line in self._lines(done):
            self.status.clear()
            click.echo(line)
        self.status.show(self.summary.line)

    def _lines(self, done: SeedDone) -> list[str]:
        result = done.result
        if result is None or not result.is_find:
            return []
        case = None if result.bucket in self.buckets else done.case
        self.buckets.add(result.bucket)
        report = ""
        if case is not None and not FindKind(result.verdict).is_ours:
            report = last_lines(case.report, (PRINTED, ERRORS))
        if self.as_json:
            told = {
                "seed": result.seed,
                "kind": result.verdict,
                "bucket": result.bucket or None,
                "case": result.case or None,
                "message": result.reason,
                "report": report or None,
            }
            return [json.dumps(told)]
        if case is None or len(self.summary.cases) > SHOWN_FINDS:
            return []
        found = f"{result.verdict}: {self.folder / 'cases' / result.case}: {result.reason}"
        return [found, *(f"    {line}" for line in report.splitlines())]
