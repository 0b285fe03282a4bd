"""Every figure of a campaign, from its results."""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from fuzz.campaign.changes import HandedBack
from fuzz.campaign.examine import FindKind
from fuzz.campaign.results import Result
from fuzz.report.words import times

Entry = TypeVar("Entry", bound=tuple[Any, ...])

FINDS = tuple(kind.value for kind in FindKind)

SLOWEST = 15
_STRICTEST = 12
_SPANS = 90
_SHOWN_SEEDS = 5
_NO_OPERATION = "no operation is named"
_NOT_SETTLED = " was not settled: "
_NUMBER = re.compile(r"\b\d+\b")


@dataclass(slots=True)
class Bucket:
    """Finds that look alike. `seeds` are the first few, `case` is the one that is kept."""

    name: str
    kind: str
    message: str
    case: str = ""
    count: int = 0
    seeds: list[int] = field(default_factory=list)
    found_at: float | None = None


@dataclass(slots=True)
class Moved:
    """Guards that fail elsewhere than recorded, and traces with such guards."""

    traces: int = 0
    guards: int = 0

    def add(self, guards: int) -> None:
        self.traces += guards > 0
        self.guards += guards


@dataclass(frozen=True, slots=True)
class Span:
    """The results of `seconds` from `start` on (seconds since the first record)."""

    start: float
    seconds: float
    counts: Counter[str]

    @property
    def rate(self) -> float:
        """Traces a second."""
        return self.counts.total() / self.seconds

    def percent(self, verdict: str) -> float:
        """The percentage of the span's traces that have that verdict."""
        return 100 * self.counts[verdict] / (self.counts.total() or 1)


@dataclass(slots=True)
class Figures:
    """Counts over records. Times are in seconds; `began` and `ended` are when the first and the last record
    was told (Unix time), and `each_second` has the verdicts of each second. `not_checked` are the seeds of proofs that
    the checker does not follow, and why; `slowest` and `strictest` the traces that took longest and those with most
    stricter guards, each with minus its seed, so that of equal ones the first are kept."""

    verdicts: Counter[str] = field(default_factory=Counter)
    made: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=dict)
    rungs: Counter[str] = field(default_factory=Counter)
    operations: list[int] = field(default_factory=lambda: [0, 0])
    guards: list[int] = field(default_factory=lambda: [0, 0])
    vacuous: int = 0
    solver_queries: int = 0
    lost: int = 0
    early: Moved = field(default_factory=Moved)
    stricter: Moved = field(default_factory=Moved)
    strictest: list[tuple[int, int]] = field(default_factory=list)
    fired: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    unknown_seconds: dict[str, float] = field(default_factory=dict)
    causes: Counter[str] = field(default_factory=Counter)
    judging: Counter[int] = field(default_factory=Counter)
    slowest: list[tuple[float, int, Result]] = field(default_factory=list)
    handed_back: HandedBack = field(default_factory=HandedBack)
    checked: int = 0
    not_checked: list[tuple[int, str]] = field(default_factory=list)
    buckets: dict[str, Bucket] = field(default_factory=dict)
    unsorted: dict[str, Bucket] = field(default_factory=dict)
    not_reduced: int = 0
    first: int | None = None
    last: int | None = None
    began: float | None = None
    ended: float | None = None
    each_second: dict[int, Counter[str]] = field(default_factory=dict)

    def add(self, result: Result) -> None:
        """One result more."""
        self.first = result.seed if self.first is None else min(self.first, result.seed)
        self.last = result.seed if self.last is None else max(self.last, result.seed)
        self.verdicts[result.verdict] += 1
        self.made[result.made or "not known"] += 1
        self.vacuous += result.verdict == "proved" and bool(result.vacuous)
        self.checked += bool(result.checked)
        self.not_checked += [(result.seed, result.not_checked)] * bool(result.not_checked)
        self.lost += result.lost
        self.solver_queries += result.solver_queries
        for name, seconds in result.seconds.items():
            self.seconds[name] = self.seconds.get(name, 0.0) + seconds
        self.rungs.update(result.rungs)
        self.fired.update(result.fired)
        self.handed_back.add(result.changed, result.names)
        if result.at:
            self.began = result.at if self.began is None else min(self.began, result.at)
            self.ended = result.at if self.ended is None else max(self.ended, result.at)
            self.each_second.setdefault(int(result.at), Counter())[result.verdict] += 1
        for pair, sums in ((result.operations, self.operations), (result.guards, self.guards)):
            if pair is not None:
                sums[0] += pair[0]
                sums[1] += pair[1]
        self.early.add(result.early)
        self.stricter.add(result.stricter)
        if result.stricter:
            _keep(self.strictest, (result.stricter, -result.seed), _STRICTEST)
        _add_judging(self, result)
        if result.verdict == "unknown":
            _add_unknown(self, result)
        elif result.is_find:
            _add_find(self, result)

    @property
    def traces(self) -> int:
        return self.verdicts.total()

    @property
    def finds(self) -> int:
        return sum(self.verdicts[kind] for kind in FINDS)

    @property
    def listed(self) -> list[Bucket]:
        """The buckets, and finds of which no bucket is known where their kind has none: each kind of find is listed."""
        kinds = {bucket.kind for bucket in self.buckets.values()}
        return [*self.buckets.values(), *(bucket for kind, bucket in self.unsorted.items() if kind not in kinds)]

    @property
    def sorted_finds(self) -> str:
        """Into how many buckets the finds are sorted."""
        text = f"in {times(len(self.buckets), 'bucket')}"
        return f"{text}, {self.not_reduced} of them not reduced" if self.not_reduced else text

    @property
    def wall_seconds(self) -> float:
        """The seconds from the first record to the last."""
        return (self.ended or 0.0) - (self.began or 0.0)

    def spans(self) -> list[Span]:
        """The records over time, in spans of one length, a whole number of seconds."""
        if not self.each_second:
            return []
        start, end = min(self.each_second), max(self.each_second) + 1
        length = math.ceil((end - start) / _SPANS)
        counts: list[Counter[str]] = [Counter() for _ in range(math.ceil((end - start) / length))]
        for second, verdicts in self.each_second.items():
            counts[(second - start) // length].update(verdicts)
        return [Span(i * length, length, verdicts) for i, verdicts in enumerate(counts)]


def count(results: Iterable[Result]) -> Figures:
    """The figures of results, each of another seed."""
    figures = Figures()
    for result in results:
        figures.add(result)
    figures.slowest.sort(key=lambda entry: entry[:2], reverse=True)
    figures.not_checked.sort()
    figures.strictest.sort(reverse=True)
    return figures


def _add_judging(figures: Figures, result: Result) -> None:
    took = judging_seconds(result)
    if took <= 0:
        return
    figures.judging[power_of_two_ms(took)] += 1
    _keep(figures.slowest, (took, -result.seed, result), SLOWEST)


def _keep(heap: list[Entry], entry: Entry, most: int) -> None:
    """Put it in, as one of the greatest; the least goes where there are too many."""
    (heapq.heappush if len(heap) < most else heapq.heappushpop)(heap, entry)


def judging_seconds(result: Result) -> float:
    """The time that the validator took."""
    return result.seconds.get("judging", 0.0)


def power_of_two_ms(seconds: float) -> int:
    """The least n of at least 0 for which it took at most 2**n milliseconds."""
    return max(0, math.ceil(math.log2(seconds * 1000)))


def hard_operations(result: Result) -> list[str]:
    """The names of the operations that an unknown is blamed on, each once."""
    return sorted({text.partition(" = ")[2].partition("(")[0] or text.partition("(")[0] for text in result.hard})


def _add_unknown(figures: Figures, result: Result) -> None:
    for name in hard_operations(result) or [_NO_OPERATION]:
        figures.unknown[name] += 1
        figures.unknown_seconds[name] = figures.unknown_seconds.get(name, 0.0) + judging_seconds(result)
    obligation, _, reason = result.reason.partition(_NOT_SETTLED)
    figures.causes[_NUMBER.sub("N", reason or obligation or "not told")] += 1  # without what is particular to a seed


def _add_find(figures: Figures, result: Result) -> None:
    if not result.bucket:
        figures.not_reduced += 1
    name = result.bucket or result.case
    if name:
        bucket = figures.buckets.setdefault(name, Bucket(name, result.verdict, result.reason))
    else:
        bucket = figures.unsorted.setdefault(
            result.verdict, Bucket(f"seed-{result.seed}-{result.verdict}", result.verdict, result.reason)
        )
    bucket.count += 1
    bucket.case = bucket.case or result.case
    if len(bucket.seeds) < _SHOWN_SEEDS:
        bucket.seeds.append(result.seed)
    if result.at and (bucket.found_at is None or result.at < bucket.found_at):
        bucket.found_at = result.at
