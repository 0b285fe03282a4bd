"""The command line of `scripts/kill-table`."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass

from faults.catching import Caught, catch
from faults.checking import CheckedFault, check_alone
from faults.killing import Found, find
from faults.planting import OptimizerFault, ValidatorFault
from faults.table import OPTIMIZER_FAULTS, VALIDATOR_FAULTS, fault_named, take_faults

_APART = 1_000_000
"""Campaigns start so many seeds apart."""


@dataclass(frozen=True, slots=True)
class Killed:
    """What campaigns from several seeds found of a fault of the optimizer."""

    fault: OptimizerFault
    found: tuple[Found | None, ...]

    @property
    def times(self) -> list[float]:
        return sorted(one.seconds for one in self.found if one is not None)

    @property
    def is_enough(self) -> bool:
        """Did all campaigns find it, or all but one?"""
        return len(self.times) >= max(1, len(self.found) - 1)

    @property
    def smallest(self) -> Found | None:
        return min(filter(None, self.found), key=lambda one: one.reduced_size, default=None)

    def line(self) -> str:
        found, times = self.smallest, self.times
        if found is None:
            return f"| {self.fault.name} | {self.fault.layer} | 0 of {len(self.found)} | | | | NOT FOUND | |"
        traces = sorted(one.traces for one in self.found if one is not None)
        figures = f"{times[len(times) // 2]:.1f} | {times[-1]:.1f} | {traces[len(traces) // 2]}"
        seeds = f"{self.fault.layer} | {len(times)} of {len(self.found)}"
        return f"| {self.fault.name} | {seeds} | {figures} | {found.kind.value} | {found.reduced_size} |"

    def data(self) -> dict[str, object]:
        found = [None if one is None else {**asdict(one), "kind": one.kind.value} for one in self.found]
        return {"fault": self.fault.name, "layer": self.fault.layer, "found": found, "enough": self.is_enough}


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options().parse_args(arguments)
    chosen: list[OptimizerFault | ValidatorFault] = options.faults
    if options.list:
        for fault in chosen:
            print(f"{fault.name} ({fault.layer}): {fault.breaks}")
        return 0
    if options.checker:
        return _check(options.jobs, [one for one in chosen if isinstance(one, ValidatorFault)])
    start, missed = time.monotonic(), 0
    with ProcessPoolExecutor(options.jobs) as pool:
        missed += _kill(pool, [one for one in chosen if isinstance(one, OptimizerFault)], options)
        missed += _catch(pool, [one for one in chosen if isinstance(one, ValidatorFault)], options)
    if not options.json:
        print(f"\n{len(chosen)} faults, {missed} not found often enough, {time.monotonic() - start:.0f} s")
    return 1 if missed else 0


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scripts/kill-table",
        description="Plants each fault of the table in tests/faults: those of the optimizer are to be found by a "
        "campaign, from all seeds but one, those of the validator by the tests that are named beside them. Seconds are "
        "those of one core, solvers included. Ends with 1 if a fault was not found.",
        epilog="Example: scripts/kill-table 'zero minus x' --seeds 3",
    )
    parser.add_argument("--seconds", type=float, default=60.0, metavar="N", help="for each campaign; 60 by default")
    parser.add_argument("--seeds", type=int, default=5, metavar="K", help="so many campaigns a fault; 5 by default")
    parser.add_argument(
        "--reduce",
        type=float,
        default=10.0,
        metavar="N",
        help="seconds to reduce the first find of a fault; 10 by default",
    )
    parser.add_argument("--json", action="store_true", help="a JSON object a fault, instead of tables")
    parser.add_argument("--list", action="store_true", help="say what each fault breaks, and do nothing")
    parser.add_argument(
        "--checker",
        action="store_true",
        help="tell what the checker says of wrong proofs by a validator with a fault (docs/checker-faults.md)",
    )
    take_faults(parser, [*OPTIMIZER_FAULTS, *VALIDATOR_FAULTS])
    return parser


def _kill(pool: ProcessPoolExecutor, faults: list[OptimizerFault], options: argparse.Namespace) -> int:
    """Prints what is found of each fault, as it comes; how many were not found often enough."""
    if not faults:
        return 0
    campaigns = [(number * _APART, 0.0 if number else options.reduce) for number in range(options.seeds)]
    tasks = [(fault.name, options.seconds, *campaign) for fault in faults for campaign in campaigns]
    answers = pool.map(_find, *zip(*tasks, strict=True))
    if not options.json:
        print("| fault | layer | seeds | s (median) | s (most) | traces | kind | operations left |")
        print("|---|---|---|---|---|---|---|---|")
    missed = 0
    for fault in faults:
        killed = Killed(fault, tuple(next(answers) for _ in range(options.seeds)))
        print(json.dumps(killed.data()) if options.json else killed.line(), flush=True)
        missed += not killed.is_enough
    return missed


def _find(name: str, seconds: float, first: int, reduce_s: float) -> Found | None:
    return find(fault_named(name, OPTIMIZER_FAULTS), seconds, first, reduce_s=reduce_s)


def _catch(pool: ProcessPoolExecutor, faults: list[ValidatorFault], options: argparse.Namespace) -> int:
    """Prints what the tests say of each fault of the validator; how many were not caught."""
    if not faults:
        return 0
    if not options.json:
        print("\n| fault | layer | s | tests |\n|---|---|---|---|")
    missed = 0
    for fault, caught in zip(faults, _caught(pool, faults), strict=True):
        if options.json:
            print(json.dumps({"fault": fault.name, "layer": fault.layer, **asdict(caught)}), flush=True)
        else:
            told = ", ".join(caught.by) or caught.broken.partition(":\n")[0] or "NOT CAUGHT"
            missing = f"; not by {', '.join(caught.missed)}" if caught.by and caught.missed else ""
            print(f"| {fault.name} | {fault.layer} | {caught.seconds:.1f} | {told}{missing} |", flush=True)
        missed += bool(caught.missed or not caught.by)
    return missed


def _check(jobs: int, faults: list[ValidatorFault]) -> int:
    """Prints a table: by which obligations does the checker catch the wrong proofs of each fault? Ends with 1 if it
    accepts one."""
    print("| fault | layer | wrong proofs | the checker names |\n|---|---|---|---|")
    counts: Counter[str] = Counter()
    with ProcessPoolExecutor(jobs) as pool:
        for fault, found in zip(faults, pool.map(_check_one, [fault.name for fault in faults]), strict=True):
            names = dict.fromkeys(one.obligation or "nothing: ACCEPTED" for one in found.proofs)
            said = ", ".join(names) or "no wrong proof: the tests beside it catch it"
            print(f"| {fault.name} | {fault.layer} | {len(found.proofs)} | {said} |", flush=True)
            counts["caught" if found.is_caught else "accepted" if found.proofs else "no wrong proof"] += 1
    print("\n" + ", ".join(f"{name}: {count}" for name, count in counts.items()))
    return 1 if counts["accepted"] else 0


def _check_one(name: str) -> CheckedFault:
    return check_alone(fault_named(name, VALIDATOR_FAULTS))


def _caught(pool: ProcessPoolExecutor, faults: list[ValidatorFault]) -> Iterator[Caught]:
    return pool.map(_catch_one, [fault.name for fault in faults])


def _catch_one(name: str) -> Caught:
    fault = fault_named(name, VALIDATOR_FAULTS)
    try:
        return catch(fault)
    except RuntimeError as error:
        return Caught((), fault.catches, 0.0, str(error))


if __name__ == "__main__":
    sys.exit(main())
