"""What a campaign came to: counts, and how to repeat it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from fuzz.campaign import Counted, Find, FindKind, Record
from validator.verdict import Proved, Unknown, Unsupported

SHOWN_FINDS = 20
"""A person is told of so many finds; the others are stored and counted like these."""


@dataclass(slots=True)
class Summary:
    """Counts of the records of seeds `first`, `first` + 1 and so on."""

    first: int
    counts: Counter[str] = field(default_factory=Counter)
    finds: Counter[FindKind] = field(default_factory=Counter)
    cases: list[str] = field(default_factory=list)

    def add(self, record: Record) -> None:
        match record:
            case Find(kind=kind):
                self.finds[kind] += 1
            case Counted(verdict=Proved(evidence)):
                self.counts["proved"] += 1
                self.counts["vacuous"] += bool(evidence.vacuous)
            case Counted(verdict=Unknown()):
                self.counts["unknown"] += 1
            case Counted(verdict=Unsupported()):
                self.counts["unsupported"] += 1

    @property
    def traces(self) -> int:
        return self.finds.total() + sum(self.counts[name] for name in ("proved", "unknown", "unsupported"))

    def line(self, seconds: float) -> str:
        """Where the campaign stands, in one line."""
        found = self._found() or "nothing found"
        return f"{seconds:.0f} s: {self.traces} traces, {self.counts['proved']} proved, {found}"

    def text(self, seconds: float, optimizer: str, corpus: str, interrupted: bool) -> str:
        """The end of a campaign, in a few lines."""
        ended = "interrupted" if interrupted else "ended"
        rate = self.traces / seconds if seconds else 0.0
        vacuous = f" ({self.counts['vacuous']} vacuous)" if self.counts["vacuous"] else ""
        lines = [
            f"campaign {ended}: {self.traces} traces in {seconds:.1f} s, {rate:.1f} a second{self._seeds()}",
            f"  proved {self.counts['proved']}{vacuous}, unknown {self.counts['unknown']}, "
            f"unsupported {self.counts['unsupported']}",
            f"  found: {self._found() or 'nothing'}",
        ]
        lines += [f"    {corpus}/{name}" for name in self.cases[:SHOWN_FINDS]]
        if len(self.cases) > SHOWN_FINDS:
            lines.append(f"    and {len(self.cases) - SHOWN_FINDS} more")
        if self.traces:
            lines.append(f"  repeat with: {command(self.first, self.traces, optimizer)}")
        return "\n".join(lines)

    def data(self, seconds: float, optimizer: str, interrupted: bool) -> dict[str, object]:
        """The same for programs."""
        return {
            "seed": self.first,
            "traces": self.traces,
            "seconds": round(seconds, 3),
            "interrupted": interrupted,
            **{name: self.counts[name] for name in ("proved", "vacuous", "unknown", "unsupported")},
            "finds": {kind.value: self.finds[kind] for kind in FindKind},
            "cases": self.cases,
            "command": command(self.first, self.traces, optimizer),
        }

    def _seeds(self) -> str:
        return f", seeds {self.first} to {self.first + self.traces - 1}" if self.traces else ""

    def _found(self) -> str:
        return ", ".join(f"{count} {kind.value}" for kind, count in self.finds.items())


def command(seed: int, traces: int, optimizer: str) -> str:
    """The command that repeats the traces of that many seeds. `optimizer` are the arguments that choose it."""
    chosen = f" {optimizer}" if optimizer else ""
    return f"traceproof fuzz --seed {seed} --traces {traces}{chosen}"
