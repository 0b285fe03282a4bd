"""Proofs that would rest on the recorded trace not running to its end, though it has."""

from __future__ import annotations

import pytest

from tests.pypy_logs import BOX, COUNT, judged, judged_bridge, loop, recorded
from validator import Proved, Unknown

CALL = "call_n(ConstClass(count), descr=<Callv 0  EF=5>)"
CALL_OF_IT = "<Callv 0  EF=5>@count"
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
    assert f"call {CALL_OF_IT} does not write {COUNT}" in one.missing


@pytest.mark.parametrize(("stored", "is_right"), [("p3", True), ("p0", False)])
def test_a_bridge_that_begins_with_an_exception(stored: str, is_right: bool) -> None:
    before = "\n".join(RAISED).replace("HERE", "").replace("LIVE", "").replace("{}", "p3")
    after = "\n".join(RAISED).replace("HERE", ", descr=<Guard0x1>").replace("LIVE", " []").replace("{}", stored)
    one = judged_bridge(tuple(before.splitlines()), tuple(after.splitlines()))
    assert isinstance(one.verdict, Proved) is is_right


@pytest.mark.parametrize("assumed", [True, False])
def test_a_loop_that_never_goes_round_once_more(*, assumed: bool) -> None:
    """Its number is odd, and then it is not. Where nothing is assumed, that is no reason to doubt."""
    odd = [f"i1 = getfield_gc_i(p0, descr={COUNT})", "i2 = int_and(i1, 1)", "guard_true(i2{})"]
    step = ["i3 = int_add(i1, 1)", f"setfield_gc(p0, i3, descr={COUNT})"]
    asked = [f"i4 = getfield_gc_i(p5, descr={BOX})", "guard_false(i4{})"] if assumed else []
    round_ = [*odd, *asked, *step]
    peeled = [
        f"+1: {line.format(f', descr=<Guard0x7f{number}{at}>')}" + " [p0, p5]" * ("guard" in line)
        for number in (1, 2)
        for at, line in enumerate(round_)
    ]
    second = peeled[len(round_) :]
    for name in "1234":
        second = [line.replace(f"i{name}", f"i1{name}") for line in second]
    log = recorded("[p0, p5]", *(line.format("") for line in round_), "jump(p0, p5, descr=<Loop-1>)") + loop(
        "[p0, p5]",
        "+1: label(p0, p5, descr=TargetToken(140))",
        *peeled[: len(round_)],
        "+1: label(p0, p5, descr=TargetToken(141))",
        *second,
        "+1: jump(p0, p5, descr=TargetToken(141))",
    )
    (one,) = judged(log)
    if not assumed:
        assert isinstance(one.verdict, Proved), one.verdict
        return
    assert isinstance(one.verdict, Unknown), one.verdict
    assert one.verdict.reason.startswith("the loop never goes round once more, be it because of what is assumed: ")
