"""Kinds of pairs to validate, each made from seeds: the same seed, the same pair."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from fuzz.draw.generator import generate
from fuzz.draw.mixes import DEFAULT_MIX, HEAP_MIX
from fuzz.draw.shape import HeapShape, Mix, Shape
from fuzz.draw.steps.calls import call_something
from fuzz.draw.steps.heaps import take_length
from fuzz.draw.steps.integers import check_range, compute_any, compute_checked, event, guard, pair, repeat
from fuzz.draw.steps.strings import use_strings
from fuzz.selftest.random_edits import edit
from optimizer.ir.trace import Trace
from optimizer.pipeline import optimize

_HEAP_ALONE: Mix = tuple(
    (step, weight) for step, weight in HEAP_MIX if step not in (call_something, take_length, use_strings)
)
"""The mix of steps on the heap, without functions, exceptions and strings, and checks of indices."""

HEAP_SHAPE = Shape(
    inputs=5,
    min_operations=38,
    max_operations=40,
    mix=_HEAP_ALONE,
    exit_blocks=0,
    unknown_failargs=0,
    heap=HeapShape(strings=False, functions=0, exceptions=0),
)

MIXED_SHAPE = Shape(min_operations=20, max_operations=60, mix=DEFAULT_MIX, unknown_failargs=0)

_COMPUTING: Mix = (
    (compute_any, 12),
    (compute_checked, 6),
    (repeat, 2),
    (check_range, 2),
    (guard, 1),
    (pair, 8),
)
"""Few guards and tests, so that more of the operations can multiply or divide."""

COMPUTING_SHAPE = Shape(
    inputs=30,
    mix=(
        (compute_any, 40),
        (compute_checked, 8),
        (repeat, 6),
        (event, 1),
        (pair, 16),
    ),
    unknown_failargs=0,
)
"""No guards that fix what the inputs are, so that a long trace computes to its end."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A trace and what is to be judged as its optimization."""

    before: Trace
    after: Trace


@dataclass(frozen=True, slots=True)
class Workload:
    """`sample` makes the pair of a seed. It has `weight` of the time, beside that of the others."""

    name: str
    sample: Callable[[int], Sample]
    weight: float


def optimized(shape: Shape) -> Callable[[int], Sample]:
    """The maker of the pair of a seed: a trace of that shape, and what the optimizer makes of it."""

    def sample(seed: int) -> Sample:
        trace = generate(Random(seed), shape).trace
        return Sample(trace, optimize(trace))

    return sample


def _edited(shape: Shape) -> Callable[[int], Sample]:
    def sample(seed: int) -> Sample:
        right = optimized(shape)(seed)
        return replace(right, after=edit(right.after, Random(seed)))

    return sample


_SHAPES = {
    "mix": MIXED_SHAPE,
    "no mul, no div": replace(MIXED_SHAPE, products=0, divisions=0),
    "mul-heavy": replace(MIXED_SHAPE, mix=_COMPUTING, products=20),
    "division": replace(MIXED_SHAPE, mix=_COMPUTING, divisions=6),
    "heap": HEAP_SHAPE,
}

WORKLOADS = tuple(
    workload
    for name, shape in _SHAPES.items()
    for workload in (
        Workload(name, optimized(shape), 1),
        Workload(f"{name}, one wrong edit", _edited(shape), 0.25),
    )
)
"""`mix`: a random mix of about 20 to 60 operations on integers. `no mul, no div`: without those that multiply or
divide. `mul-heavy`: almost half of them multiply. `division`: more than a quarter divide. `heap`: about 40 operations
on a heap."""
