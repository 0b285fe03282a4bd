"""All that a report tells of a campaign: its figures, its kept finds, and what never fired."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fuzz.campaign.coverage import never_fired
from fuzz.campaign.figures import FINDS, Bucket, Figures, count
from fuzz.campaign.folder import read_plan, read_versions
from fuzz.campaign.plan import Plan
from fuzz.campaign.results import read_results
from fuzz.cases.store import Case, read_case
from fuzz.report.judged import JudgedPair, judge_case
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace

CAMPAIGN = "campaign"
"""The name of the step that is the campaign itself."""

_EFFORT, _PATIENCE_S = 2_000_000, 10.0


@dataclass(frozen=True, slots=True)
class KeptFind:
    """A bucket, and the case that is kept of it, if it can be read."""

    bucket: Bucket
    case: Case | None

    @property
    def command(self) -> str:
        return self.case.command if self.case else ""

    def judged(self) -> JudgedPair | None:
        """The pair, judged now; None where there is none to judge."""
        if self.case is None:
            return None
        return judge_case(self.case, replace(self.case.options, effort=_EFFORT, timeout_s=_PATIENCE_S))


@dataclass(frozen=True, slots=True)
class Step:
    """Something else that was run on the same night: a line of `steps.jsonl`. `result` is a sentence or so, `output`
    the end of what was printed."""

    name: str
    command: str
    result: str
    seconds: float
    needs_a_look: bool
    output: str = ""


@dataclass(frozen=True, slots=True)
class CampaignFacts:
    """`versions` are those of when it began; `ended` says why it ended, empty where that is not known.
    `steps` are what was run besides."""

    name: str
    figures: Figures
    finds: tuple[KeptFind, ...]
    plan: Plan
    versions: Mapping[str, str]
    ended: str = ""
    steps: tuple[Step, ...] = ()

    @property
    def outcome(self) -> str:
        """Must someone look, and at what?"""
        found = ", ".join(f"{self.figures.verdicts[kind]} {kind}" for kind in FINDS if self.figures.verdicts[kind])
        wrong = [step.name for step in self.steps if step.needs_a_look and step.name != CAMPAIGN]
        parts = [f"found: {found} {self.figures.sorted_finds}"] * bool(found)
        parts += [f"look at: {', '.join(wrong)}"] * bool(wrong)
        return "; ".join(parts) or "nothing found"

    @property
    def never_fired(self) -> tuple[str, ...]:
        """Rules, passes and transfer functions of our optimizer."""
        return never_fired(self.figures.fired)

    @property
    def chosen(self) -> str:
        """The kinds that traces keep to, in a few words; empty where they are of all."""
        announced = self.plan.announced.text
        parts = [self.plan.asked.text, f"as the optimizer announces, {announced}" * bool(announced)]
        return "; ".join(filter(None, parts))

    @property
    def optimizer(self) -> str:
        """The name of the tested optimizer in a sentence."""
        return self.plan.optimizer.text or "our optimizer"


def read_campaign(folder: Path, ended: str = "") -> CampaignFacts:
    """The facts in a campaign's folder. Raises InputError where it holds no results."""
    if not (folder / "results").is_dir():
        raise InputError(f"{folder}: there is no campaign: no folder `results`")
    figures = count(read_results(folder))
    plan = read_plan(folder)
    order = {kind: number for number, kind in enumerate(reversed(FINDS))}
    buckets = sorted(figures.listed, key=lambda one: (order[one.kind], -one.count, one.seeds))
    finds = tuple(KeptFind(bucket, _case(folder / "cases", bucket.case)) for bucket in buckets)
    return CampaignFacts(folder.name, figures, finds, plan, read_versions(folder), ended, _steps(folder))


STEPS = "steps.jsonl"
"""The file of a campaign's folder that says what was run besides."""


def _steps(folder: Path) -> tuple[Step, ...]:
    path = folder / STEPS
    if not path.exists():
        return ()
    try:
        return tuple(Step(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines())
    except (ValueError, TypeError) as problem:
        raise InputError(f"not what a step is told by: {problem}", file=str(path)) from problem


def _case(cases: Path, name: str) -> Case | None:
    if not name:
        return None
    try:
        return read_case(cases, name)
    except (InputError, OSError):
        return None
