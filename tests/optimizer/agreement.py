"""Runs a trace and what an optimizer made of it side by side, in the interpreter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from random import Random

from optimizer.ir.run.interpreter import Finished, GuardFailed, Outcome, Program, Run, Undefined, World
from optimizer.ir.trace import Trace, exit_of

BOUNDARY = (0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 63, 64, 100)


def boundary_value(random: Random, word: int) -> int:
    """A small number, a power of two or a neighbour of one, an end of the range, or any number."""
    half = 1 << (word - 1)
    match random.randrange(4):
        case 0:
            value = random.choice(BOUNDARY)
        case 1:
            value = (1 << random.randrange(word)) + random.randint(-1, 1)
        case 2:
            value = half - 1 - random.randint(0, 2)
        case _:
            value = random.randrange(2 * half)
    if random.random() < 0.5:
        value = -value
    return (value + half) % (2 * half) - half


def random_inputs(trace: Trace, count: int, random: Random) -> Iterable[tuple[int, ...]]:
    for _ in range(count):
        yield tuple(boundary_value(random, trace.word) for _ in trace.inputs)


def all_inputs(trace: Trace) -> Iterable[tuple[int, ...]]:
    half = 1 << (trace.word - 1)
    return product(range(-half, half), repeat=len(trace.inputs))


def assert_agree(before: Trace, after: Trace, inputs: Iterable[Sequence[int]], world: World | None = None) -> int:
    """Fails unless both run alike wherever `before` is defined. How many of the inputs that was."""
    first, second = Program(before), Program(after)
    defined = 0
    for values in inputs:
        expected, found = first.run(values, world), second.run(values, world)
        if isinstance(expected.outcome, Undefined):
            continue
        defined += 1
        assert _seen(expected, before) == _seen(found, after, expected.outcome), f"on inputs {values}"
    return defined


def _seen(run: Run, trace: Trace, expected: Outcome | None = None) -> object:
    outcome = run.outcome
    if isinstance(outcome, GuardFailed):
        failargs = outcome.failargs
        if expected is not None and isinstance(expected, GuardFailed) and expected.failargs is not None:
            assert failargs is not None
            failargs = tuple(None if old is None else new for old, new in zip(expected.failargs, failargs, strict=True))
        origin = exit_of(trace.guards[outcome.guard]).origin
        outcome = GuardFailed(outcome.guard if origin is None else origin, failargs)
    assert expected is None or not isinstance(expected, Finished) or isinstance(outcome, Finished)
    return outcome, run.events
