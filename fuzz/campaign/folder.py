"""The folder of a campaign.

campaign.json    the plan, and the versions of what the results depend on
results/         a line for each seed: see `fuzz.campaign.results`
cases/           the finds, each a case: see `fuzz.cases.store`
claims/          the batches that are worked on: see `fuzz.campaign.claims`
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from fuzz.campaign.batch import SeedDone, Task
from fuzz.campaign.claims import Claims
from fuzz.campaign.plan import BATCH, Plan
from fuzz.campaign.plan_file import load_plan, store_plan
from fuzz.campaign.results import Result, ResultFile, ResultReader
from fuzz.campaign.seeds import Seeds
from fuzz.cases.store import store_case
from optimizer.ir.faults import InputError
from validator.command.exits import input_errors
from validator.processes.workers import Loss

PLAN = "campaign.json"


def has_campaign(folder: Path) -> bool:
    return (folder / PLAN).exists()


def read_plan(folder: Path) -> Plan:
    """The plan of the campaign in the folder. Raises InputError."""
    return load_plan(folder / PLAN, "campaign", Plan.read)


def read_versions(folder: Path) -> dict[str, str]:
    """The versions that the campaign began with. Raises InputError."""
    try:
        return dict(json.loads((folder / PLAN).read_bytes())["versions"])
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise InputError(f"no versions are told: {problem!r}", file=str(folder / PLAN)) from None


def write_plan(folder: Path, plan: Plan) -> bool:
    """Puts the plan into the folder, as a whole or not at all; False if there is one already. Raises OSError."""
    return store_plan(folder / PLAN, plan)


class CampaignFolder:
    """The work of one process in the folder of a campaign, until the Unix time `until`. It tells `heard` of each seed
    that is known at first, that it keeps itself, and that others have found out when a batch is begun. Raises OSError.
    """

    def __init__(self, folder: Path, plan: Plan, until: float | None, heard: Callable[[Result], None]) -> None:
        self._cases = folder / "cases"
        self._plan, self._until, self._heard = plan, until, heard
        self._known = Seeds()
        self._lost: set[int] = set()
        self._reader = ResultReader(folder / "results")
        self._file = ResultFile(folder / "results")
        self._claims = Claims(folder / "claims")
        self._firsts = self._batches()
        self.refresh()

    def _batches(self) -> Iterator[tuple[int, int]]:
        """The starts of the batches, with the number of their seeds."""
        first, left = self._plan.seed, self._plan.traces
        while left is None or left > 0:
            yield first, BATCH if left is None else min(BATCH, left)
            first += BATCH
            left = None if left is None else left - BATCH

    def refresh(self) -> None:
        """Takes in what others have found out."""
        for result in self._reader.read(but=self._file.path):
            self._note(result)

    def _note(self, result: Result) -> bool:
        if result.lost:
            self._lost.add(result.seed)
        if not self._known.add(result.seed):
            return False
        self._heard(result)
        return True

    def next_task(self) -> Task | None:
        """A batch that is left to do, claimed; None if there is none, or no time."""
        if self._until is not None and time.time() >= self._until:
            return None
        for first, count in self._firsts:
            if self._known.holds(first, count) or not self._claims.claim(first):
                continue
            self.refresh()
            seeds = range(first, first + count)
            known = frozenset(seed for seed in seeds if seed in self._known)
            if len(known) < count:
                lost = {seed: Loss.CRASHED for seed in seeds if seed in self._lost}
                return Task(first, count, known, lost, self._until)
            self._claims.release(first)
        return None

    def keep(self, done: SeedDone) -> None:
        """Stores a case, if it is a find, then the line of the seed."""
        if done.result is None or not self._note(done.result):
            return
        if done.case is not None:
            with input_errors("a find could not be stored: ", str(self._cases / done.case.name)):
                store_case(self._cases, done.case)
        self._file.add(done.result)

    def end(self, task: Task) -> None:
        """The work on the task is over."""
        self._claims.release(task.first)

    def close(self) -> None:
        self._claims.close()
        self._file.close()
