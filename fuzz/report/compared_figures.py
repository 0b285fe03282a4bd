"""Every figure of logs of PyPy whose recorded traces two optimizers have worked on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from fuzz.cases.compared_logs import PairCompared
from fuzz.report.compared import Cause, Difference
from fuzz.report.words import counted
from optimizer.ir.dialects.pypy_pairs import Count

_SHOWN = 20
"""The number of causes that are printed; JSON has all."""
_COLUMNS = ("recorded", "PyPy", "ours", "exit blocks")


@dataclass(frozen=True, slots=True, order=True)
class _Example:
    """The shortest pair in which a cause occurs."""

    operations: int
    log: str
    number: int
    text: str


_Counts = tuple[Counter[Count], ...]
"""The numbers in the columns."""


@dataclass(slots=True)
class ComparedFigures:
    """The sums over the pairs of logs: causes of what ours leaves and PyPy's does not, and the other way round."""

    pairs: int = 0
    unpaired: int = 0
    losses: Counter[str] = field(default_factory=Counter)
    _by_log: dict[str, _Counts] = field(default_factory=dict)
    _causes: dict[bool, Counter[Cause]] = field(default_factory=lambda: {True: Counter(), False: Counter()})
    _examples: dict[tuple[bool, Cause], _Example] = field(default_factory=dict)

    def add(self, one: PairCompared) -> None:
        if one.loss:
            self.losses[one.loss] += 1
            return
        self.pairs += 1
        for sums, counts in zip(self._by_log.setdefault(one.log, _none()), one.counts, strict=True):
            sums.update(counts)
        for each in one.differences:
            key = each.is_ours, each.cause
            self._causes[each.is_ours][each.cause] += 1
            example = _Example(one.counts[0][Count.OPERATIONS], one.log, one.pair.number, each.text)
            self._examples[key] = min(self._examples.get(key, example), example)

    @property
    def _counts(self) -> _Counts:
        """The sums over all logs."""
        sums = _none()
        for counts in self._by_log.values():
            for column, more in zip(sums, counts, strict=True):
                column.update(more)
        return sums

    def lines(self, name: str) -> Iterator[str]:
        """The tables for a person."""
        rest = f", {counted(self.unpaired, 'trace')} without" if self.unpaired else ""
        yield f"{name}: {counted(self.pairs, 'pair')}{rest}"
        yield from (f"  left out: {counted(times, 'pair')}, {loss}" for loss, times in self.losses.most_common())
        causes = self._causes[True].most_common()
        if causes:
            yield "ours leaves, and PyPy's does not, each with the shortest pair:"
        for cause, times in causes[:_SHOWN]:
            example = self._examples[True, cause]
            yield f"  {times:6} {cause}"
            yield f"         {example.log} {example.number}, {counted(example.operations, 'operation')}: {example.text}"
        if len(causes) > _SHOWN:
            yield f"         and {len(causes) - _SHOWN} more, which --json lists"
        for is_ours, words in ((True, "in all, ours leaves"), (False, "in all, PyPy's leaves, and ours does not")):
            names = Counter(each.name for each in self._causes[is_ours].elements())
            told = ", ".join(f"{times} {each}" for each, times in names.most_common(_SHOWN))
            yield f"{words}: {told or 'nothing'}"
        yield from self._by_log_lines() if len(self._by_log) > 1 else ()
        counts = self._counts
        yield " " * 12 + "".join(f"{column:>13}" for column in _COLUMNS)
        for what in Count:
            yield f"{what:12}" + "".join(f"{sums[what]:13}" for sums in counts)

    def _by_log_lines(self) -> Iterator[str]:
        """A line a log: recorded -> left by PyPy's / by ours."""
        margin = max(map(len, self._by_log)) + 2
        yield f"{'recorded -> PyPy / ours':{margin}}" + "".join(f"{what:>24}" for what in Count)
        for log, (recorded, theirs, ours, _) in self._by_log.items():
            cells = (f"{recorded[what]} -> {theirs[what]} / {ours[what]}" for what in Count)
            yield f"{log:{margin}}" + "".join(f"{cell:>24}" for cell in cells)

    def json(self) -> dict[str, Any]:
        """All of it for machines."""
        return {
            "pairs": self.pairs,
            "unpaired": self.unpaired,
            "left_out": dict(self.losses),
            "counts": counts_json(self._counts),
            "logs": {log: counts_json(counts) for log, counts in self._by_log.items()},
            "causes": [
                _difference_json(is_ours, cause, self._examples[is_ours, cause].text)
                | {"times": times, "log": self._examples[is_ours, cause].log}
                | {"number": self._examples[is_ours, cause].number}
                for is_ours, causes in self._causes.items()
                for cause, times in causes.most_common()
            ],
        }


def _none() -> _Counts:
    return tuple(Counter() for _ in _COLUMNS)


def counts_json(counts: tuple[Counter[Count], ...]) -> dict[str, dict[str, int]]:
    return {column: {what.value: sums[what] for what in Count} for column, sums in zip(_COLUMNS, counts, strict=False)}


def differences_json(differences: tuple[Difference, ...]) -> list[dict[str, str]]:
    return [_difference_json(one.is_ours, one.cause, one.text) for one in differences]


def _difference_json(is_ours: bool, cause: Cause, text: str) -> dict[str, Any]:
    left_by = "ours" if is_ours else "PyPy's"
    return {"left_by": left_by, "name": cause.name, "descr": cause.descr, "about": cause.about, "operation": text}
