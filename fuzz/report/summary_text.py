"""The summary of a campaign in Markdown."""

from __future__ import annotations

from fuzz.campaign.figures import FINDS, hard_operations
from fuzz.campaign.results import COUNTED
from fuzz.report.campaign_facts import CampaignFacts
from fuzz.report.pages import render
from fuzz.report.words import duration, number, share

_SHOWN_FINDS = 50
_SHOWN_ROWS = 8


def summary_text(campaign: CampaignFacts) -> str:
    """The text."""
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
