"""Proofs that would rest on the recorded trace not running to its end, though it has."""

from __future__ import annotations

import pytest

from tests.pypy_logs import BOX, COUNT, judged, judged_bridge, loop, recorded
from validator import Proved, Unknown

CALL = "call_n(ConstClass(count), descr=<Callv 0  EF=5>)"
LOAD = f"i{{}} = getfield_gc_i(p0, descr={COUNT})"
RAISED = (
    "i1 = save_exc_class()",
    "p2 = save_exception()",
    "restore_exception(i1, p2)",
    "p3 = guard_exception(ConstClass(KeyError)HERE)LIVE",
    "setfield_gc(p0, {}, descr=<FieldP Frame.inst_last 8>)",
)


def test_a_call_that_the_recorded_trace_has_seen_write_a_field_is_not_taken_to_leave_it() -> None:
    first, asked = (LOAD.format(1), "i2 = int_eq(i1, 0)"), "i4 = int_eq(i{}, 1)"
    before = (*first, "guard_true(i2)", CALL, LOAD.format(3), asked.format(3), "guard_true(i4)", "finish(i3)")
    guards = [f"guard_true(i{asks}, descr=<Guard0x{asks}>) []" for asks in (2, 4)]
    one = judged_bridge(before, (*first, guards[0], CALL, asked.format(1), guards[1], "finish(7)"))
    assert isinstance(one.verdict, Unknown)
    assert "has run" in one.verdict.reason


@pytest.mark.parametrize(("stored", "is_right"), [("p3", True), ("p0", False)])
def test_a_bridge_that_begins_with_an_exception(stored: str, is_right: bool) -> None:
    before = "\n".join(RAISED).replace("HERE", "").replace("LIVE", "").replace("{}", "p3")
    after = "\n".join(RAISED).replace("HERE", ", descr=<Guard0x1>").replace("LIVE", " []").replace("{}", stored)
    one = judged_bridge(tuple(before.splitlines()), tuple(after.splitlines()))
    assert isinstance(one.verdict, Proved) is is_right


ODD = (f"i1 = getfield_gc_i(p0, descr={COUNT})", "i2 = int_and(i1, 1)", "guard_true(i2{})")
STEP = ("i3 = int_add(i1, 1)", f"setfield_gc(p0, i3, descr={COUNT})")
KEPT = f"i4 = getfield_gc_i(p5, descr={BOX})"
"""A load of a field that is taken to never change."""


WHY = "the loop never goes round once more, be it because of what is assumed: "


@pytest.mark.parametrize(
    ("lines", "handed_on", "why"),
    [
        ((*ODD, *STEP), "i9", ""),
        ((*ODD, KEPT, "guard_false(i4{})", *STEP), "i9", ""),
        ((KEPT, "i2 = int_eq(i9, i4)", "guard_false(i2{})", CALL), "i4", WHY),
        (("i4 = ptr_eq(p5, ConstPtr(ptr7))", "guard_true(i4{})", CALL), "i9", None),
    ],
)
def test_a_loop_that_never_goes_round_once_more(lines: tuple[str, ...], handed_on: str, why: str | None) -> None:
    """A number that is odd is not, once more: that is no reason to doubt. That one is another one than what was loaded
    before a call is one, if what is loaded is only assumed to never change."""
    peeled = [
        f"+1: {line.format(f', descr=<Guard0x7f{number}{at}>')}" + " [p0, p5]" * ("guard" in line)
        for number in (1, 2)
        for at, line in enumerate(lines)
    ]
    second = [*peeled[len(lines) :], f"+1: jump(p0, p5, {handed_on}, descr=TargetToken(141))"]
    for name in "1234":
        second = [line.replace(f"i{name}", f"i1{name}") for line in second]
    jump = f"jump(p0, p5, {handed_on}, descr=<Loop-1>)"
    log = recorded("[p0, p5, i9]", *(line.format("") for line in lines), jump) + loop(
        "[p0, p5, i9]",
        "+1: label(p0, p5, i9, descr=TargetToken(140))",
        *peeled[: len(lines)],
        f"+1: label(p0, p5, {handed_on}, descr=TargetToken(141))",
        *(line.replace("i9", handed_on) for line in second),
    )
    (one,) = judged(log)
    if why:
        assert isinstance(one.verdict, Unknown), one.verdict
        assert one.verdict.reason.startswith(why)
    else:
        assert isinstance(one.verdict, Proved), one.verdict
        assert bool(one.verdict.evidence.vacuous) is (why == "")
