"""Comparisons of floats that are each other's opposite only where neither is NaN: no pair is proved that takes them for
that. Straight loops are refuted (`test_open`); what a bridge starts with, and what a label relies on, is left open."""

from __future__ import annotations

import re

import pytest

from tests.pypy_logs import bridge as optimized_bridge
from tests.pypy_logs import judged, loop, recorded
from validator import Proved, Unknown

BOTH = (
    "f2 = getfield_gc_f(p0, descr=<FieldF Point.inst_x 8>)",
    "f3 = getfield_gc_f(p1, descr=<FieldF Point.inst_y 16>)",
)
LESS, WORK = "i4 = float_lt(f2, f3)", "call_n(ConstClass(work), descr=<Callv 0 EF=7>)"
WRONG = ("i5 = float_ge(f2, f3)", "guard_true(i5)")
RIGHT = ("i5 = float_gt(f3, f2)", "guard_false(i5)")
ASKS = pytest.mark.parametrize(("asks", "verdict"), [(WRONG, Unknown), (RIGHT, Proved)])


def guard(number: int) -> str:
    return f"+1: guard_false(i4, descr=<Guard0x7f{number}>) [p0, p1, f2, f3]"


def guarded(number: int) -> tuple[str, ...]:
    return (*(f"+1: {line}" for line in (*BOTH, LESS)), guard(number))


@ASKS
def test_in_a_peeled_loop(asks: tuple[str, ...], verdict: type) -> None:
    before = recorded("[p0, p1]", *BOTH, LESS, "guard_false(i4)", *asks, WORK, "jump(p0, p1, descr=<Loop-1>)")
    inner = "+1: label(p0, p1, descr=TargetToken(141))"
    back = "+1: jump(p0, p1, descr=TargetToken(141))"
    start = "+1: label(p0, p1, descr=TargetToken(140))"
    body = [re.sub(r"\b([fi])([234])\b", r"\g<1>1\2", line) for line in guarded(21)]
    after = loop("[p0, p1]", start, *guarded(20), WORK, inner, *body, WORK, back)
    (one,) = judged(before + after)
    assert isinstance(one.verdict, verdict)


@ASKS
def test_in_a_bridge(asks: tuple[str, ...], verdict: type) -> None:
    before = recorded("[p0, p1]", *BOTH, LESS, "guard_false(i4)", *asks, "finish(p0)")
    (one,) = judged(before + optimized_bridge("[p0, p1]", *guarded(20), "+1: finish(p0)"))
    assert isinstance(one.verdict, verdict)


@pytest.mark.parametrize("asks", [WRONG, ("i5 = float_ne(f2, f3)", "guard_true(i5)")])
def test_in_the_parent_of_a_bridge(asks: tuple[str, ...]) -> None:
    """It starts where one float is not less than the other one."""
    back = "jump(p0, p1, descr={})"
    before = recorded("[p0, p1]", *BOTH, LESS, "guard_true(i4)", back.format("<Loop-1>"))
    lines = (*guarded(10)[:-1], guard(10).replace("guard_false", "guard_true"), back.format("TargetToken(140)"))
    parent = before + loop("[p0, p1]", "+1: label(p0, p1, descr=TargetToken(140))", *lines)
    one, child = judged(
        parent
        + recorded("[p0, p1, f2, f3]", *asks, "finish(p0)")
        + optimized_bridge("[p0, p1, f2, f3]", "+1: finish(p0)")
    )
    assert isinstance(one.verdict, Proved)
    assert isinstance(child.verdict, Unknown)


@pytest.mark.parametrize(
    ("asks", "handed", "is_right"),
    [
        ("guard_value(f1, 0.000000{})", "f1", False),  # -0.0 and NaN: the recorded trace leaves
        ("guard_value(f1, 0.000000{})", "0.000000", False),
        ("", "0.000000", False),
        ("", "f1", True),
    ],
)
def test_a_guard_that_a_float_has_a_value_passes_for_others(asks: str, handed: str, *, is_right: bool) -> None:
    """Machine code asks whether neither is less, the interpreter that is recorded for the value."""
    before = [asks.format("")] if asks else []
    after = [asks.format(", descr=<Guard0x7f20>") + " [f1]"] if asks else []
    log = recorded("[f1]", *before, "finish(f1)") + optimized_bridge("[f1]", *after, f"finish({handed})")
    (one,) = judged(log)
    assert isinstance(one.verdict, Proved) is is_right, one.verdict


@pytest.mark.parametrize(("kind", "constant", "is_right"), [("i", "0", True), ("f", "0.000000", False)])
def test_floats_of_a_bridge_and_its_loop_that_are_printed_alike_may_be_two(
    kind: str, constant: str, *, is_right: bool
) -> None:
    """The body knows what the loop has stored. The bridge may have stored 1e-9, which a log prints as 0.000000."""
    held, shown = f"<Field{'SF'[kind == 'f']} Point.x 8>", f"<Field{'SF'[kind == 'f']} Point.y 16>"
    load = f"{kind}2 = getfield_gc_{kind}(p0, descr={held})"
    store, show = f"setfield_gc(p0, {constant}, descr={held})", "setfield_gc(p0, {}, descr=" + shown + ")"
    asked = "i3 = int_lt(i1, 9)", "guard_true(i3{})"
    before = (asked[0], asked[1].format(""), load, show.format(f"{kind}2"), store, "jump(p0, i1, descr=<Loop-1>)")
    first = (asked[0], asked[1].format(", descr=<Guard0x7f01>") + " [p0, i1]", load, show.format(f"{kind}2"), store)
    label = "label(p0, i1, descr=TargetToken({}))"
    body = ("i13 = int_lt(i1, 9)", "guard_true(i13, descr=<Guard0x7f10>) [p0, i1]", show.format(constant))
    peeled = (label.format(140), *first, label.format(141), *body, "jump(p0, i1, descr=TargetToken(141))")
    log = recorded("[p0, i1]", *before) + loop("[p0, i1]", *peeled)
    log += recorded("[p0, i1]", store, "jump(p0, i1, descr=<Loop1>)")
    log += optimized_bridge("[p0, i1]", store, "jump(p0, i1, descr=TargetToken(141))")
    of_loop, of_bridge = judged(log)
    assert isinstance(of_loop.verdict, Proved), of_loop.verdict
    assert isinstance(of_bridge.verdict, Proved) is is_right, of_bridge.verdict
