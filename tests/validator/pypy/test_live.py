"""What a guard of an optimized trace hands over tells which recorded guard it can come from."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from optimizer import parse
from optimizer.ir.dialects.pypy_log import read_traces
from optimizer.ir.dialects.pypy_pairs import LogPair, pair_sections
from tests.pypy_logs import bridge, judged, loop, recorded
from validator import Options, Proved, Unknown, Unsupported
from validator.pypy.handed import may_fail
from validator.pypy.judge import Judged, judge
from validator.pypy.study import study

COUNT = "<FieldS Counter.count 8>"
RECORDED = recorded(
    "[p0, i1]",
    "i2 = int_lt(i1, 9)",
    "guard_true(i2)",
    "i3 = int_add(i1, 1)",
    f"setfield_gc(p0, i3, descr={COUNT})",
    "i4 = int_lt(i3, 5)",
    "guard_true(i4)",
    "jump(p0, i3, descr=<Loop-1>)",
)


def moved(handed: str) -> Judged:
    """The verdict on a trace that does the second guard in front of the store, and hands this over there."""
    optimized = loop(
        "[p0, i1]",
        "+1: label(p0, i1, descr=TargetToken(140))",
        "+2: i2 = int_lt(i1, 9)",
        "+3: guard_true(i2, descr=<Guard0x7f10>) [p0, i1]",
        "+4: i3 = int_add(i1, 1)",
        "+5: i4 = int_lt(i3, 5)",
        f"+6: guard_true(i4, descr=<Guard0x7f20>) [{handed}]",
        f"+7: setfield_gc(p0, i3, descr={COUNT})",
        "+8: jump(p0, i3, descr=TargetToken(140))",
    )
    items = list(pair_sections(read_traces((RECORDED + optimized).splitlines())))
    (pair,) = (item for item in items if isinstance(item, LogPair))
    return judge(pair, "a.log", study(items, "a.log"))


def test_a_guard_that_never_fails_may_hand_over_anything() -> None:
    """Of such a guard nobody asks where it resumes."""
    before = parse("[i0]\ni1 = int_lt(i0, 5)\nguard_true(i1)\nfinish(i0)\n")
    tests = (f"i{limit} = int_lt(i2, {limit})\nguard_true(i{limit}, origin=0)\n" for limit in (8, 7, 5))
    after = parse(f"[i0]\ni2 = int_and(i0, 7)\n{''.join(tests)}finish(i0)\n")
    assert may_fail(before, after, None, Options(), [0, 1, 2]) == [1, 2]


def test_a_bridge_that_asks_for_what_a_label_takes_may_leave_at_guards_of_the_loop() -> None:
    entered = "[i0]\ni1 = int_lt(i0, 5)\nguard_true(i1{})\n"
    loop = (
        parse(f"{entered.format('')}jump(i0)\n"),
        parse(f"{entered.format(', origin=0')}label(i0, descr=body)\njump(i0, descr=body)\n"),
    )
    before = parse("[i0]\ni1 = int_lt(i0, 9)\nguard_true(i1)\njump(i0, descr=loop)\n")
    asks = "i3 = int_lt(i0, 5)\nguard_true(i3, origin=1)\njump(i0, descr=body)\n"
    after = parse(f"[i0]\ni1 = int_and(i0, 7)\ni2 = int_lt(i1, 9)\nguard_true(i2, origin=0)\n{asks}")
    assert may_fail(before, after, loop, Options(), [0, 1]) == [1]


def test_a_guard_may_have_the_resume_data_of_an_earlier_one() -> None:
    assert isinstance(moved("p0, i1").verdict, Proved)


@pytest.mark.parametrize("handed", ["p0, i3", "i3", "i4, p0"])
def test_what_a_guard_hands_over_was_computed_in_front_of_its_recorded_one(handed: str) -> None:
    verdict = moved(handed).verdict
    assert isinstance(verdict, Unknown)
    assert verdict.reason == "guard 1 hands over a value that the recorded trace may not have where it comes from"


def found(before: Sequence[str], after: Sequence[str]) -> Judged:
    """The verdict on a trace of these lines. What a recorded one of those finds in memory is handed over at a guard in
    front of that."""
    optimized = loop(
        "[p0, i1]",
        "+1: label(p0, i1, descr=TargetToken(140))",
        *(f"+3: {line}" for line in after),
        "+4: i4 = int_lt(i1, 5)",
        "+4: guard_true(i4, descr=<Guard0x7f20>) [p0, i1, i3]",
        "+8: setfield_gc(p0, i3, descr=<FieldS Counter.last 16>)",
        "+9: jump(p0, i1, descr=TargetToken(140))",
    )
    items = list(pair_sections(read_traces((recorded("[p0, i1]", *before) + optimized).splitlines())))
    (pair,) = (item for item in items if isinstance(item, LogPair))
    return judge(pair, "a.log", study(items, "a.log"))


ASKED = ("i4 = int_lt(i1, 5)", "guard_true(i4)")
KEPT = ("setfield_gc(p0, i6, descr=<FieldS Counter.last 16>)", "jump(p0, i1, descr=<Loop-1>)")
STORE = "setarrayitem_gc(p0, i2, i3, descr=<ArrayS 8>)"


def test_what_is_computed_in_another_way_may_be_known_before_it_is_loaded() -> None:
    load = "i5 = int_mul(i1, 2)", "i6 = getarrayitem_gc_i(p0, i5, descr=<ArrayS 8>)"
    before = ("i2 = int_lshift(i1, 1)", "i3 = int_add(i1, 1)", STORE, *ASKED, *load, *KEPT)
    computed = "i2 = int_add(i1, i1)", "i3 = int_sub(i1, -1)"
    assert isinstance(found(before, (*computed, STORE)).verdict, Proved)


def test_what_is_loaded_is_known_only_where_the_recorded_trace_has_loaded_it() -> None:
    store = f"setfield_gc(p0, i1, descr={COUNT.replace('count 8', 'next 24')})"
    before = (store, *ASKED, f"i6 = getfield_gc_i(p0, descr={COUNT})", *KEPT)
    verdict = found(before, (store, f"i3 = getfield_gc_i(p0, descr={COUNT})")).verdict
    assert isinstance(verdict, Unknown)
    assert verdict.reason == "guard 0 hands over a value that the recorded trace may not have where it comes from"


@pytest.mark.parametrize(
    ("ahead", "behind", "is_proved"),
    [("int_add(i1, 1)", "int_add(i2, 0)", True), ("int_add(i1, 2)", "int_sub(i2, 1)", False)],
    ids=["ahead of the guard", "behind it"],
)
def test_what_a_guard_hands_over_may_have_been_computed_in_other_words(
    ahead: str, behind: str, *, is_proved: bool
) -> None:
    log = recorded(
        "[p0, i1]",
        f"i2 = {ahead}",
        "i3 = int_lt(i1, 9)",
        "guard_true(i3)",
        f"i4 = {behind}",
        "jump(p0, i4, descr=<Loop-1>)",
    )
    log += loop(
        "[p0, i1]",
        "+1: label(p0, i1, descr=TargetToken(140))",
        "+2: i5 = int_sub(i1, -1)",
        "+3: i6 = int_lt(i1, 9)",
        "+4: guard_true(i6, descr=<Guard0x7f10>) [p0, i5]",
        "+5: jump(p0, i5, descr=TargetToken(140))",
    )
    (verdict,) = (one.verdict for one in judged(log))
    assert isinstance(verdict, Proved) is is_proved
    assert is_proved or "may not have where it comes from" in str(verdict)


def test_no_guard_hands_over_what_is_computed_behind_it() -> None:
    optimized = loop(
        "[p0, i1]",
        "+1: label(p0, i1, descr=TargetToken(140))",
        "+2: i2 = int_lt(i1, 9)",
        "+3: guard_true(i2, descr=<Guard0x7f10>) [p0, i3]",
        "+4: i3 = int_add(i1, 1)",
        f"+5: setfield_gc(p0, i3, descr={COUNT})",
        "+6: i4 = int_lt(i3, 5)",
        "+7: guard_true(i4, descr=<Guard0x7f20>) [p0, i3]",
        "+8: jump(p0, i3, descr=TargetToken(140))",
    )
    (one,) = judged(RECORDED + optimized)
    assert isinstance(one.verdict, Unsupported)
    (one,) = judged(RECORDED + optimized.replace("[p0, i3]", "[p0, i1]", 1))
    assert isinstance(one.verdict, Proved)


WORK = "call_n(ConstClass(work), p0, descr=<Callv 0 r EF=5>)"


@pytest.mark.parametrize("name", ["guard_no_exception", "guard_not_forced"])
def test_no_guard_stands_between_a_call_and_the_one_that_asks_what_it_did(name: str) -> None:
    """It would hand over no exception, though it may resume where that is asked for."""
    asks, other = f"{name}({{}})", "guard_true(i1{})"
    before = ("guard_true(i2)", WORK, asks.format(""), other.format(""), "finish()")
    listed = [one.format(f"{comma}descr=<Guard{at}>") for at, (one, comma) in enumerate(((asks, ""), (other, ", ")), 1)]
    for guards, verdict in ((listed, Proved), (listed[::-1], Unsupported)):
        after = ("guard_true(i2, descr=<Guard3>) [p0]", WORK, *(f"{guard} [p0]" for guard in guards), "finish()")
        inputs = "[p0, i1, i2]"
        (one,) = judged(recorded(inputs, *before) + bridge(inputs, *(f"+1: {line}" for line in after)))
        assert isinstance(one.verdict, verdict)


@pytest.mark.parametrize("is_peeled", [False, True])
@pytest.mark.parametrize(("field", "is_right"), [("count 8", True), ("next 24", False)])
def test_a_guard_hands_over_no_field_that_the_recorded_trace_has_not_loaded(
    field: str, *, is_right: bool, is_peeled: bool
) -> None:
    load = "i{0} = getfield_gc_i(p0, descr=<FieldS Counter.{1}>)"
    kept = "setfield_gc(p0, i{0}, descr=<FieldS Counter.last 16>)"
    before = recorded("[p0, i1]", load.format(3, "count 8"), *ASKED, kept.format(3), "jump(p0, i1, descr=<Loop-1>)")
    label, jump = "label(p0, i1, descr=TargetToken({}))", "jump(p0, i1, descr=TargetToken({}))"
    once = (
        load.format(3, "count 8"),
        load.format(5, field),
        ASKED[0],
        "guard_true(i4, descr=<Guard0x7f20>) [p0, i1, i5]",
        kept.format(3),
    )
    again = [re.sub(r"\bi([345])\b", r"i1\1", line).replace("7f20", "7f21") for line in once]
    body = (label.format(141), *again, jump.format(141)) if is_peeled else (jump.format(140),)
    (one,) = judged(before + loop("[p0, i1]", label.format(140), *once, *body))
    assert isinstance(one.verdict, Proved) is is_right
    assert is_right or "guard 0 hands over a value that the recorded trace may not have where it comes from" in str(
        one.verdict
    )


LABELS = ("i1, i2", 140), ("i4, i3", 141)


@pytest.mark.parametrize("is_peeled", [False, True])
@pytest.mark.parametrize(
    ("computed", "is_right"), [("int_xor(i1, 5)", True), ("int_xor(i1, 4)", False), ("int_xor(5, i1)", True)]
)
def test_a_guard_hands_over_no_number_that_the_recorded_trace_has_not(
    computed: str, *, is_right: bool, is_peeled: bool
) -> None:
    """Only lists have it, and all else is right."""
    lines = "i3 = int_xor(i1, 5)", "i4 = int_add(i1, 1)", "i5 = int_lt(i4, 9)"
    once = (f"i3 = {computed}", *lines[1:], "guard_true(i5, descr=<Guard0x7f20>) [i4, i3]")
    again = (f"i13 = {computed.replace('i1', 'i4')}", "i14 = int_add(i4, 1)", "i15 = int_lt(i14, 9)")
    body = (*again, "guard_true(i15, descr=<Guard0x7f21>) [i14, i13]", "jump(i14, i13, descr=TargetToken(141))")
    if is_peeled:
        log = recorded("[i1, i2]", *lines, "guard_true(i5)", "jump(i4, i3, descr=<Loop-1>)")
        first, second = (f"label({args}, descr=TargetToken({number}))" for args, number in LABELS)
        log += loop("[i1, i2]", first, *once, second, *body)
    else:
        log = recorded("[i1, i2]", *lines, "guard_true(i5)", "finish(i4)") + bridge("[i1, i2]", *once, "finish(i4)")
    (one,) = judged(log)
    assert isinstance(one.verdict, Proved) is is_right, one.verdict
