"""Every figure of logs of PyPy whose pairs were proved."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from fuzz.cases.log_run import PairRun
from fuzz.report.statements import Statements
from fuzz.report.words import counted, duration
from optimizer.ir.dialects.pypy_pairs import Kind

VERDICTS = ("proved", "vacuous", "refuted", "unknown", "unsupported", "error")

_NUMBER = re.compile(r"(?<![\w.])-?[0-9]+|\$[0-9]+")
_SHOWN = 20
"""The number of reasons and assumptions that are printed; JSON has all."""


@dataclass(slots=True)
class LogFigures:
    """The sums over the pairs of logs. `all_pairs` is the number of pairs when the logs were first read, `known` tells
    what is known beside the logs, and the `problems` why they say less than was asked."""

    logs: tuple[str, ...]
    all_pairs: int = 0
    unpaired: int = 0
    verdicts: Counter[tuple[Kind, str]] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    assumed: Statements = field(default_factory=Statements)
    missing: Statements = field(default_factory=Statements)
    seconds: list[float] = field(default_factory=list)
    without_inferred: int = 0
    known: tuple[str, ...] = ()
    problems: list[str] = field(default_factory=list)

    def add(self, run: PairRun) -> None:
        self.verdicts[run.pair.kind, run.name] += 1
        if run.verdict["seconds"] is not None:
            self.seconds.append(run.verdict["seconds"])
        if run.name == "proved":
            self.assumed.add((*run.inferred, *run.verdict["assumes"]))
            self.without_inferred += bool(run.holds_without)
        else:
            self.reasons[reason_of(run)] += 1
            self.missing.add(run.missing)

    @property
    def name(self) -> str:
        """The log, or how many they are."""
        return self.logs[0] if len(self.logs) == 1 else counted(len(self.logs), "log")

    @property
    def title(self) -> str:
        return f"log {self.name}" if len(self.logs) == 1 else self.name

    @property
    def pairs(self) -> int:
        return self.verdicts.total()

    def count(self, verdict: str, kind: Kind | None = None) -> int:
        """The pairs with that verdict, of one kind or of all."""
        return sum(n for (of, name), n in self.verdicts.items() if name == verdict and kind in (None, of))

    def quantile(self, share: float) -> float:
        """The seconds within which that share of the pairs is judged."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0

    def line(self, seconds: float) -> str:
        """The state of the run, for a terminal."""
        said = ", ".join(f"{self.count(name)} {name}" for name in VERDICTS if self.count(name))
        return f"{self.pairs} of {self.all_pairs} pairs in {seconds:.0f} s{': ' * bool(said)}{said}"

    def rows(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """A row for each kind that occurs, and one for all: the pairs, and those of each verdict."""
        for kind in (*(kind for kind in Kind if any(of is kind for of, _ in self.verdicts)), None):
            counts = tuple(self.count(name, kind) for name in VERDICTS)
            yield "all" if kind is None else kind.value, (sum(counts), *counts)

    @property
    def cost(self) -> str:
        return f"a pair takes {duration(self.quantile(0.5))} (median), 95 % under {duration(self.quantile(0.95))}"

    @property
    def rest_on_inferred(self) -> str:
        """The number of proofs, and of those that need no assumption that PyPy's own work has suggested."""
        proofs = counted(self.count("proved"), "proof")
        return f"{proofs}, nothing inferred is needed for {self.without_inferred} of them"

    def lines(self) -> Iterator[str]:
        """The tables for a person."""
        without = f", {counted(self.unpaired, 'trace')} without" if self.unpaired else ""
        yield f"{self.name}: {counted(self.pairs, 'pair')}{without}"
        if not self.pairs:
            return
        heads = ("pairs", *VERDICTS)
        shown = [n for n, head in enumerate(heads) if n < 2 or self.count(head)]
        yield " " * 14 + "".join(f"{heads[n]:>12}" for n in shown)
        for name, counts in self.rows():
            yield f"  {name:12}" + "".join(f"{counts[n]:12}" for n in shown)
        yield self.cost
        yield from self.known
        yield from _most([(n, what) for what, n in self.reasons.most_common()], "not proved because of")
        missing, assumed = [*self.missing.lines()], [*self.assumed.lines()]
        yield from _most(missing, "not in the log, each with the number of pairs that may be right because of it")
        yield from _most(assumed, "assumed, each with the number of proofs that rest on it")
        if assumed:
            yield self.rest_on_inferred

    def json(self) -> dict[str, Any]:
        """All of it for machines."""
        heads = ("pairs", *VERDICTS)
        return {
            "logs": [*self.logs],
            "pairs": self.pairs,
            "unpaired": self.unpaired,
            "verdicts": {name: dict(zip(heads, counts, strict=True)) for name, counts in self.rows()},
            "median_seconds": self.quantile(0.5),
            "seconds_of_95_percent": self.quantile(0.95),
            "reasons": [{"reason": reason, "pairs": n} for reason, n in self.reasons.most_common()],
            "assumptions": [{"assumes": what, "proofs": n} for what, n in self.assumed.counts.most_common()],
            "missing": [{"missing": what, "pairs": n} for what, n in self.missing.counts.most_common()],
            "proved_without_inferred": self.without_inferred,
            "known": [*self.known],
            "problems": self.problems,
        }


def reason_of(run: PairRun) -> str:
    """The kind of reason for which a pair is not proved: without the numbers of its operations, values and guards."""
    if run.name == "vacuous":
        return "vacuous"
    first = str(run.verdict["reason"]).partition("\n")[0]
    return f"{run.name}: {_NUMBER.sub('N', first)}"


def _most(lines: list[tuple[int, str]], heading: str) -> Iterator[str]:
    if not lines:
        return
    yield f"{heading}:"
    for n, what in lines[:_SHOWN]:
        yield f"  {n:6} {what}"
    if len(lines) > _SHOWN:
        yield f"         and {len(lines) - _SHOWN} more, which --json lists"
