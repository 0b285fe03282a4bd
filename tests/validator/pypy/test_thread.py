"""Readings of what belongs to the thread, in bridges to a label that takes it."""

from __future__ import annotations

import pytest

from tests.pypy_logs import bridge, judged, judged_last, loop, recorded
from validator import Proved
from validator.pypy.printed.lines import Line, Printed
from validator.pypy.printed.straight import Sides
from validator.pypy.printed.thread import with_readings

GET = "_r(ConstClass(_ll_get), 64, descr=<Callr 8 i EF=1 OS=5>)"
TOP, DEPTH, COUNT = (f"<Field{name}>" for name in ("P Context.inst_top 8", "S Frame.inst_depth 16", "S Node.inst_n 8"))


def counted(i: str, p: str) -> tuple[str, ...]:
    """The operations that count as far as the depth of the frame goes."""
    at = i[1:]
    return (
        f"i{at}1 = getfield_gc_i(p{p}, descr={DEPTH})",
        f"i{at}2 = int_add(i{i[1:]}, i{at}1)",
        f"i{at}3 = int_lt(i{at}2, 1000)",
    )


LOOP = recorded(
    "[p0, i1]",
    f"p3 = call_loopinvariant{GET}",
    f"p4 = getfield_gc_r(p3, descr={TOP})",
    *counted("i1", "4"),
    "guard_true(i13)",
    "jump(p0, i12, descr=<Loop-1>)",
) + loop(
    "[p0, i1]",
    "+1: label(p0, i1, descr=TargetToken(140))",
    f"+1: p3 = call{GET}",
    f"+1: p4 = getfield_gc_r(p3, descr={TOP})",
    *(f"+1: {line}" for line in counted("i1", "4")),
    "+1: guard_true(i13, descr=<Guard0x7f01>) [p0]",
    "+1: label(p0, i12, p4, descr=TargetToken(141))",
    *(f"+1: {line}" for line in counted("i12", "4")),
    "+1: guard_true(i123, descr=<Guard0x7f10>) [p0]",
    "+1: jump(p0, i122, p4, descr=TargetToken(141))",
)
STORE = f"setfield_gc(p0, 0, descr={COUNT})"
BRIDGE = recorded("[p0]", STORE, "jump(p0, 1, descr=<Loop-1>)") + bridge(
    "[p0]",
    f"+1: {STORE}",
    f"+1: p13 = call{GET}",
    "+1: guard_nonnull(p13, descr=<Guard0x7f21>) [p0]",
    "+1: guard_subclass(p13, ConstClass(Context), descr=<Guard0x7f22>) [p0]",
    f"+1: p14 = getfield_gc_r(p13, descr={TOP})",
    "+1: jump(p0, 1, p14, descr=TargetToken(141))",
)


def test_a_bridge_reads_what_its_label_takes_of_the_thread() -> None:
    whole, behind = judged(LOOP + BRIDGE)
    assert isinstance(whole.verdict, Proved), whole.verdict
    assert isinstance(behind.verdict, Proved), behind.verdict


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (f"p13 = call{GET}", f"p13 = call{GET.replace('64', '72')}"),
        (f"p13 = call{GET}", f"p13 = call{GET.replace('get', 'other')}"),
        (f"p13 = call{GET}", f"p13 = call{GET.replace(' OS=5', '')}"),
        (f"+1: p14 = getfield_gc_r(p13, descr={TOP})", "+1: p14 = same_as_r(p13)"),
        (f"+1: {STORE}", "+1: i9 = int_add(1, 1)"),
        ("jump(p0, 1, p14", "jump(p0, 2, p14"),
    ],
)
def test_what_is_read_must_be_what_the_loop_reads(right: str, wrong: str) -> None:
    log = LOOP + BRIDGE
    assert log.count(right) == 1
    behind = judged_last(log.replace(right, wrong))
    assert not isinstance(behind.verdict, Proved)


def test_what_the_recorded_trace_reads_itself_is_not_added_to_it() -> None:
    own, other = (
        Line("p1", "call_loopinvariant_r", ("ConstClass(_ll_get)", slot), "<Callr 8 i EF=1 OS=5>")
        for slot in ("64", "72")
    )
    added = with_readings(Sides(Printed(("p0",), (own,)), Printed(("p0",), (own, other)))).before.lines
    assert [line.args[1] for line in added] == ["72", "64"]
    assert added[1] == own
