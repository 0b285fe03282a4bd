"""Verdicts on heaps against many concrete runs: traces with few objects, and what careful and careless optimizers make
of them.

States are random, and so many that what differs shows. The comparison is one of its own (`heap_truth`). More pairs than
the suite has time for: `python tests/validator/soundness/test_soundness_heap.py --seconds 600 --seed 1`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[level]) for level in (0, 1, 2, 3)]

import pytest
from by_runs import Case, Origins, judged
from heap_mutants import edited
from heap_states import States
from heap_traces import SMALL, WIDE, heap_trace
from heap_truth import Truth
from long_runs import run_long, tally
from pairs import with_origins

from optimizer.ir.run.interpreter import Finished, GuardFailed, Jumped, Program, Stopped
from optimizer.ir.trace import Trace
from optimizer.ir.types.layout import WrongDescr
from optimizer.ir.types.trace_layout import layout_of
from validator import Failargs, Guards, Options, State, Verdict

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


@pytest.mark.parametrize("seed", range(2))
def test_verdicts_agree_with_runs(seed: int, rungs: str) -> None:
    random = Random(f"{seed} {rungs}")
    seen = tally(cases(random), judged_of, random, 30)
    assert seen["Proved"] > 3, seen
    assert seen["Refuted"] > 3, seen


if __name__ == "__main__":
    run_long(__doc__, lambda random: next(cases(random)), judged_of)
