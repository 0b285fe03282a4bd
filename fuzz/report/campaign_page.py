"""The page of a campaign."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain, repeat

from fuzz.campaign.figures import FINDS, Figures
from fuzz.campaign.results import COUNTED
from fuzz.report import plots
from fuzz.report.campaign_facts import CampaignFacts
from fuzz.report.pages import render
from fuzz.report.plots import Plot
from fuzz.report.words import duration, number, share, times

DETAILED = 40
"""The number of finds that are shown with their traces; the others are listed."""

_TONES = "abcdef"

_SHOWN_OPERATIONS = 12

Legend = list[tuple[str, str]]


def campaign_page(campaign: CampaignFacts) -> str:
    """The page."""
    figures = campaign.figures
    total = sum(figures.seconds.values())
    drawn, legends = _plots(figures)
    return render(
        "campaign.html",
        title=f"Campaign {campaign.name}",
        campaign=campaign,
        lead=_lead(campaign),
        facts=list(_facts(figures)),
        spans=figures.spans(),
        plots=drawn,
        legends=legends,
        spent=[(name, f"{seconds:.1f}", share(seconds, total)) for name, seconds in figures.seconds.items()],
        fired=list(_fired(figures)),
        detailed=DETAILED,
    )


def _lead(campaign: CampaignFacts) -> str:
    figures = campaign.figures
    if not figures.traces:
        return "No trace was tried."
    seeds = f"seeds {figures.first} to {figures.last}"
    ended = f" It ended because {campaign.ended}." if campaign.ended else ""
    chosen = f" Traces are of {campaign.chosen}." if campaign.chosen else ""
    return (
        f"{times(figures.traces, 'trace')} ({seeds}) through {campaign.optimizer} in {duration(figures.wall_seconds)}."
        f"{chosen}{ended}"
    )


def _facts(figures: Figures) -> Iterator[tuple[str, str, str]]:
    """Numbers at the head: name, value and unit of each."""
    wall = figures.wall_seconds
    yield "Traces", number(figures.traces), ""
    yield "Finds", number(figures.finds), figures.sorted_finds if figures.finds else ""
    for verdict in COUNTED:
        count = figures.verdicts[verdict]
        yield verdict.capitalize(), number(count), share(count, figures.traces) if count else ""
    yield "Throughput", f"{figures.traces / wall:.1f}" if wall else "-", "traces/s"


def _plots(figures: Figures) -> tuple[dict[str, Plot | None], dict[str, Legend]]:
    """The plots, each None where there is nothing to show, and the legends of those that have one."""
    spans, total = figures.spans(), figures.rungs.total()
    seconds = spans[-1].start + spans[-1].seconds if spans else 0.0
    rest = [verdict for verdict in (*COUNTED[1:], *FINDS) if figures.verdicts[verdict]]
    stacks = [(verdict, [span.percent(verdict) for span in spans]) for verdict in rest]
    tones = chain(_TONES, repeat(_TONES[-1]))
    rungs = [
        (name, tone, float(count)) for (name, count), tone in zip(figures.rungs.most_common(), tones, strict=False)
    ]
    judging = [
        (f"{2**power} ms" if power < 10 else f"{2 ** (power - 10)} s", float(figures.judging[power]))
        for power in range(max(figures.judging, default=-1) + 1)
    ]
    unknown = [
        (name, float(count), f"{times(count, 'trace')}, {duration(figures.unknown_seconds[name])}")
        for name, count in figures.unknown.most_common(_SHOWN_OPERATIONS)
    ]
    rates = [("a", [span.rate for span in spans])]
    drawn = {
        "throughput": plots.over_time("Throughput", "traces a second", seconds, rates) if spans else None,
        "verdicts": plots.over_time("Verdicts other than proved", "% of traces", seconds, stacks) if stacks else None,
        "rungs": plots.shares("What settled the obligations", rungs) if rungs else None,
        "judging": plots.columns("Time to judge a pair", "at most", "traces", judging, "a") if judging else None,
        "unknown": plots.rows("Unknown by operation", unknown, "unknown") if unknown else None,
    }
    legends = {
        "verdicts": [(verdict, f"{verdict} ({number(figures.verdicts[verdict])})") for verdict in rest],
        "rungs": [(tone, f"{name} {share(count, total)}") for name, tone, count in rungs],
    }
    return drawn, legends


def _fired(figures: Figures) -> Iterator[tuple[str, int, float]]:
    """The parts that fired, rarest first, with the number of traces, and the length of a bar in percent."""
    most = max(figures.fired.values(), default=1)
    for name, count in sorted(figures.fired.items(), key=lambda item: (item[1], item[0])):
        yield name, count, 100 * math.log1p(count) / math.log1p(most)
