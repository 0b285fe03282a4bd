"""What makes and judges traces leaves no cycles of objects, for which the garbage collector would have to look all the
time."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from fuzz.draw.generator import GeneratedTrace, generate_for
from optimizer.ir.trace import Trace
from optimizer.pipeline import optimize
from validator.prove.judge import validate
from validator.verdict import Options

TRACES = 36


@contextmanager
def without_collector() -> Iterator[None]:
    gc.collect()
    gc.freeze()  # so that what is there already is not looked through
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()


def judge(made: GeneratedTrace, after: Trace) -> None:
    validate(made.trace, after, Options(effort=1000), examples=(made.state,), runs_to_end=True)


def test_no_cycles_are_left() -> None:
    for seed in range(TRACES):  # what is done once only may leave some
        made = generate_for(seed)
        judge(made, optimize(made.trace))
    of_making, of_judging = [], []
    with without_collector():
        for seed in range(TRACES):
            made = generate_for(seed)
            of_making.append(gc.collect())
            after = optimize(made.trace)
            gc.collect()
            judge(made, after)
            of_judging.append(gc.collect())
    assert not any(of_making)
    assert sum(not cycles for cycles in of_judging) > 0.9 * TRACES  # what hashes or compares strings leaves some
