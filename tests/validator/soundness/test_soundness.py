"""Verdicts against brute force: on small words, every state and every world is run.

The interpreter's comparison (`validator.search.replay`) knows nothing of terms, assumptions or solvers, so that the two
sides of this test have only the operation table in common.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from functools import cache
from random import Random

import pytest
from pairs import with_origins

from fuzz.draw.generator import generate
from fuzz.draw.mixes import HEAP_MIX
from fuzz.draw.shape import HeapShape, Shape
from fuzz.selftest.random_edits import edit
from optimizer.ir.rows.ops import Kind
from optimizer.ir.run.interpreter import World
from optimizer.ir.text import format_trace
from optimizer.ir.trace import Trace
from optimizer.ir.types.trace_layout import layout_of
from validator import Failargs, Guards, Options, Proved, Refuted, State, Unknown, Unsupported, Verdict, validate
from validator.prove.align import given_origins
from validator.search.replay import Replay

WORD = 4
UNKNOWNS = 3  # inputs and event results


def small_trace(random: Random) -> Trace | None:
    """A small trace with few enough unknowns that all states can be run."""
    shape = Shape(word=WORD, inputs=2, max_operations=random.choice([3, 5, 8]), failargs=2, exit_blocks=15)
    trace = generate(random, shape).trace
    return trace if len(trace.inputs) + results(trace) <= UNKNOWNS else None


def results(trace: Trace) -> int:
    return sum(op.op.kind is Kind.EVENT and op.result is not None for op in trace.ops)


def events(trace: Trace) -> list[bool]:
    """For each event, whether it has a result."""
    return [op.result is not None for op in trace.ops if op.op.kind is Kind.EVENT]


def all_states(before: Trace, after: Trace) -> Iterator[State]:
    values = range(-(2 ** (WORD - 1)), 2 ** (WORD - 1))
    with_result = [any(pair) for pair in itertools.zip_longest(events(before), events(after), fillvalue=False)]
    for inputs in itertools.product(values, repeat=len(before.inputs)):
        for script in itertools.product(*[values if has else (0,) for has in with_result]):
            for stops_at in (None, *range(len(with_result))):
                yield State(inputs, World(script, stops_at))


@cache  # pairs are judged twice
def is_right(before: Trace, after: Trace, options: Options) -> bool:
    """Is there an assignment of origins under which no state shows a difference?"""
    replay = Replay(before, after, options, layout_of(before, after))
    allowed: list[list[int]] = given_origins(before, after)
    for state in all_states(before, after):
        runs = replay.run(state)
        if runs is None:
            continue
        guard = replay.left_at(runs)
        if guard is None or not allowed[guard]:
            if replay.difference(runs, None) is not None:
                return False
            continue
        allowed[guard] = [k for k in allowed[guard] if replay.difference(runs, k) is None]
        if not ascends(allowed):
            return False
    return ascends(allowed)


def ascends(allowed: list[list[int]]) -> bool:
    low = 0
    for choices in allowed:
        fitting = [k for k in choices if k >= low]
        if choices and not fitting:
            return False
        if not choices:
            return False
        low = fitting[0]
    return True


def lists_lost(before: Trace, after: Trace) -> bool:
    return any(op.exit is not None and op.exit.failargs is None for op in after.ops) and any(
        op.exit is not None and op.exit.failargs is not None for op in before.ops
    )


def agree(before: Trace, after: Trace, options: Options) -> Verdict | None:
    verdict = validate(before, after, options)
    text = f"{format_trace(before)}\n{format_trace(after)}\n{options}\n{verdict}"
    match verdict:
        case Proved():
            assert is_right(before, after, options), text
        case Refuted():
            assert not is_right(before, after, options), text
        case Unknown():
            assert lists_lost(before, after), text
        case Unsupported(reason):
            assert "reordered" in reason, text
        case _:
            raise AssertionError(text)
    return verdict


@pytest.mark.parametrize("mode", list(Guards), ids=lambda mode: mode.value)
@pytest.mark.parametrize("named", [True, False], ids=["given", "inferred"])
@pytest.mark.usefixtures("rungs")
def test_verdicts_agree_with_brute_force(mode: Guards, named: bool) -> None:
    random = Random(f"{mode} {named}")
    seen: Counter[str] = Counter()
    while sum(seen.values()) < 45:
        before = small_trace(random)
        if before is None:
            continue
        after = with_origins(before) if named else before
        for _ in range(random.choice([1, 1, 2])):
            after = edit(after, random)
        failargs = random.choice([Failargs.CHECK, Failargs.CHECK, Failargs.IGNORE])
        if results(before) + results(after) + len(before.inputs) > UNKNOWNS + 1:
            continue
        verdict = agree(before, after, Options(mode, failargs))
        seen[type(verdict).__name__] += 1
    assert seen["Proved"] > 4, seen
    assert seen["Refuted"] > 4, seen


def test_every_trace_refines_itself() -> None:
    random = Random(5)
    for count in range(24):
        shape = Shape(max_operations=30, heap=HeapShape(), mix=HEAP_MIX) if count % 2 else Shape(max_operations=30)
        trace = generate(random, shape).trace
        for mode in Guards:
            for after in (trace, with_origins(trace)):
                assert isinstance(validate(trace, after, Options(mode)), Proved), format_trace(trace)
