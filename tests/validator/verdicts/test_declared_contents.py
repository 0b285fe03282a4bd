"""What is declared of a constant's fields holds of whatever is the same object: for solvers, searches and runs."""

from __future__ import annotations

from dataclasses import replace

from pairs import proved, refuted

from optimizer.ir.run.objects import NO_INDEX, Ref
from optimizer.ir.run.runs import World
from optimizer.ir.text import parse
from optimizer.ir.types.trace_layout import layout_of
from validator import Options, State
from validator.search.replay import Replay

TYPES = """+++
[struct.S]
[struct.S.fields]
version = { type = "int", quasi_immutable = true }
next = { type = "ref", immutable = true }
[const.d]
struct = "S"
fields = { version = 6 }
[const.c]
struct = "S"
fields = { version = 5, next = "d" }
+++
"""
NEXT = """[p0]
p1 = getfield_gc_r(p0, descr=S.next)
i2 = ptr_eq(p0, ConstPtr(c))
"""
VERSION = """[p0]
{check}i1 = getfield_gc_i({p}, descr=S.version)
i2 = ptr_eq(p0, ConstPtr(c))
"""
CHECK = "guard_not_invalidated() []\n"
ONE = "i3 = int_and(i1, i2)\nfinish(i3)\n"
NEGATED = "i4 = int_neg(i2)\ni3 = int_and(i4, {version})\nfinish(i3)\n"


def test_a_reference_to_another_constant() -> None:
    compared = "i3 = ptr_eq(p1, ConstPtr(d))\ni4 = int_and(i2, i3)\nfinish(i4)\n"
    proved(TYPES + NEXT + compared, TYPES + NEXT + "finish(i2)\n")


def test_what_is_quasi_immutable_while_the_code_is_valid() -> None:
    checked, unchecked = VERSION.format(p="p0", check=CHECK), VERSION.format(p="p0", check="")
    proved(TYPES + checked + ONE, TYPES + checked + NEGATED.format(version=1))
    found = refuted(TYPES + unchecked + ONE, TYPES + unchecked + NEGATED.format(version=1))
    assert 0 in found.counterexample.state.world.invalid


def test_a_constant_that_only_a_declaration_names() -> None:
    follow = VERSION.format(p="p1", check=CHECK + "p1 = getfield_gc_r(p0, descr=S.next)\n")
    bit = "i5 = int_neg(i2)\ni6 = int_and(i1, i5)\nfinish(i6)\n"
    proved(TYPES + follow + bit, TYPES + follow + bit.replace("int_and(i1, i5)", "int_and(i5, 6)"))


def test_a_state_that_contradicts_declarations_is_none() -> None:
    trace = parse(TYPES + VERSION.format(p="p0", check="") + "finish(i1)\n")
    layout = layout_of(trace, trace)
    replay = Replay(trace, trace, Options(), layout)
    run = replay.run(State((Ref("ConstPtr(c)"),)))
    assert run is not None
    assert run.state.heap is not None
    constant = Ref("ConstPtr(c)")

    def runs(key: str, value: int | Ref, world: World) -> bool:
        assert run is not None
        assert run.state.heap is not None
        heap = run.state.heap.copy()
        heap.objects[constant] = heap.objects[constant].put((key, NO_INDEX), value)
        return replay.run(replace(run.state, world=world, heap=heap)) is not None

    assert runs("S.version", 5, World())
    assert not runs("S.version", 4, World())
    assert runs("S.version", 4, World(invalid=frozenset([0])))
    assert runs("S.next", Ref("ConstPtr(d)"), World())
    assert not runs("S.next", constant, World(invalid=frozenset([0])))
