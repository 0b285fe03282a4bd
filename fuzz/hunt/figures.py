"""The outcome of a hunt, in figures and in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fuzz.hunt.coverage import KINDS
from fuzz.hunt.plan import CASES, Plan, Result, Unconfirmed
from fuzz.report.log_figures import VERDICTS
from fuzz.report.words import counted, duration, share

_JUDGED = ("proved", "vacuous", "refuted", "unknown")
_NOT_JUDGED = ("unpaired", "untried")
_SHOWN = 12


@dataclass(slots=True)
class Figures:
    """The sums over the results of a hunt."""

    programs: int = 0
    useless: int = 0
    lost: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    buckets: dict[str, Result] = field(default_factory=dict)
    unconfirmed: list[tuple[int, Unconfirmed]] = field(default_factory=list)
    suspects: list[tuple[int, Unconfirmed]] = field(default_factory=list)
    once: list[tuple[int, str]] = field(default_factory=list)
    covered: set[str] = field(default_factory=set)

    def add(self, result: Result) -> None:
        self.programs += 1
        self.useless += bool(result.useless)
        self.lost += bool(result.lost)
        self.verdicts += result.verdicts
        self.reasons += result.reasons
        self.covered |= set(result.covered)
        if result.kind:
            self.kinds[result.kind] += 1
        if result.bucket:
            self.buckets.setdefault(result.bucket, result)
        self.unconfirmed += [(result.seed, one) for one in result.unconfirmed]
        self.suspects += [(result.seed, one) for one in result.suspects]
        self.once += [(result.seed, result.once)] * bool(result.once)

    @property
    def traces(self) -> int:
        return self.verdicts.total()

    @property
    def judged(self) -> int:
        return sum(self.verdicts[name] for name in _JUDGED)

    def line(self, seconds: float) -> str:
        """The state of the hunt, for a terminal."""
        proved, finds = self.verdicts["proved"], self.kinds.total()
        traces = f"{counted(self.traces, 'trace')}, {proved} proved"
        return f"{duration(seconds)}: {counted(self.programs, 'program')}, {traces}, {counted(finds, 'find')}"

    def lines(self, plan: Plan, folder: Path, seconds: float, why: str) -> Iterator[str]:
        """The summary for a person."""
        sums = f"{counted(self.programs, 'program')}, {counted(self.traces, 'trace')}"
        yield f"hunt ended, {why}: {sums} in {duration(seconds)}"
        yield f"  target: {plan.target.command} --jit {plan.target.options}: {plan.target.version}"
        tried = self.traces - self.verdicts["untried"]
        told = [f"{self.verdicts[name]} {name}" for name in (*VERDICTS, *_NOT_JUDGED) if self.verdicts[name]]
        shares = f"{share(self.judged, tried)} judged, {share(self.verdicts['proved'], self.judged)} of these proved"
        yield f"  traces: {', '.join(told) or 'none was compiled'}" + f" ({shares})" * bool(tried)
        for reason, times in self.reasons.most_common(_SHOWN):
            yield f"    {times:6} {reason}"
        if self.useless or self.lost:
            yield f"  {counted(self.useless, 'program')} showed nothing, {self.lost} lost"
        covered = ", ".join(
            counted(sum(one.startswith(kind) for one in self.covered), f"kind of {kind}") for kind in KINDS
        )
        yield f"  seen: {covered.replace('kind of', 'kinds of')}"
        yield f"  found: {', '.join(f'{times} {kind}' for kind, times in self.kinds.most_common()) or 'nothing'}"
        for bucket, result in self.buckets.items():
            yield f"    {folder / CASES / bucket}: {result.message}"
        yield from _told("refuted, but confirmed by no run, and so no finds", self.unconfirmed)
        yield from _told("differ in a loop, but no run was found that shows it", self.suspects)
        for seed, label in self.once:
            yield f"  seed {seed}: the line of {label} differed once, and not again"
        yield f"  repeat with: {plan.command}"

    def json(self, plan: Plan, seconds: float, why: str) -> dict[str, Any]:
        """All of it for machines."""
        return {
            "seed": plan.seed,
            "target": plan.target.version,
            "options": plan.target.options,
            "ended": why,
            "seconds": round(seconds, 3),
            "programs": self.programs,
            "useless": self.useless,
            "lost": self.lost,
            "traces": self.traces,
            "judged": self.judged,
            "verdicts": dict(self.verdicts),
            "reasons": [{"reason": reason, "traces": times} for reason, times in self.reasons.most_common()],
            "finds": dict(self.kinds),
            "buckets": {bucket: result.message for bucket, result in self.buckets.items()},
            "unconfirmed": [unconfirmed_json(seed, one) for seed, one in self.unconfirmed],
            "suspects": [unconfirmed_json(seed, one) for seed, one in self.suspects],
            "once": [{"seed": seed, "line": label} for seed, label in self.once],
            "covered": sorted(self.covered),
        }


def _told(what: str, pairs: list[tuple[int, Unconfirmed]]) -> Iterator[str]:
    if pairs:
        yield f"  {what}: {len(pairs)}"
    for seed, one in pairs:
        yield f"    seed {seed}, {one.where}: {one.reason.splitlines()[0]}"
        yield from (f"      assumes: {assumed}" for assumed in one.assumes)


def unconfirmed_json(seed: int, one: Unconfirmed) -> dict[str, Any]:
    """A pair that no run confirms to be wrong."""
    return {"seed": seed, "where": one.where, "reason": one.reason, "assumes": [*one.assumes]}
