"""Bridges to inner labels, which ask for what the label takes before the recorded loop has asked for anything."""

from __future__ import annotations

from dataclasses import replace

import pytest

from optimizer.ir.trace import exit_of
from tests.pypy_logs import bridge, judged, judged_last, loop, recorded
from validator import Proved
from validator.pypy.judge import OPTIONS, Judged
from validator.pypy.printed.lines import Line, Printed
from validator.pypy.printed.straight import UNUSED
from validator.pypy.translate import INSTANCES
from validator.verdict import Options, Verdict

LITTLE = replace(OPTIONS, effort=100_000)
"""What is right needs no more."""
SEQ, INDEX = "<FieldP W_Iter.inst_seq 8>", "<FieldS W_Iter.inst_index 16>"
STORAGE, LENGTH, ITEMS = "<FieldP W_List.inst_storage 8>", "<FieldS list.length 8>", "<FieldP list.items 16>"
NEXT = (
    "i5 = uint_ge(i3, i4)",
    "guard_false(i5{})",
    "p7 = getarrayitem_gc_r(p6, i3, descr=<ArrayP 8>)",
    "i8 = int_add(i3, 1)",
    f"setfield_gc(p0, i8, descr={INDEX})",
)
ROUND = (
    "[p0, p9]",
    "guard_class(p0, ConstClass(W_Iter))",
    f"p1 = getfield_gc_r(p0, descr={SEQ})",
    "guard_nonnull(p1)",
    f"i3 = getfield_gc_i(p0, descr={INDEX})",
    f"p2 = getfield_gc_r(p1, descr={STORAGE})",
    f"i4 = getfield_gc_i(p2, descr={LENGTH})",
    *(line.format("") for line in NEXT[:2]),
    f"p6 = getfield_gc_r(p2, descr={ITEMS})",
    *(line.format("") for line in NEXT[2:]),
    "guard_nonnull(p7)",
    "guard_nonnull(p9)",
    "guard_class(p7, ConstClass(W_Int))",
    "jump(p0, p9, descr=<Loop-1>)",
)
PEELED = (
    "[p0, p9]",
    "+1: label(p0, p9, descr=TargetToken(140))",
    "+1: guard_class(p0, ConstClass(W_Iter), descr=<Guard0x7f01>) [p0]",
    f"+1: p1 = getfield_gc_r(p0, descr={SEQ})",
    "+1: guard_nonnull(p1, descr=<Guard0x7f02>) [p0]",
    f"+1: i3 = getfield_gc_i(p0, descr={INDEX})",
    f"+1: p2 = getfield_gc_r(p1, descr={STORAGE})",
    f"+1: i4 = getfield_gc_i(p2, descr={LENGTH})",
    *(f"+1: {line.format(', descr=<Guard0x7f03>')}{' [p0]' * line.startswith('guard')}" for line in NEXT[:2]),
    f"+1: p6 = getfield_gc_r(p2, descr={ITEMS})",
    *(f"+1: {line}" for line in NEXT[2:]),
    "+1: guard_nonnull_class(p7, ConstClass(W_Int), descr=<Guard0x7f04>) [p0]",
    "+1: guard_nonnull(p9, descr=<Guard0x7f05>) [p0, p7]",
    "+1: label(p0, p9, i8, i4, p6, descr=TargetToken(141))",
    "+1: i15 = uint_ge(i8, i4)",
    "+1: guard_false(i15, descr=<Guard0x7f06>) [p0]",
    "+1: p17 = getarrayitem_gc_r(p6, i8, descr=<ArrayP 8>)",
    "+1: i18 = int_add(i8, 1)",
    f"+1: setfield_gc(p0, i18, descr={INDEX})",
    "+1: guard_nonnull_class(p17, ConstClass(W_Int), descr=<Guard0x7f10>) [p0, p9]",
    "+1: i19 = arraylen_gc(p6, descr=<ArrayP 8>)",
    "+1: jump(p0, p9, i18, i4, p6, descr=TargetToken(141))",
    "+1: --end of the loop--",
)
BRIDGE = (
    "[p0, p9]",
    f"+1: p1 = getfield_gc_r(p0, descr={SEQ})",
    "+1: guard_nonnull(p1, descr=<Guard0x7f21>) [p0]",
    "+1: guard_subclass(p1, ConstClass(W_List), descr=<Guard0x7f22>) [p0]",
    f"+1: i3 = getfield_gc_i(p0, descr={INDEX})",
    f"+1: p2 = getfield_gc_r(p1, descr={STORAGE})",
    "+1: guard_nonnull(p2, descr=<Guard0x7f23>) [p0]",
    "+1: guard_gc_type(p2, 100, descr=<Guard0x7f24>) [p0]",
    f"+1: i4 = getfield_gc_i(p2, descr={LENGTH})",
    f"+1: p6 = getfield_gc_r(p2, descr={ITEMS})",
    "+1: guard_nonnull(p6, descr=<Guard0x7f25>) [p0]",
    "+1: guard_gc_type(p6, 832, descr=<Guard0x7f26>) [p0]",
    "+1: i10 = arraylen_gc(p6, descr=<ArrayP 8>)",
    "+1: jump(p0, p9, i3, i4, p6, descr=TargetToken(141))",
)


def judged_bridge(right: str = "", *wrong: str, everywhere: bool = False, options: Options = LITTLE) -> Judged:
    """What is said of the bridge with other lines in the place of one."""
    lines = [one for line in BRIDGE for one in ((f"+1: {more}" for more in wrong) if line[4:] == right else (line,))]
    heading = bridge(*lines)
    peeled = loop(*PEELED).replace(f"with {len(PEELED) - 1} ops", f"with {len(PEELED) - 2} ops")
    log = recorded(*ROUND) + peeled + recorded("[p0, p9]", "jump(p0, p9, descr=<Loop1>)") + heading
    return judged_last(log.replace(".inst_", ".") if everywhere else log, options=options)


def verdict(right: str = "", *wrong: str, everywhere: bool = False) -> Verdict:
    return judged_bridge(right, *wrong, everywhere=everywhere).verdict


def test_what_has_a_field_of_an_instance_is_one() -> None:
    shown = judged_bridge()
    assert isinstance(shown.verdict, Proved), shown.verdict
    assert shown.texts is not None
    assert INSTANCES in shown.texts.assumes
    assert not isinstance(verdict(everywhere=True), Proved)


def test_the_class_of_one_is_asked_sooner() -> None:
    """The recorded loop may leave in front, at guards of which it is not known that they pass."""
    asks = "guard_class(p1, ConstClass(W_List), descr=<Guard0x7f22>) [p0]"
    subclass = next(line for line in BRIDGE if "guard_subclass" in line)[4:]
    shown = judged_bridge(subclass, asks)
    assert isinstance(shown.verdict, Proved), shown.verdict
    assert shown.texts is not None
    assert INSTANCES in shown.texts.assumes
    assert not isinstance(verdict(subclass, asks, everywhere=True), Proved)


def test_guards_of_the_body_come_from_the_first_recorded_one_that_asks_about_their_value() -> None:
    """That is the fourth one: two things are asked there of what is loaded, and here at once."""
    texts = judged_bridge().texts
    assert texts is not None
    assert texts.loop is not None
    assert [exit_of(guard).origin for guard in texts.loop[1].guards][-2:] == [3, 4]


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("guard_nonnull(p1, descr=<Guard0x7f21>) [p0]", ()),
        (
            "guard_subclass(p1, ConstClass(W_List), descr=<Guard0x7f22>) [p0]",
            ("guard_subclass(p9, 7, descr=<Guard0x7f22>) [p0]",),
        ),
        ("guard_gc_type(p2, 100, descr=<Guard0x7f24>) [p0]", ("guard_subclass(p2, 7, descr=<Guard0x7f24>) [p0]",)),
        (
            f"i4 = getfield_gc_i(p2, descr={LENGTH})",
            (f"i4 = getfield_gc_i(p2, descr={LENGTH.replace('length', 'size')})",),
        ),
        ("jump(p0, p9, i3, i4, p6, descr=TargetToken(141))", ("jump(p0, p9, i3, i4, p2, descr=TargetToken(141))",)),
    ],
)
def test_faults_of_what_is_asked_are_found(right: str, wrong: tuple[str, ...]) -> None:
    assert f"+1: {right}" in BRIDGE
    assert not isinstance(verdict(right, *wrong), Proved)


def test_a_guard_that_asks_for_more_resumes_in_front_of_the_loop() -> None:
    """There it may fail in whatever cases."""
    length = "i10 = arraylen_gc(p6, descr=<ArrayP 8>)"
    shown = verdict(length, length, "i11 = int_lt(5, i10)", "guard_true(i11, descr=<Guard0x7f31>) [p0]")
    assert isinstance(shown, Proved), shown
    assert {*shown.evidence.origins} == {0}


def test_what_nobody_uses_is_not_computed() -> None:
    length, first = (
        Line("i1", "arraylen_gc", ("p0",), "<ArrayP 8>"),
        Line("p2", "getarrayitem_gc_r", ("p0", "0"), "<ArrayP 8>"),
    )
    second = Line("i3", "strlen", ("p2",))
    guard, end = Line(None, "guard_nonnull", ("p4",), handed=("i1",)), Line(None, "finish", ())
    trace = Printed(("p0", "p4"), (length, first, second, guard, end))
    assert trace.without_unused().lines == (length, guard, end)
    new, call = Line("p5", "new", (), "<SizeDescr 8>"), Line("i6", "call_i", ("ConstClass(f)",), "<Calli 8 EF=5>")
    added = Line("i7", "int_add_ovf", ("1", "2"))
    assert Printed((), (new, call, added, end)).without_unused().lines == (new, call, added, end)


def test_loads_that_nobody_uses_are_told() -> None:
    """The loop has the length of an array that nobody uses; the bridge to it goes by that, too."""
    behind, plain = judged_bridge(), judged(recorded("[p0]", "finish(p0)") + bridge("[p0]", "+1: finish(p0)"))[0]
    assert [UNUSED in one.texts.assumes for one in (behind, plain) if one.texts] == [True, False]
