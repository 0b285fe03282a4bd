"""The summary of a campaign in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fuzz.campaign.results import COUNTED
from fuzz.report.campaign_facts import CampaignFacts, KeptFind
from fuzz.report.figures import FINDS, hard_operations
from fuzz.report.words import duration, number, printable, share, times

_SHOWN_FINDS = 50
_SHOWN_ROWS = 8
_SHOWN_NAMES = 60

Rows = Sequence[Sequence[str]]


def summary_text(told: CampaignFacts) -> str:
    """The text."""
    parts = [_head(told), _steps(told), _verdicts(told), _finds(told), _unknown(told), _slowest(told), _rules(told)]
    return printable("\n".join(line for part in parts for line in part).rstrip()) + "\n"


def _head(told: CampaignFacts) -> Iterator[str]:
    figures = told.figures
    yield f"# Campaign {told.name}"
    yield ""
    wall = figures.wall_seconds
    rate = f", {figures.traces / wall:.1f} a second" if wall else ""
    seeds = f", seeds {figures.first} to {figures.last}" if figures.traces else ""
    yield f"- **{told.outcome}**"
    yield f"- {times(figures.traces, 'trace')} through {told.optimizer} in {duration(wall)}{rate}{seeds}"
    if told.ended:
        yield f"- ended because {told.ended}"
    if told.chosen:
        yield f"- traces of {_plain(told.chosen)}"
    if figures.handed_back.traces:
        yield f"- {_plain(figures.handed_back.sentence(_SHOWN_NAMES))}"
    if told.versions:
        yield f"- versions: {', '.join(f'{name} {version}' for name, version in told.versions.items())}"
    yield ""


def _steps(told: CampaignFacts) -> Iterator[str]:
    if told.steps:
        yield "## Steps\n"
        lines = [(step.name, step.result, duration(step.seconds), f"`{step.command}`") for step in told.steps]
        yield from _table(("step", "result", "took", "command"), lines)


def _verdicts(told: CampaignFacts) -> Iterator[str]:
    figures = told.figures
    yield "## Verdicts\n"
    kinds = [kind for kind in (*COUNTED, *FINDS) if figures.verdicts[kind] or kind in COUNTED]
    lines = [(kind, number(figures.verdicts[kind]), share(figures.verdicts[kind], figures.traces)) for kind in kinds]
    yield from _table(("verdict", "traces", "share"), lines)
    total = figures.rungs.total()
    if total:
        rungs = ", ".join(f"{name} {share(count, total)}" for name, count in figures.rungs.most_common())
        yield f"{times(total, 'obligation')}: {rungs}.\n"
    if figures.checked or figures.not_checked:
        yield f"Proofs checked: {number(figures.checked)}, not checked: {number(len(figures.not_checked))}.\n"
        yield from (f"- seed {seed}: {_plain(why)}" for seed, why in figures.not_checked)
        yield ""
    yield (
        f"Guards: {number(figures.guards[0])} before, {number(figures.guards[1])} after, "
        f"{number(figures.early.guards)} early, {number(figures.stricter.guards)} stricter.\n"
    )


def _finds(told: CampaignFacts) -> Iterator[str]:
    yield "## Finds\n"
    if not told.finds:
        yield "Nothing was found.\n"
    for find in told.finds[:_SHOWN_FINDS]:
        yield from _find(find)
    if len(told.finds) > _SHOWN_FINDS:
        yield f"And {len(told.finds) - _SHOWN_FINDS} more buckets, which `index.html` lists.\n"


def _find(find: KeptFind) -> Iterator[str]:
    bucket = find.bucket
    yield f"### {_plain(bucket.name)}\n"
    yield f"{times(bucket.count, 'find')}, {bucket.kind}: {_plain(bucket.message)}\n"
    if find.case is not None:
        for name, text in (("before", find.case.before), ("after", find.case.after)):
            if text:
                yield f"{name}:\n"
                yield _fenced(text)
    if find.command:
        yield _fenced(find.command)


def _unknown(told: CampaignFacts) -> Iterator[str]:
    if told.figures.causes:
        yield "## Unknown by cause\n"
        causes = told.figures.causes.most_common(_SHOWN_ROWS)
        yield from _table(("traces", "cause"), [(number(count), cause) for cause, count in causes])


def _slowest(told: CampaignFacts) -> Iterator[str]:
    if told.figures.slowest:
        yield "## Slowest\n"
        lines = [
            (str(result.seed), duration(took), result.verdict, ", ".join(hard_operations(result)))
            for took, _, result in told.figures.slowest[:_SHOWN_ROWS]
        ]
        yield from _table(("seed", "judged in", "verdict", "hard operations"), lines)


def _rules(told: CampaignFacts) -> Iterator[str]:
    if told.figures.fired:
        yield f"## Rules, passes and transfer functions that never fired ({len(told.never_fired)})\n"
        yield (", ".join(f"`{name}`" for name in told.never_fired) or "None.") + "\n"


def _table(heads: Sequence[str], rows: Rows) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(cell if cell.startswith('`') else _plain(cell) for cell in row)} |"
    yield ""


def _plain(text: str) -> str:
    """Text that Markdown does not take for anything else."""
    return re.sub(r"([\\`*\[\]<>|])", r"\\\1", " ".join(text.split()))


def _fenced(text: str) -> str:
    longest = max((len(found) for found in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text.rstrip()}\n{fence}\n"
