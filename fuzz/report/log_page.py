"""The page of logs of PyPy whose pairs were proved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from fuzz.cases.log_run import PairRun
from fuzz.report.judged import JudgedPair, judge_pair
from fuzz.report.log_figures import VERDICTS, LogFigures
from fuzz.report.pages import render
from optimizer.ir.dialects.pypy_pairs import Count, LogPair, counts_of

_DETAILED = 40
"""The number of refuted pairs that are shown with their traces; the others are listed."""

_SHOWN = 200
"""The number of assumptions that are listed, and of other statements."""


@dataclass(slots=True)
class LogPage:
    """The outcomes as a page tells them."""

    rows: list[tuple[Any, ...]] = field(default_factory=list)
    refuted: list[tuple[str, PairRun]] = field(default_factory=list)

    def add(self, log: str, outcome: PairRun) -> None:
        """Takes in the outcome of a pair of the log of that name, "" if there is one log alone."""
        pair = outcome.pair
        before, after = counts_of(pair.recorded), counts_of(pair.optimized)
        sizes = (f"{before[count]} → {after[count]}" for count in (Count.OPERATIONS, Count.GUARDS))
        reason = "" if outcome.name == "proved" else str(outcome.verdict["reason"]).partition("\n")[0]
        reason += f"; {outcome.where}" if outcome.where else ""
        seconds = f"{1000 * (outcome.verdict['seconds'] or 0):.0f}"
        verdict = ("kind", "unknown" if outcome.name == "vacuous" else outcome.name, outcome.name)
        where = (log,) if log else ()
        self.rows.append((*where, pair.number, pair.kind.value, pair.point, *sizes, verdict, seconds, reason))
        if outcome.name == "refuted" and len(self.refuted) < _DETAILED:
            self.refuted.append((log, outcome))

    def text(self, figures: LogFigures) -> str:
        """The page; refuted pairs are judged again for their runs."""
        return render(
            "log.html",
            title=figures.title[:1].upper() + figures.title[1:],
            figures=figures,
            heads=("", "pairs|", *(f"{name}|" for name in VERDICTS)),
            sums=[(name, *counts) for name, counts in figures.rows()],
            rows=self.rows,
            reasons=_most(figures.reasons),
            missing=_most(figures.missing.counts),
            assumed=_most(figures.assumed.counts),
            refuted=list(self._judged()),
        )

    def _judged(self) -> Iterator[tuple[str, LogPair, JudgedPair]]:
        for log, outcome in self.refuted:
            if outcome.texts is not None:
                yield log, outcome.pair, judge_pair(outcome.texts.before, outcome.texts.after, outcome.texts.options)


def _most(counts: Counter[str]) -> list[tuple[int, str]]:
    return [(n, what) for what, n in counts.most_common(_SHOWN)]
