"""The report of a campaign: the files of the folder `report/`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fuzz.campaign.figures import FINDS, Figures, hard_operations
from fuzz.campaign.results import COUNTED
from fuzz.report.campaign_facts import CampaignFacts, read_campaign
from fuzz.report.campaign_page import campaign_page
from fuzz.report.junit import junit_text
from fuzz.report.pages import render
from fuzz.report.words import duration, number, share
from validator.command.files import write_text

_SHOWN_FINDS = 50
_SHOWN_ROWS = 8


def summary_text(campaign: CampaignFacts) -> str:
    """The summary in Markdown."""
    figures = campaign.figures
    counts = [(kind, figures.verdicts[kind]) for kind in (*COUNTED, *FINDS)]
    text = render(
        "summary.md",
        campaign=campaign,
        shown_finds=_SHOWN_FINDS,
        steps=[(step.name, step.result, duration(step.seconds), f"`{step.command}`") for step in campaign.steps],
        verdicts=[
            (kind, number(count), share(count, figures.traces)) for kind, count in counts if count or kind in COUNTED
        ],
        causes=[(number(count), cause) for cause, count in figures.causes.most_common(_SHOWN_ROWS)],
        slowest=[
            (str(result.seed), duration(took), result.verdict, ", ".join(hard_operations(result)))
            for took, _, result in figures.slowest[:_SHOWN_ROWS]
        ],
    )
    return text.rstrip() + "\n"


# Figures as lines.


def figure_lines(campaign: CampaignFacts) -> str:
    """Every figure as a line of JSON: `name`, what it is `of`, `value` and `unit`."""
    lines = [*_totals(campaign.figures), *_by_name(campaign), *_over_time(campaign.figures)]
    return "".join(json.dumps(line) + "\n" for line in lines)


def _line(name: str, of: str | None, value: float, unit: str) -> dict[str, Any]:
    return {"name": name, "of": of, "value": round(value, 6), "unit": unit}


def _totals(figures: Figures) -> Iterator[dict[str, Any]]:
    yield _line("traces", None, figures.traces, "traces")
    yield _line("finds", None, figures.finds, "traces")
    yield _line("wall time", None, figures.wall_seconds, "s")
    yield _line("vacuous", None, figures.vacuous, "traces")
    yield _line("proofs checked", None, figures.checked, "traces")
    yield _line("proofs not checked", None, len(figures.not_checked), "traces")
    yield _line("lost processes", None, figures.lost, "traces")
    yield _line("solver queries", None, figures.solver_queries, "obligations")
    for name, pair in (("operations", figures.operations), ("guards", figures.guards)):
        for of, value in zip(("before", "after"), pair, strict=True):
            yield _line(name, of, value, name)
    for of, moved in (("early", figures.early), ("stricter", figures.stricter)):
        yield _line("guards that moved", of, moved.guards, "guards")
        yield _line("traces with guards that moved", of, moved.traces, "traces")


def _by_name(campaign: CampaignFacts) -> Iterator[dict[str, Any]]:
    figures = campaign.figures
    for name, counts, unit in (
        ("verdicts", figures.verdicts, "traces"),
        ("made", figures.made, "traces"),
        ("time", figures.seconds, "s"),
        ("rungs", figures.rungs, "obligations"),
        ("unknown by operation", figures.unknown, "traces"),
        ("time of unknown by operation", figures.unknown_seconds, "s"),
        ("unknown by cause", figures.causes, "traces"),
        ("fired", figures.fired, "traces"),
    ):
        yield from (_line(name, of, value, unit) for of, value in counts.items())
    yield from (_line("fired", name, 0, "traces") for name in campaign.never_fired)
    yield from (_line("bucket", bucket.name, bucket.count, "traces") for bucket in figures.buckets.values())
    yield from (_line("slowest", f"seed {result.seed}", took, "s") for took, _, result in figures.slowest)
    for power, count in sorted(figures.judging.items()):
        yield _line("judged within", f"{2**power} ms", count, "traces")
    yield from (_line("step", step.name, step.seconds, "s") for step in campaign.steps)


def _over_time(figures: Figures) -> Iterator[dict[str, Any]]:
    for span in figures.spans():
        for verdict, count in span.counts.items():
            yield _line("verdicts over time", verdict, count, "traces") | {"start": span.start, "seconds": span.seconds}


FILES = {
    "summary.md": summary_text,
    "junit.xml": junit_text,
    "figures.jsonl": figure_lines,
    "index.html": campaign_page,
}
"""The makers of the texts of the files."""


def write_report(campaign: Path, ended: str = "") -> CampaignFacts:
    """Writes the report of a campaign's folder; `ended` says why the campaign ended: "its time was up". Raises
    InputError where the folder holds no campaign, or cannot be written."""
    facts = read_campaign(campaign, ended)
    (campaign / "report").mkdir(exist_ok=True)
    for name, make in FILES.items():
        write_text(str(campaign / "report" / name), make(facts))
    return facts
