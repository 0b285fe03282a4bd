"""New objects that hold new objects: both traces make them of the same classes."""

from __future__ import annotations

import pytest

from tests.pypy_logs import judged, loop, recorded
from validator import Proved

V, A = "<FieldS W_IntObject.inst_intval 8 pure>", "<FieldP W_Pair.first 8 pure>"
B = "<FieldS W_Pair.second 16 pure>"
START = ("guard_class(p1, ConstClass(W_Pair))", f"i2 = getfield_gc_i(p1, descr={B})", "i3 = int_add(i2, 1)")


def made(outer: str, inner: str, number: str) -> tuple[str, ...]:
    """A number in an object in a pair, which the node has from then on."""
    return (
        f"{inner} = new_with_vtable(descr=<SizeDescr 16>)",
        f"{outer} = new_with_vtable(descr=<SizeDescr 24>)",
        f"setfield_gc({inner}, {number}, descr={V})",
        f"setfield_gc({outer}, {inner}, descr={A})",
        f"setfield_gc({outer}, {number}, descr={B})",
        f"setfield_gc(p0, {outer}, descr=<FieldP Node.last 16>)",
    )


def swapped(lines: tuple[str, ...]) -> tuple[str, ...]:
    return (lines[1], lines[0], *lines[2:])


HOLDS = recorded("[p0, p1]", *START, *made("p5", "p4", "i3"), "jump(p0, p5, descr=<Loop-1>)") + loop(
    "[p0, p1]",
    "+17: label(p0, p1, descr=TargetToken(140))",
    "guard_class(p1, ConstClass(W_Pair), descr=<Guard0x7f10>) [p0, p1]",
    *START[1:],
    *swapped(made("p5", "p4", "i3")),
    "label(p0, p5, i3, descr=TargetToken(141))",
    "i8 = int_add(i3, 1)",
    *swapped(made("p9", "p10", "i8")),
    "jump(p0, p9, i8, descr=TargetToken(141))",
)


def test_objects_in_objects_are_of_the_same_classes() -> None:
    (one,) = judged(HOLDS)
    assert isinstance(one.verdict, Proved), one.verdict


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("p9 = new_with_vtable(descr=<SizeDescr 24>)", "p9 = new_with_vtable(descr=<SizeDescr 32>)"),
        ("p10 = new_with_vtable(descr=<SizeDescr 16>)", "p10 = new_with_vtable(descr=<SizeDescr 24>)"),
        ("setfield_gc(p10, i8,", "setfield_gc(p10, i3,"),
        ("setfield_gc(p9, i8,", "setfield_gc(p9, i3,"),
        ("setfield_gc(p0, p9,", "setfield_gc(p0, p5,"),
        ("jump(p0, p9, i8,", "jump(p0, p5, i8,"),
    ],
)
def test_faults_in_objects_in_objects_are_not_proved(right: str, wrong: str) -> None:
    assert HOLDS.count(right) == 1
    (one,) = judged(HOLDS.replace(right, wrong))
    assert not isinstance(one.verdict, Proved)
