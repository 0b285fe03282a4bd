"""The page of a campaign."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping

from fuzz.campaign.results import COUNTED
from fuzz.report import plots
from fuzz.report.campaign_facts import CampaignFacts, KeptFind
from fuzz.report.figures import FINDS, Figures, hard_operations
from fuzz.report.markup import Markup, joined, tag
from fuzz.report.page import command, facts, kind_label, listing, page, section
from fuzz.report.pair_page import case_texts, pair_parts
from fuzz.report.words import duration, number, share, times

DETAILED = 40
"""So many finds are shown with their traces; the others are listed."""

_SHOWN_NAMES = 60

_TONES = "abcdef"


def campaign_page(told: CampaignFacts) -> str:
    """The page."""
    figures = told.figures
    parts = [("steps", "Steps", _steps)] if told.steps else []
    parts += [("finds", "Finds", _finds), ("time", "Over time", _over_time), ("proofs", "Proofs", _proofs)]
    parts += [
        ("unknown", "Unknown and slow", _unknown),
        ("guards", "Guards", _guards),
        ("rules", "Rules, passes and transfer functions", _rules),
    ]
    parts += [("details", "Each find", _details)] if told.finds else []
    links = [tag("a", title, href=f"#{anchor}") for anchor, title, _ in parts]
    title = f"Campaign {told.name}"
    return page(
        title,
        tag("h1", title),
        tag("p", tag("b", told.outcome[0].upper(), told.outcome[1:], "."), " ", _lead(told), class_="lead"),
        facts(_head(figures)),
        tag("nav", *links, aria_label="parts of the page"),
        *(section(anchor, name, *content(told)) for anchor, name, content in parts),
        tag("footer", _foot(told)),
    )


def _lead(told: CampaignFacts) -> str:
    figures = told.figures
    if not figures.traces:
        return "No trace was tried."
    seeds = f"seeds {figures.first} to {figures.last}"
    ended = f" It ended because {told.ended}." if told.ended else ""
    chosen = f" Traces are of {told.chosen}." if told.chosen else ""
    return (
        f"{times(figures.traces, 'trace')} ({seeds}) through {told.optimizer} in {duration(figures.wall_seconds)}."
        f"{chosen}{ended}"
    )


def _head(figures: Figures) -> Iterator[tuple[str, str, str]]:
    wall = figures.wall_seconds
    yield "Traces", number(figures.traces), ""
    yield "Finds", number(figures.finds), figures.sorted_finds if figures.finds else ""
    for verdict in COUNTED:
        count = figures.verdicts[verdict]
        yield verdict.capitalize(), number(count), share(count, figures.traces) if count else ""
    yield "Throughput", f"{figures.traces / wall:.1f}" if wall else "-", "traces/s"


def _foot(told: CampaignFacts) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in told.versions.items())
    return f"Made by traceproof from {times(told.figures.traces, 'result')}." + (
        f" Versions: {versions}." * bool(versions)
    )


def _steps(told: CampaignFacts) -> Iterator[Markup]:
    lines = []
    for step in told.steps:
        label = kind_label("refuted", "look at it") if step.needs_a_look else kind_label("proved", "fine")
        result = joined(label, f" {step.result}", tag("p", tag("code", step.command)))
        lines.append((step.name, duration(step.seconds), result))
    yield listing(("step", "took|", "result"), lines, "what was run")


# Finds.


def _finds(told: CampaignFacts) -> Iterator[Markup]:
    if not told.finds:
        yield tag("p", "Nothing was found.")
        return
    lines = []
    for i, find in enumerate(told.finds):
        bucket = find.bucket
        name = tag("a", bucket.name, href=f"#find-{i}") if i < DETAILED else bucket.name
        lines.append((kind_label(bucket.kind), number(bucket.count), joined(name, tag("p", bucket.message))))
    heads = ("kind", "finds|", "bucket")
    yield listing(heads, lines[:DETAILED], "finds by bucket")
    if lines[DETAILED:]:
        rest = listing(heads, lines[DETAILED:], "more finds by bucket")
        yield tag("details", tag("summary", f"And {times(len(lines) - DETAILED, 'more bucket')}"), rest)


def _details(told: CampaignFacts) -> Iterator[Markup]:
    left = len(told.finds) - DETAILED
    if left > 0:
        yield tag("p", f"The first {DETAILED}; the other {left} are in the folder of cases.", class_="quiet")
    for i, find in enumerate(told.finds[:DETAILED]):
        yield _find(i, find)


def _find(i: int, find: KeptFind) -> Markup:
    bucket, case = find.bucket, find.case
    seeds = ", ".join(map(str, bucket.seeds)) + (", …" if bucket.count > len(bucket.seeds) else "")
    parts = [
        tag("h3", kind_label(bucket.kind), " ", bucket.name, id=f"find-{i}-title"),
        tag("p", bucket.message),
        tag("p", f"{times(bucket.count, 'find')}, at seed {seeds}.", class_="quiet"),
    ]
    if find.command:
        parts.append(command(find.command))
    pair = find.judged()
    if pair is not None:
        parts += pair_parts(pair)
    elif case is not None:
        parts += case_texts(case)
    else:
        parts.append(tag("p", "Its case is not in the folder.", class_="quiet"))
    return tag("article", *parts, class_="find", id=f"find-{i}", aria_labelledby=f"find-{i}-title")


# Figures.


def _over_time(told: CampaignFacts) -> Iterator[Markup]:
    spans = told.figures.spans()
    if not spans:
        yield tag("p", "Nothing was told yet.")
        return
    seconds = spans[-1].start + spans[-1].seconds
    rest = [verdict for verdict in (*COUNTED[1:], *FINDS) if told.figures.verdicts[verdict]]

    def throughput(width: float) -> Markup:
        rates = [span.rate for span in spans]
        return plots.over_time(width, "Throughput", "traces a second", seconds, [("a", rates)])

    def verdicts(width: float) -> Markup:
        stacks = [(verdict, [span.percent(verdict) for span in spans]) for verdict in rest]
        return plots.over_time(width, "Verdicts other than proved", "% of traces", seconds, stacks)

    drawn = [plots.figure("Throughput", f"All traces, in spans of {duration(spans[0].seconds)}.", throughput)]
    if rest:
        legend = plots.legend([(verdict, f"{verdict} ({number(told.figures.verdicts[verdict])})") for verdict in rest])
        drawn.append(plots.figure("Verdicts other than proved", "Share of the traces of each span.", verdicts, legend))
    yield tag("div", *drawn, class_="figures")


def _proofs(told: CampaignFacts) -> Iterator[Markup]:
    figures = told.figures
    drawn = []
    if figures.rungs:
        ranked = figures.rungs.most_common()
        total = figures.rungs.total()
        parts = [(name, tone, float(count)) for (name, count), tone in zip(ranked, _tones(), strict=False)]
        legend = plots.legend([(tone, f"{name} {share(count, total)}") for name, tone, count in parts])
        told_sentence = f"{times(total, 'obligation')}; {number(figures.solver_queries)} went to a solver."
        drawn.append(
            plots.figure(
                "What settled the obligations",
                told_sentence,
                lambda width: plots.shares(width, "What settled the obligations", parts),
                legend,
            )
        )
    if figures.judging:
        powers = range(max(figures.judging) + 1)
        bars = [(_up_to(2**power), float(figures.judging[power])) for power in powers]
        drawn.append(
            plots.figure(
                "Time to judge a pair",
                "Traces by the time that the validator took.",
                lambda width: plots.columns(width, "Time to judge a pair", "at most", "traces", bars, "a"),
            )
        )
    drawn.insert(
        1,
        tag(
            "div",
            tag("h3", "Where the time went"),
            listing(("work", "seconds|", "share|"), _times(figures), "where the time went"),
        ),
    )
    yield tag("div", *drawn, class_="figures")


def _tones() -> Iterator[str]:
    yield from _TONES
    while True:
        yield _TONES[-1]


def _up_to(milliseconds: int) -> str:
    return f"{milliseconds} ms" if milliseconds < 1000 else f"{milliseconds / 1024:.0f} s"


def _times(figures: Figures) -> Iterator[tuple[str, str, str]]:
    total = sum(figures.seconds.values())
    for name, seconds in figures.seconds.items():
        yield name, f"{seconds:.1f}", share(seconds, total)


def _unknown(told: CampaignFacts) -> Iterator[Markup]:
    figures = told.figures
    if figures.unknown:
        bars = [
            (name, float(count), f"{times(count, 'trace')}, {duration(figures.unknown_seconds[name])}")
            for name, count in figures.unknown.most_common(12)
        ]
        title = "Unknown by operation"
        told_sentence = "Traces whose unknown is blamed on the operation, and the time that was spent on them."
        causes = listing(("traces|", "cause"), _causes(figures.causes), "causes of unknown verdicts")
        plot = plots.figure(title, told_sentence, lambda width: plots.rows(width, title, bars, "unknown"))
        yield tag("div", plot, tag("div", tag("h3", "Causes"), causes), class_="figures")
    else:
        yield tag("p", "Nothing was unknown.")
    if figures.slowest:
        yield tag("h3", "Slowest")
        lines = [
            (
                str(result.seed),
                duration(took),
                kind_label(result.verdict),
                str(result.operations[0]) if result.operations else "-",
                str(result.solver_queries),
                ", ".join(hard_operations(result)) or "-",
            )
            for took, _, result in figures.slowest
        ]
        heads = ("seed|", "judged in|", "verdict", "operations|", "queries|", "hard operations")
        yield listing(heads, lines, "slowest traces")


def _causes(causes: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    for cause, count in Counter(causes).most_common(12):
        yield number(count), cause


def _guards(told: CampaignFacts) -> Iterator[Markup]:
    figures = told.figures
    (before, after), (ops_before, ops_after) = figures.guards, figures.operations
    yield tag(
        "p",
        f"The optimizer left {share(after, before)} of {times(before, 'guard')} and {share(ops_after, ops_before)} of "
        f"{times(ops_before, 'operation')}.",
    )
    if figures.handed_back.traces:
        sentence = figures.handed_back.sentence(_SHOWN_NAMES)
        yield tag("p", sentence[0].upper(), sentence[1:], ".")
    early, stricter = figures.early, figures.stricter
    lines = [
        ("stricter", number(stricter.guards), number(stricter.traces), "fail also where the recorded trace goes on"),
        ("early", number(early.guards), number(early.traces), "fail where the recorded trace leaves at a later guard"),
    ]
    yield listing(("guards that are", "guards|", "traces|", "meaning"), lines, "guards that fail elsewhere")
    if figures.stricter_seeds:
        seeds = [(str(seed), str(guards)) for seed, guards in figures.stricter_seeds[:12]]
        yield tag("h3", "Most stricter guards")
        yield listing(("seed|", "stricter guards|"), seeds, "traces with most stricter guards")


def _rules(told: CampaignFacts) -> Iterator[Markup]:
    fired = told.figures.fired
    if not fired:
        yield tag("p", "The optimizer does not tell what fired.")
        return
    never = told.never_fired
    yield tag("h3", f"Never fired ({len(never)})")
    yield (
        tag("ul", *(tag("li", tag("code", name)) for name in never), class_="rules never")
        if never
        else tag("p", "None.")
    )
    most = max(fired.values())
    items = [
        tag("li", tag("code", name), number(count), style=f"--share:{100 * math.log1p(count) / math.log1p(most):.1f}%")
        for name, count in sorted(fired.items(), key=lambda one: (one[1], one[0]))
    ]
    summary = tag("summary", f"Fired ({len(fired)}), with the number of traces in which it did; rarest first")
    yield tag("details", summary, tag("ul", *items, class_="rules"))
