"""Several campaigns made one."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from fuzz.campaign.folder import PLAN, read_plan, write_plan
from fuzz.campaign.results import ResultFile, read_results
from fuzz.campaign.seeds import Seeds
from fuzz.cases.store import new_folder
from optimizer.ir.faults import InputError


@dataclass(frozen=True, slots=True)
class Merged:
    """The counts of a merge: results and cases that were added, and results that were there, or in two folders."""

    results: int
    cases: int
    known: int


def merge_campaigns(sources: Sequence[Path], target: Path) -> Merged:
    """Adds what the campaigns in the folders `sources` found out to that in `target`, which is begun with the plan of
    the first if there is none. Raises InputError where their plans would find out other things, and OSError."""
    plans = [read_plan(source) for source in sources]
    of = target if (target / PLAN).exists() else sources[0]
    kept = read_plan(of)
    for source, plan in zip(sources, plans, strict=True):
        if not plan.makes_as(kept):
            raise InputError(f"{source}: this campaign has another optimizer or other options than that in {of}")
    write_plan(target, kept)
    seen, added, known = Seeds(), 0, 0
    for result in read_results(target):
        seen.add(result.seed)
    cases = 0
    with closing(ResultFile(target / "results")) as file:
        for source in sources:
            if source.resolve() == target.resolve():
                continue
            cases += _copy_cases(source / "cases", target / "cases")
            for result in read_results(source):
                if seen.add(result.seed):
                    file.add(result)
                    added += 1
                else:
                    known += 1
    return Merged(added, cases, known)


def _copy_cases(source: Path, target: Path) -> int:
    """Copies the cases that are not there yet, each as a whole or not at all."""
    copied = 0
    target.mkdir(exist_ok=True)
    for case in sorted(source.iterdir()) if source.is_dir() else ():
        if case.name.startswith(".") or (target / case.name).exists():
            continue
        with new_folder(target / case.name) as beside:
            shutil.copytree(case, beside, dirs_exist_ok=True)
        copied += 1
    return copied
