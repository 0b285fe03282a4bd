"""The figures as tables, and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from statistics import median
from typing import Any

from recorded_traces.measure import COUNTED, Judged

_SHOWN = 5
"""The number of the slowest pairs that are shown."""


def program_table(judged: Sequence[Judged]) -> str:
    """A line for each program, and one for all: what was counted, before and after."""
    programs = list(dict.fromkeys(one.program for one in judged))
    lines = [_line(name, [one for one in judged if one.program == name]) for name in programs]
    return table(["program", "traces", "proved", *COUNTED, "median"], [*lines, _line("all", judged)])


def _line(name: str, judged: Sequence[Judged]) -> list[str]:
    optimized = [one for one in judged if one.after]
    counts = [
        f"{sum(one.before[what] for one in optimized):,} → {sum(one.after[what] for one in optimized):,}"
        for what in COUNTED
    ]
    return [name, str(len(judged)), str(sum(one.is_proved for one in judged)), *counts, _ms(_median(optimized))]


def _median(judged: Sequence[Judged]) -> float:
    return median(one.seconds for one in judged) if judged else 0.0


def cause_table(judged: Sequence[Judged]) -> str:
    """The causes for which pairs are not proved, most frequent first, each with the first trace."""
    left = [one for one in judged if not one.is_proved]
    causes = Counter((one.verdict, one.cause) for one in left)
    lines = []
    for (verdict, cause), times in causes.most_common():
        first = next(one for one in left if (one.verdict, one.cause) == (verdict, cause))
        lines.append([str(times), verdict, cause, f"{first.program} {first.number}"])
    return table(["traces", "verdict", "cause", "the first one"], lines) if lines else ""


def slowest_table(judged: Sequence[Judged]) -> str:
    slowest = sorted(judged, key=lambda one: -one.seconds)[:_SHOWN]
    lines = [
        [f"{one.program} {one.number}", str(one.before["operations"]), _ms(one.optimizing_s), _ms(one.judging_s)]
        for one in slowest
    ]
    return table(["the slowest", "operations", "optimizing", "judging"], lines)


def summary(judged: Sequence[Judged]) -> str:
    """The verdicts in a line."""
    verdicts = ", ".join(f"{times} {name}" for name, times in Counter(one.verdict for one in judged).most_common())
    share = 100 * sum(one.is_proved for one in judged) / max(1, len(judged))
    vacuous = sum(one.is_proved and one.vacuous is True for one in judged)
    told = f"{vacuous} of them vacuous" if vacuous else "none of them vacuous"
    return f"{len(judged)} traces: {verdicts} ({share:.1f} % proved, {told}); median {_ms(_median(judged))} a pair"


def as_json(judged: Sequence[Judged]) -> dict[str, Any]:
    return {
        "verdicts": dict(Counter(one.verdict for one in judged)),
        "median_s": _median(judged),
        "traces": [asdict(one) for one in judged],
    }


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms"


def table(heading: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    rows = (heading, ["---"] * len(heading), *lines)
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"
