"""The strategy: the same traces, drawn by Hypothesis, and shrunk by it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import HealthCheck, find, given, settings
from hypothesis import strategies as st

from fuzz import Shape, traces
from fuzz.draw.generator import GeneratedTrace
from fuzz.draw.mixes import DEFAULT_MIX, HEAP_MIX
from fuzz.draw.shape import HeapShape
from fuzz.strategy import generated_traces
from optimizer.ir.check import check
from optimizer.ir.run.interpreter import Finished, Jumped, run
from optimizer.ir.trace import ConstInt, Trace

_SHAPES = st.sampled_from(
    [
        Shape(word=16, max_operations=20),
        Shape(word=16, max_operations=20, heap=HeapShape(), mix=HEAP_MIX),
        Shape(word=8, max_operations=20, heap=HeapShape(structs=0), mix=DEFAULT_MIX + HEAP_MIX),
    ]
)


@settings(max_examples=36, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(_SHAPES.flatmap(generated_traces))
def test_drawn_traces_run_to_their_end_on_their_example(one: GeneratedTrace) -> None:
    check(one.trace)
    done = run(one.trace, one.state.inputs, one.state.world, heap=one.state.heap)
    assert isinstance(done.outcome, Finished | Jumped)
    assert done.values == one.values


def _has_overflow(trace: Trace) -> bool:
    return any(operation.op.overflows for operation in trace.ops)


def test_traces_shrink() -> None:
    options = settings(max_examples=1000, deadline=None, database=None, derandomize=True)
    trace = find(traces(max_ops=4, kinds=["integers"]), _has_overflow, settings=options)
    assert len(trace.ops) <= 3
    assert len(trace.inputs) == 1


def test_a_shrunk_constant_is_the_smallest_that_fails_in_a_small_trace() -> None:
    def large(trace: Trace) -> bool:
        return any(isinstance(arg, ConstInt) and arg.value > 5 for op in trace.ops for arg in op.args)

    options = settings(max_examples=1000, deadline=None, database=None, derandomize=True)
    trace = find(traces(max_ops=5, kinds=["integers"]), large, settings=options)
    assert [arg.value for op in trace.ops for arg in op.args if isinstance(arg, ConstInt)] == [6]
    assert len(trace.ops) <= 2
    assert len(trace.inputs) == 1


@pytest.mark.parametrize("word", [3, 65])
def test_a_word_that_is_none_is_said(word: int) -> None:
    with pytest.raises(ValueError, match=f"word is {word}, expected 4 to 64 bits"):
        traces(word=word)


def test_a_negative_limit_is_said() -> None:
    with pytest.raises(ValueError, match="max_ops is -1, expected 0 or more"):
        traces(max_ops=-1)


def test_importing_fuzz_does_not_import_hypothesis() -> None:
    code = "import fuzz, sys; sys.exit('hypothesis' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
