"""Verdicts on heaps against many concrete runs: traces with few objects, and what careful and careless optimizers make
of them.

States are random, and so many that what differs shows. The comparison is one of its own (`heap_truth`). More pairs than
the suite has time for: `python tests/validator/test_soundness_heap.py --seconds 600 --seed 1`.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[level]) for level in (0, 1, 2)]

import pytest
from by_runs import Case, Origins, Wrong, judged
from heap_mutants import edited
from heap_states import States
from heap_traces import SMALL, WIDE, heap_trace
from heap_truth import Truth
from pairs import with_origins

from optimizer.ir.interpreter import Finished, GuardFailed, Jumped, Program, Stopped
from optimizer.ir.layout import WrongDescr, layout_of
from optimizer.ir.trace import Trace
from validator import Failargs, Guards, Options, State, Unknown, Unsupported, Verdict

STATES = 80


def is_lively(trace: Trace, random: Random) -> bool:
    """Is the trace defined on some of a few states, up to its end or to one of its later guards?"""
    program = Program(trace)
    good, guards = 0, len(trace.guards)
    for state in States(trace, trace, program.layout, random).some(16):
        match program.run(state.inputs, state.world, heap=state.heap).outcome:
            case Finished() | Jumped():
                good += 1
            case GuardFailed(guard, _) if guard + 1 == guards > 1:
                good += 1
            case Stopped():
                good += random.random() < 0.3
    return good >= 3


def cases(random: Random) -> Iterator[Case]:
    while True:
        before = heap_trace(random, random.choice([SMALL, SMALL, WIDE]))
        if not is_lively(before, random):
            continue
        after = with_origins(before) if random.random() < 0.6 else before
        for _ in range(random.choice([1, 1, 2, 2, 3, 4])):
            after = edited(after, random)
        guards = random.choice([Guards.EARLY, Guards.EARLY, Guards.SAME, Guards.SAFE])
        failargs = random.choice([Failargs.CHECK] * 5 + [Failargs.IGNORE])
        try:
            layout_of(before, after)
        except WrongDescr:
            continue
        yield Case(before, after, Options(guards, failargs, effort=5_000_000, timeout_s=20))


def judged_of(case: Case, random: Random) -> Verdict:
    return judged(case, lambda case, origins: wrong_state(case, origins, random))


def wrong_state(case: Case, origins: Origins, random: Random, count: int = STATES) -> State | None:
    """A state on which the pair differs under those origins."""
    layout = layout_of(case.before, case.after)
    truth = Truth(case.before, case.after, case.options, layout)
    for state in States(case.before, case.after, layout, random).some(count):
        runs = truth.runs(state)
        if runs is not None and truth.differs(*runs, origins):
            return runs[0]
    return None


@pytest.mark.parametrize("seed", range(3))
def test_verdicts_agree_with_runs(seed: int, rungs: str) -> None:
    random = Random(f"{seed} {rungs}")
    seen: Counter[str] = Counter()
    source = cases(random)
    while sum(seen.values()) < 50:
        seen[type(judged_of(next(source), random)).__name__] += 1
    assert seen["Proved"] > 5, seen
    assert seen["Refuted"] > 5, seen


def main() -> None:
    """Judges pairs for so long, and prints what is wrong and what is unknown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--solver-alone", action="store_true")
    parser.add_argument("--unknowns", action="store_true", help="print what is unknown")
    parser.add_argument("--stop", action="store_true", help="stop at the first wrong verdict")
    given = parser.parse_args()
    if given.solver_alone:
        pytest.MonkeyPatch().setattr("validator.running.sample_states", lambda *_: iter(()))
    seen: Counter[str] = Counter()
    number, until = given.seed * 1_000_000, time.perf_counter() + given.seconds
    while time.perf_counter() < until:
        number += 1
        random = Random(number)
        case = next(cases(random))
        try:
            verdict = judged_of(case, random)
        except Exception as problem:
            seen[f"WRONG {type(problem).__name__}"] += 1
            where = "" if isinstance(problem, Wrong) else f"{traceback.format_exc()}\n{case}"
            print(f"=== {number}: {type(problem).__name__}: {problem}{where}", flush=True)
            if given.stop:
                break
            continue
        name = type(verdict).__name__
        if isinstance(verdict, Unknown):
            name += f": {verdict.reason.rpartition(': ')[2]}"
            if given.unknowns:
                print(f"--- {number} unknown: {verdict.reason}\n{case}", flush=True)
        elif isinstance(verdict, Unsupported):
            name += f": {verdict.reason}"
        seen[name] += 1
    for name, count in seen.most_common():
        print(f"{count:6} {name}")


if __name__ == "__main__":
    main()
