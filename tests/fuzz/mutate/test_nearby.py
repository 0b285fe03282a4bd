"""States near an example: of the same types, and other ones in all their places."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from random import Random

from fuzz.draw.generator import generate_for
from fuzz.mutate.nearby import Nearby
from optimizer.ir.faults import Unspecified
from optimizer.ir.run.interpreter import Program
from optimizer.ir.run.objects import Ref
from validator.search.counterexample import State


def changed(one: State, other: State) -> Counter[str]:
    """What of the state is another one."""
    found: Counter[str] = Counter()
    for name in ("results", "stops_at", "writes", "invalid", "raises", "functions", "forced", "false_conditions"):
        found[name] += getattr(one.world, name) != getattr(other.world, name)
    found["inputs"] += one.inputs != other.inputs
    if one.heap is not None and other.heap is not None:
        found["objects"] += one.heap.objects.keys() != other.heap.objects.keys()
        for ref in one.heap.objects.keys() & other.heap.objects.keys():
            held, now = one.heap.objects[ref], other.heap.objects[ref]
            found["length"] += held.length != now.length
            found["cells"] += held.length == now.length and held.cells != now.cells
    return found


def test_states_are_of_the_same_types_and_differ_in_all_places() -> None:
    found: Counter[str] = Counter()
    for seed in range(80):
        made = generate_for(seed)
        nearby, program = Nearby((made.trace,), Random(seed)), Program(made.trace)
        known = [made.state]
        for _ in range(10):
            state = nearby.state(known)
            assert [type(value) for value in state.inputs] == [type(value) for value in made.state.inputs]
            objects = {} if state.heap is None else state.heap.objects
            assert all(value in objects or value.name == "NULL" for value in state.inputs if isinstance(value, Ref))
            with suppress(Unspecified):
                program.run(state.inputs, state.world, heap=state.heap)
            found += changed(made.state, state)
            known.append(state)
    assert set(found) >= {"inputs", "results", "stops_at", "writes", "invalid", "raises", "forced", "objects", "cells"}
    assert "length" in found


def test_the_same_seed_gives_the_same_states() -> None:
    made = generate_for(3)
    one, other = (Nearby((made.trace,), Random(1)) for _ in range(2))
    assert [one.state([made.state]) for _ in range(20)] == [other.state([made.state]) for _ in range(20)]
