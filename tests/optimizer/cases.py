"""The runner of the tests that say what passes make of traces."""

from __future__ import annotations

from random import Random

from agreement import assert_agree, random_inputs
from heap_agreement import assert_agree_on_heaps

from optimizer.ir.check import check
from optimizer.ir.rows.ops import Type
from optimizer.ir.text import format_trace, parse
from optimizer.pipeline import Optimization, optimize, run_passes
from validator import Proved, validate


def assert_becomes(before: str, after: str, *passes: str) -> Optimization:
    """The passes make `after` of `before`, change nothing of it when run again, and both run alike."""
    trace = parse(before)
    done = run_passes(trace, passes)
    check(done.trace)
    assert format_trace(done.trace) == format_trace(parse(after))
    assert run_passes(done.trace, passes).trace == done.trace
    if any(op.memory is not None for op in trace.ops) or any(var.type is Type.REF for var in trace.inputs):
        assert_agree_on_heaps(trace, done.trace, 160, Random(0))
    else:
        assert_agree(trace, done.trace, random_inputs(trace, 100, Random(0)))
    return done


def assert_stays(text: str, *passes: str) -> None:
    """The passes leave the trace as it is."""
    assert_becomes(text, text, *passes)


def assert_proved_to_become(before: str, after: str, declarations: str) -> None:
    """All passes together make `after` of `before`, and the validator agrees that it is right."""
    trace = parse(declarations + before)
    optimized = optimize(trace)
    assert format_trace(optimized).split("+++\n")[-1] == after
    assert isinstance(validate(trace, optimized), Proved)
