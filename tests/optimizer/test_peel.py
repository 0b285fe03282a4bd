"""Loops peeled by the optimizer."""

from __future__ import annotations

import pytest

from optimizer.ir.check import check, inner_label
from optimizer.ir.faults import Unsupported
from optimizer.ir.text import format_trace, parse
from optimizer.peel import peel

PEELED = {
    "a load that nothing changes": (
        """
[p0, i0]
i1 = getfield_gc_i(p0, descr=Node.step)
i2 = int_add(i0, i1)
i3 = int_lt(i2, 1000)
guard_true(i3) [i2]
jump(p0, i2)
""",
        """
[p0, i0]
i1 = getfield_gc_i(p0, descr=Node.step)
i2 = int_add(i0, i1)
i3 = int_lt(i2, 1000)
guard_true(i3, origin=0) [i2]
label(i2, i1, descr=Body)
i2.1 = int_add(i2, i1)
i3.1 = int_lt(i2.1, 1000)
guard_true(i3.1, origin=0) [i2.1]
jump(i2.1, i1, descr=Body)
""",
    ),
    "guards that have passed": (
        """
[p0, i0]
guard_nonnull(p0) [i0]
guard_class(p0, ConstClass(Node)) [i0]
escape_n(p0, i0)
guard_no_exception() [i0]
jump(p0, i0)
""",
        """
[p0, i0]
guard_nonnull_class(p0, ConstClass(Node), origin=0) [i0]
escape_n(p0, i0)
guard_no_exception(origin=2) [i0]
label(p0, i0, descr=Body)
escape_n(p0, i0)
guard_no_exception(origin=2) [i0]
jump(p0, i0, descr=Body)
""",
    ),
    "an event between load and load": (
        """
[p0]
i1 = getfield_gc_i(p0, descr=Node.value)
escape_n(i1)
guard_no_exception() []
jump(p0)
""",
        """
[p0]
i1 = getfield_gc_i(p0, descr=Node.value)
escape_n(i1)
guard_no_exception(origin=0) []
label(p0, descr=Body)
i1.1 = getfield_gc_i(p0, descr=Node.value)
escape_n(i1.1)
guard_no_exception(origin=0) []
jump(p0, descr=Body)
""",
    ),
    "a store is done by the label": (
        """
[p0, i0]
i1 = int_add(i0, 1)
setfield_gc(p0, i1, descr=Node.value)
i2 = int_lt(i1, 10)
guard_true(i2) []
jump(p0, i1)
""",
        """
[p0, i0]
i1 = int_add(i0, 1)
i2 = int_lt(i1, 10)
guard_true(i2, origin=0) [] {
    setfield_gc(p0, i1, descr=Node.value)
}
setfield_gc(p0, i1, descr=Node.value)
label(i0, p0, i1, descr=Body)
i1.1 = int_add(i0, 2)
i2.1 = int_lt(i1.1, 10)
guard_true(i2.1, origin=0) [] {
    setfield_gc(p0, i1.1, descr=Node.value)
}
setfield_gc(p0, i1.1, descr=Node.value)
jump(i1, p0, i1.1, descr=Body)
""",
    ),
}


@pytest.mark.parametrize(("loop", "wanted"), PEELED.values(), ids=PEELED)
def test_peeling(loop: str, wanted: str) -> None:
    made = peel(parse(loop)).trace
    check(made)
    assert format_trace(made) == wanted.lstrip()


def test_an_object_that_goes_round_is_not_allocated() -> None:
    made = peel(
        parse("""
[p0]
guard_class(p0, ConstClass(Box)) [p0]
i1 = getfield_gc_i(p0, descr=Box.value)
i2 = int_mul(i1, i1)
p1 = new_with_vtable(descr=Box)
setfield_gc(p1, i2, descr=Box.value)
i3 = int_lt(i2, 1000)
guard_true(i3) [p1]
jump(p1)
""")
    ).trace
    place = inner_label(made)
    assert place is not None
    assert [str(arg) for arg in made.ops[place].args] == ["i2"]
    assert [one.op.name for one in made.ops[place:]] == ["label", "int_mul", "int_lt", "guard_true", "jump"]


def test_what_always_leaves_is_not_peeled() -> None:
    made = peel(parse("[i0]\nguard_value(i0, 1) []\nguard_value(i0, 2) []\njump(i0)")).trace
    assert inner_label(made) is None


def test_what_does_not_go_round_cannot_be_peeled() -> None:
    for end in ("finish(i0)", "jump()", "jump(i0, descr=Elsewhere)"):
        with pytest.raises(Unsupported, match="does not go back to its start"):
            peel(parse(f"[i0]\n{end}"))


def test_a_loop_with_a_label_in_front_keeps_it() -> None:
    made = peel(parse("[i0]\nlabel(i0, descr=Body)\nescape_n(i0)\nguard_no_exception() []\njump(i0, descr=Body)")).trace
    check(made)
    place = inner_label(made)
    assert place == 3
    assert made.ops[0].descr == "Body"
    assert made.end.descr == made.ops[place].descr == "Peeled"


def test_origins_that_are_named_stay() -> None:
    made = peel(parse("[i0]\ni1 = int_lt(i0, 5)\nguard_true(i1, origin=7) [i0]\ni2 = int_add(i0, 1)\njump(i2)")).trace
    assert [guard.exit.origin for guard in made.guards if guard.exit] == [7, 7]
