"""The summary of a campaign: counts, and how to repeat it."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field

from fuzz.campaign.coverage import all_coverage, never_fired
from fuzz.campaign.examine import FindKind
from fuzz.campaign.figures import Figures
from fuzz.campaign.plan import Plan
from fuzz.campaign.results import Result
from fuzz.campaign.seeds import Seeds
from fuzz.report.words import counted, times

_SHOWN_NAMES = 50
"""The number of names that are shown, at most: if more has never fired, the campaign was too short to tell anything by
it."""

_SHOWN_RUNS = 4
"""The number of ranges of seeds up to which each is told, with a command; of more it is told where they begin and
end."""

_NEVER_CHANGED = 5

_FEW_TRACES = 50
"""The number of traces from which on it says something that none is changed."""

SHOWN_FINDS = 20
"""The number of finds that a person is told of; the others are stored and counted like these."""


@dataclass(slots=True)
class Summary:
    """Counts of results. `seeds` are those that have results, `cases` those that were stored, `before` the number of
    traces that were there at the start, `cut` the seeds that were slow, and not done when the time was up."""

    plan: Plan
    folder: str
    figures: Figures = field(default_factory=Figures)
    cases: list[str] = field(default_factory=list)
    seeds: Seeds = field(default_factory=Seeds)
    before: int = 0
    cut: list[int] = field(default_factory=list)

    def add(self, result: Result) -> None:
        self.seeds.add(result.seed)
        self.figures.add(result)
        if result.is_find and result.case and result.case not in self.cases:
            self.cases.append(result.case)

    @property
    def traces(self) -> int:
        return self.figures.traces

    @property
    def finds(self) -> list[FindKind]:
        """The kinds of what was found."""
        return [kind for kind in FindKind if self.figures.verdicts[kind.value]]

    def line(self, seconds: float) -> str:
        """The state of the campaign, in one line."""
        found = self._found() or "nothing found"
        return f"{seconds:.0f} s: {counted(self.traces, 'trace')}, {self.figures.verdicts['proved']} proved, {found}"

    def text(self, seconds: float, interrupted: bool) -> str:
        """The end of a campaign, in a few lines."""
        ended = "interrupted" if interrupted else "ended"
        rate = (self.traces - self.before) / seconds if seconds else 0.0
        vacuous = f" ({self.figures.vacuous} vacuous)" if self.figures.vacuous else ""
        resumed = f" ({self.before} of them before)" if self.before else ""
        traces = counted(self.traces, "trace")
        lines = [
            f"campaign {ended}: {traces}{resumed} in {seconds:.1f} s, {rate:.1f} a second{self._seeds()}",
            f"  proved {self.figures.verdicts['proved']}{vacuous}, unknown {self.figures.verdicts['unknown']}, "
            f"unsupported {self.figures.verdicts['unsupported']}",
            *self._checked(),
            f"  found: {self._found() or 'nothing'}",
        ]
        lines += [f"    {self.folder}/cases/{name}" for name in sorted(self.cases, key=_by_seed)[:SHOWN_FINDS]]
        if len(self.cases) > SHOWN_FINDS:
            lines.append(f"    and {len(self.cases) - SHOWN_FINDS} more")
        lines += self._never_fired()
        if self.is_foreign and self.figures.handed_back.traces:
            lines.append(f"  {self.figures.handed_back.sentence(_NEVER_CHANGED)}")
        return "\n".join(lines + self._repeat())

    def data(self, seconds: float, interrupted: bool) -> dict[str, object]:
        """The same for programs."""
        return {
            "seed": self.plan.seed,
            "folder": self.folder,
            "traces": self.traces,
            "before": self.before,
            "seconds": round(seconds, 3),
            "interrupted": interrupted,
            "proved": self.figures.verdicts["proved"],
            "vacuous": self.figures.vacuous,
            **{name: self.figures.verdicts[name] for name in ("unknown", "unsupported")},
            "checked": self.figures.checked,
            "not_checked": [{"seed": seed, "why": why} for seed, why in sorted(self.figures.not_checked)],
            "finds": {kind.value: self.figures.verdicts[kind.value] for kind in FindKind},
            "never_fired": never_fired(self.figures.fired),
            "unchanged": self.figures.handed_back.traces - self.figures.handed_back.changed,
            "never_changed": self.figures.handed_back.never_changed,
            "cases": sorted(self.cases, key=_by_seed),
            "commands": [self._command(run) for run in self.seeds.runs()],
        }

    def _checked(self) -> list[str]:
        """The number of proofs that were checked, and those that the checker does not follow by their seeds."""
        if not self.plan.check_share:
            return []
        named = [f"    seed {seed}: {why}" for seed, why in sorted(self.figures.not_checked)]
        more = [f"    and {len(named) - SHOWN_FINDS} more, which the report names"] * (len(named) > SHOWN_FINDS)
        head = f"  proofs checked {self.figures.checked}, not checked {len(named)}"
        return [head, *named[:SHOWN_FINDS], *more]

    def _command(self, seeds: range) -> str:
        return self.plan.command(seeds.start, len(seeds))

    def _repeat(self) -> list[str]:
        """The commands that make the same traces: of each batch that was begun they make all up to some seed."""
        runs = list(self.seeds.runs())
        if len(runs) > _SHOWN_RUNS:
            whole = range(runs[0].start, runs[-1].stop)
            more = len(whole) - len(self.seeds)
            return [f"  repeat with: {self._command(whole)}", f"    (and {times(more, 'trace')} that were not made)"]
        return [f"  {'and' if i else 'repeat'} with: {self._command(run)}" for i, run in enumerate(runs)]

    def _seeds(self) -> str:
        runs = list(self.seeds.runs())
        if len(runs) > _SHOWN_RUNS:
            return f", seeds {runs[0].start} to {runs[-1][-1]}, with gaps"
        ranges = ", ".join(f"{run.start} to {run[-1]}" if len(run) > 1 else f"{run.start}" for run in runs)
        return f", seed{'s' * (len(self.seeds) > 1)} {ranges}" if ranges else ""

    def _never_fired(self) -> list[str]:
        names = never_fired(self.figures.fired)
        if not names:
            return []
        text = f"never fired: {len(names)} of {len(all_coverage())} rules, passes and transfer functions"
        if len(names) > _SHOWN_NAMES:
            return [f"  {text} (the report names them)"]
        text = f"{text}: {', '.join(names)}"
        return textwrap.wrap(text, 100, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)

    @property
    def is_foreign(self) -> bool:
        """Is it not our own optimizer?"""
        return not self.plan.optimizer.is_ours

    def warning(self, interrupted: bool) -> str:
        """A reason why the whole campaign is worth little; empty if there is none."""
        given, limit = self.figures.handed_back, f"the optimizer may take {self.plan.optimizer.limit_s:g} s for each"
        if not interrupted and self.traces == self.before and self.plan.seconds and self.plan.traces != self.traces:
            again = "; to go on with a batch, what was done of it is made again" * bool(self.before)
            new = " new" * bool(self.before)
            return f"no{new} trace was done in {self.plan.seconds:g} s{again or f'; {limit} (--optimizer-timeout)'}"
        if self.is_foreign and self.cut:
            seeds = ", ".join(map(str, sorted(self.cut)))
            were = f"seeds {seeds} were" if len(self.cut) > 1 else f"seed {seeds} was"
            return f"{were} not done when the time was up; {limit} before that is a hang (--optimizer-timeout)"
        if not self.is_foreign or given.changed or given.traces < _FEW_TRACES:
            return ""
        return (
            f"the optimizer has handed back all of {given.traces} traces unchanged: does it read them? --kinds and"
            " --ops make traces of what it understands"
        )

    def _found(self) -> str:
        return ", ".join(f"{self.figures.verdicts[kind.value]} {kind.value}" for kind in self.finds)


def _by_seed(case: str) -> tuple[int, str]:
    digits = [part for part in case.split("-") if part.isdigit()]
    return int(digits[0]) if digits else 0, case
