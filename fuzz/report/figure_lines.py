"""Every figure of a campaign as a line of JSON: `name`, what it is `of`, `value` and `unit`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from fuzz.campaign.figures import Figures
from fuzz.report.campaign_facts import CampaignFacts


def figure_lines(campaign: CampaignFacts) -> str:
    """The lines."""
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
