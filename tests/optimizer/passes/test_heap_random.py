"""The optimizer on random heap traces, run side by side with what it was given; and that a fault in it shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from heap_agreement import SideBySide
from memory_traces import Case, grown

from optimizer.facts import aliasing
from optimizer.facts.memory import Memory
from optimizer.ir.check import IllFormed, check
from optimizer.ir.rows.ops import Kind
from optimizer.ir.text import format_trace
from optimizer.ir.trace import ConstInt
from optimizer.passes import virtuals
from optimizer.passes.heap import HeapAccesses
from optimizer.passes.virtuals import Virtuals
from optimizer.pipeline import DEFAULT_PASSES, run_passes

LENGTHS = [5, 10, 20, 35]


def subset(random: Random) -> tuple[str, ...]:
    if random.random() < 0.7:
        return DEFAULT_PASSES
    return tuple(name for name in DEFAULT_PASSES if random.random() < 0.6)


def differences(case: Case, passes: tuple[str, ...], told: Counter[str]) -> list[str]:
    """How the optimized trace differs, on each state; counts what fired, and how many states were defined."""
    done = run_passes(case.trace, passes)
    check(done.trace)
    told.update(done.fired)
    pair = SideBySide(case.trace, done.trace)
    found = [pair.difference(*state) for state in case.states]
    told["(defined)"] += sum(one != "undefined" for one in found)
    return [f"{one}\n{format_trace(done.trace)}" for one in found if one not in (None, "undefined")]


@pytest.mark.parametrize("seed", range(2))
def test_random_traces_run_alike(seed: int) -> None:
    random = Random(seed)
    told: Counter[str] = Counter()
    for _ in range(36):
        case = grown(random, random.choice(LENGTHS))
        assert not differences(case, subset(random), told), format_trace(case.trace)
    assert told["(defined)"] > 180


def test_every_rule_on_the_heap_fires() -> None:
    random = Random(2)
    told: Counter[str] = Counter()
    wanted = {
        "known_content", "same_content", "delayed_store", "dead_store", "virtual", "virtual_load", "virtual_store",
        "virtual_fact", "reference_guard_holds", "known_identity", "known_length", "same_reference",
        "known_fact",
    }  # fmt: skip
    for _ in range(120):
        differences(grown(random, 30, 0), DEFAULT_PASSES, told)
        if told.keys() >= wanted:
            return
    pytest.fail(f"never: {wanted - told.keys()}")


# Faults, each a name and a replacement of something in the optimizer.


def _nothing(*_: object, **__: object) -> None:
    """Does nothing."""


def _unchanged(_self: object, exit_: Any, *_: object) -> Any:
    return exit_


def _no_stores(*_: object) -> tuple[()]:
    return ()


def _always(*_: object) -> bool:
    return True


def _ones(content: Callable[..., Any]) -> Callable[..., Any]:
    def one_for_zero(*args: Any) -> Any:
        found = content(*args)
        return ConstInt(1) if found == ConstInt(0) else found

    return one_for_zero


def _not_at_events(self: HeapAccesses, operation: Any, facts: Any) -> Any:
    return () if operation.op.kind is Kind.EVENT else _PREPARE(self, operation, facts)


_PREPARE = HeapAccesses.prepare

FAULTS: dict[str, tuple[object, str, object]] = {
    "nothing is forgotten at a store to the same field": (Memory, "_forget_meeting", _nothing),
    "objects are allocated without their fields": (virtuals._Virtual, "needed_stores", _no_stores),
    "what an object has in it is not allocated": (virtuals._Virtual, "values", lambda self, facts: []),
    "unset fields are not 0": (virtuals, "default_content", _ones(virtuals.default_content)),
    "guards' exit blocks lack virtuals": (Virtuals, "complete", _unchanged),
    "guards' exit blocks lack delayed stores": (HeapAccesses, "complete", _unchanged),
    "delayed stores cross events that see them": (HeapAccesses, "prepare", _not_at_events),
    "unrelated is what is not the same": (aliasing, "_types_differ", lambda facts, one, other: one.isa != other.isa),
    "any length is another one": (aliasing, "_lengths_differ", _always),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_shows(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    target, attribute, fault = FAULTS[name]
    monkeypatch.setattr(target, attribute, fault)
    random = Random(0)
    for _ in range(1500):
        case = grown(random, random.choice(LENGTHS), 3)
        try:
            if differences(case, DEFAULT_PASSES, Counter()):
                return
        except IllFormed:
            return
    pytest.fail(f"not found: {name}")
