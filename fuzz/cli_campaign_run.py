"""How the command `fuzz` runs a campaign: what it shows meanwhile and says at the end, and what it ends with."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator
from contextlib import closing
from pathlib import Path

import click

from fuzz.batch import Task, Told
from fuzz.campaign import FindKind
from fuzz.cli_seeds import Status
from fuzz.folder import CampaignFolder
from fuzz.plan import Plan
from fuzz.report.folder import write_report
from fuzz.report.words import times
from fuzz.results import Result
from fuzz.summary import SHOWN_FINDS, Summary
from validator.exits import Exit

_NextTask = Callable[[], Task | None]

Supervise = Callable[[_NextTask, Callable[[], None]], Generator[Told | Task]]
"""Has tasks done, and tells what comes of them."""


def run_campaign(plan: Plan, folder: Path, supervising: Supervise, as_json: bool) -> Exit:
    """Run the campaign in the folder until it ends, or Ctrl-C."""
    start = time.monotonic()
    summary = Summary(plan, str(folder))
    status = Status(start)
    until = None if plan.seconds is None else time.time() + plan.seconds
    interrupted = False
    with closing(CampaignFolder(folder, plan, until, summary.add)) as campaign:
        summary.before = summary.traces

        def next_task() -> Task | None:
            return None if _is_enough(plan, summary) else campaign.next_task()

        try:
            with closing(supervising(next_task, campaign.tick)) as told:
                for one in told:
                    if isinstance(one, Task):
                        campaign.end(one)
                        continue
                    campaign.keep(one)
                    _show(one, folder, summary, status, as_json)
                    if _is_enough(plan, summary):
                        break
        except KeyboardInterrupt:
            interrupted = True
    status.clear()
    spent = time.monotonic() - start
    click.echo(json.dumps(summary.data(spent, interrupted)) if as_json else summary.text(spent, interrupted))
    if summary.warning:
        click.echo(f"warning: {summary.warning}", err=True)
    write_report(folder, _why_ended(plan, summary, interrupted))
    if not as_json:
        click.echo(f"  report: {folder / 'report' / 'index.html'}")
    return _exit_code(summary, interrupted)


def _why_ended(plan: Plan, summary: Summary, interrupted: bool) -> str:
    if interrupted:
        return "it was interrupted"
    if _is_enough(plan, summary):
        return f"it was to stop after {times(plan.stop_after or 0, 'find')}"
    return "its time was up" if plan.traces is None or summary.traces < plan.traces else "all its traces were tried"


def _is_enough(plan: Plan, summary: Summary) -> bool:
    return plan.stop_after is not None and summary.finds.total() >= plan.stop_after


def _show(told: Told, folder: Path, summary: Summary, status: Status, as_json: bool) -> None:
    result = told.result
    is_shown = as_json or (told.case is not None and len(summary.cases) <= SHOWN_FINDS)
    if result is not None and result.is_find and is_shown:
        status.clear()
        click.echo(_found(result, folder, as_json))
    status.show(summary)


def _exit_code(summary: Summary, interrupted: bool) -> Exit:
    if interrupted:
        return Exit.INTERRUPTED
    if summary.finds[FindKind.FAULT]:
        return Exit.FAULT
    return Exit.REFUTED if summary.finds else Exit.PROVED


def _found(result: Result, folder: Path, as_json: bool) -> str:
    if not as_json:
        return f"{result.verdict}: {folder / 'cases' / result.case}: {result.reason}"
    told = {
        "seed": result.seed,
        "kind": result.verdict,
        "bucket": result.bucket,
        "case": result.case or None,
        "message": result.reason,
    }
    return json.dumps(told)
