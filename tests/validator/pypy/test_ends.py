"""Guards that a bridge has in front of its end, and its recorded trace has not."""

from __future__ import annotations

import pytest

from tests.pypy_logs import bridge, judged, recorded
from tests.validator.pypy.test_parents import pair
from validator import Proved, Refuted, Unknown
from validator.pypy.ends import RESUME_AT_END
from validator.verdict import Verdict

VALUE = "<FieldS Box.value 16>"
ROUND = """[p0, i1]
    label(p0, i1, descr=TargetToken(140))
    i2 = int_lt(i1, 9)
    guard_true(i2, descr=<Guard0x7f01>) [p0, i1]
    jump(p0, i1, descr=TargetToken(140))"""
GOING_ROUND = "[p0, i1]\ni2 = int_lt(i1, 9)\nguard_true(i2)\njump(p0, i1, descr=<Loop-1>)"
LOOP = pair(GOING_ROUND, ROUND)
RECORDED = f"""[p0, i1]
    i2 = int_gt(i1, 20)
    guard_true(i2)
    p3 = getfield_gc_r(p0, descr=<FieldP Box.next 8>)
    setfield_gc(p0, i1, descr={VALUE})
    i4 = int_add(i1, -1)
    jump(p3, i4, descr=<Loop-1>)"""
OPTIMIZED = f"""[p0, i1]
    i2 = int_gt(i1, 20)
    guard_true(i2, descr=<Guard0x7f02>) [p0, i1]
    p3 = getfield_gc_r(p0, descr=<FieldP Box.next 8>)
    setfield_gc(p0, i1, descr={VALUE})
    i4 = int_add(i1, -1)
    guard_nonnull(p3, descr=<Guard0x7f03>) [p0, p3, i4]
    jump(p3, i4, descr=TargetToken(140))"""
STORE = f"    setfield_gc(p0, i1, descr={VALUE})\n"
GUARD = "    guard_nonnull(p3, descr=<Guard0x7f03>) [p0, p3, i4]\n"


def verdict(optimized: str = OPTIMIZED, recorded: str = RECORDED) -> Verdict:
    return judged(LOOP + pair(recorded, optimized, "7f01"))[1].verdict


def test_such_a_guard_resumes_where_the_bridge_ends() -> None:
    shown = verdict()
    assert isinstance(shown, Proved)
    assert RESUME_AT_END in shown.evidence.assumes
    without = verdict(OPTIMIZED.replace(GUARD, ""))
    assert isinstance(without, Proved)
    assert RESUME_AT_END not in without.evidence.assumes


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (STORE + "    i4 = int_add(i1, -1)\n" + GUARD, "    i4 = int_add(i1, -1)\n" + GUARD + STORE),
        (GUARD, "    i9 = int_lt(i1, 50)\n" + GUARD.replace("nonnull(p3,", "true(i9,")),  # not handed on
        ("    guard_true(i2, descr=<Guard0x7f02>) [p0, i1]\n", ""),
        ("guard_true(i2", "guard_false(i2"),
        ("int_gt(i1, 20)", "int_gt(i1, 21)"),
        ("int_add(i1, -1)", "int_add(i1, -2)"),
        ("Box.next 8", "Box.last 8"),
        (STORE, ""),
        (STORE, STORE.replace("i1", "i2")),
    ],
)
def test_faults_of_such_bridges_are_found(right: str, wrong: str) -> None:
    assert OPTIMIZED.count(right) == 1
    assert not isinstance(verdict(OPTIMIZED.replace(right, wrong)), Proved)


def test_a_guard_that_reads_like_the_last_one_and_stands_in_front_of_others_is_none_of_them() -> None:
    asked = "    i6 = int_gt(i4, 30)\n    guard_true(i6{}\n"
    added = "    i4 = int_add(i1, -1)\n"
    recorded = RECORDED.replace(added, added + asked.format(")"))
    last = GUARD.replace(", i4]", "]")
    kept = added + asked.format(", descr=<Guard0x7f04>) [p0, i1]")
    optimized = OPTIMIZED.replace(GUARD, last).replace(added, kept)
    assert isinstance(verdict(optimized, recorded), Proved)
    assert not isinstance(verdict(optimized.replace(STORE, STORE + last), recorded), Proved)


def test_that_they_fail_where_the_recorded_trace_ends_refutes_nothing() -> None:
    """Here it is not known that the object has a class, so that this is not proved."""
    asks_class = GUARD.replace("nonnull(p3", "class(p3, ConstClass(Box)").replace("7f03", "7f05")
    assert isinstance(verdict(OPTIMIZED.replace(GUARD, GUARD + asks_class)), Unknown)
    assert isinstance(verdict(OPTIMIZED.replace(GUARD, GUARD + asks_class).replace("i1, 20", "i1, 21")), Refuted)


def test_they_ask_what_is_loaded_from_what_the_bridge_hands_on_as_well() -> None:
    loaded = """    p5 = getfield_gc_r(p3, descr=<FieldP Box.other 24>)
    guard_nonnull(p5, descr=<Guard0x7f05>) [p0, p3, i4]
"""
    assert isinstance(verdict(OPTIMIZED.replace(GUARD, GUARD + loaded)), Proved)
    assert not isinstance(verdict(OPTIMIZED.replace(GUARD, loaded)), Proved)  # of NULL
    used = (GUARD + loaded).replace("i4]", "i4]\n    setfield_gc(p0, p5, descr=<FieldP Box.other 24>)")
    assert not isinstance(verdict(OPTIMIZED.replace(GUARD, used)), Proved)
    assert isinstance(verdict(OPTIMIZED.replace(GUARD, GUARD + loaded.replace("p3, descr", "p0, descr"))), Refuted)
    assert isinstance(verdict(OPTIMIZED.replace(GUARD, GUARD + loaded).replace("i1, 20", "i1, 21")), Refuted)


@pytest.mark.parametrize(
    ("guard", "handed_on"),
    [
        ("guard_value(i4, 7{}", "p3, 7"),
        ("guard_isnull(p3{}", "ConstPtr(null), i4"),
        ("i5 = int_ge(i4, 30)\n    guard_true(i5{}", "p3, i4"),
    ],
)
def test_that_they_find_constants_and_bounds_refutes_nothing(guard: str, handed_on: str) -> None:
    asks = f"    {guard.format(', descr=<Guard0x7f03>) [p0, p3, i4]')}\n"
    optimized = OPTIMIZED.replace(GUARD, asks).replace("jump(p3, i4", f"jump({handed_on}")
    assert not isinstance(verdict(optimized), Refuted)
    assert isinstance(verdict(optimized.replace("i1, 20", "i1, 21")), Refuted)


def test_a_class_that_is_asked_for_behind_a_recorded_guard_refutes_nothing() -> None:
    """What the label takes may always have one."""
    in_front = GUARD.replace(", i4]", "]") + STORE
    optimized = OPTIMIZED.replace(GUARD, GUARD.replace("nonnull(p3", "class(p3, ConstClass(Box)"))
    recorded = RECORDED.replace(STORE, f"    guard_nonnull(p3)\n{STORE}")
    assert isinstance(verdict(optimized.replace(STORE, in_front), recorded), Unknown)
    early = optimized.replace(GUARD, "").replace(STORE, in_front.replace("nonnull(p3", "class(p3, ConstClass(Box)"))
    assert not isinstance(verdict(early, recorded), Proved)


NULLED = GUARD + "    guard_isnull(p9, descr=<Guard0x7f04>) [p0, p3, i4]\n"


def with_two(text: str, handed: str) -> str:
    """The traces with one value more, which goes round."""
    return (
        text.replace("[p0, i1]\n", "[p0, i1, p9]\n")
        .replace("jump(p3, i4", f"jump(p3, i4, {handed}")
        .replace("(p0, i1, descr=TargetToken", "(p0, i1, p9, descr=TargetToken")
        .replace("jump(p0, i1, descr=<Loop", "jump(p0, i1, p9, descr=<Loop")
    )


@pytest.mark.parametrize(
    ("last", "handed", "kind"),
    [
        (NULLED, "ConstPtr(null)", Proved),
        (NULLED, "p9", Proved),
        (GUARD, "ConstPtr(null)", Refuted),
        (NULLED.replace("isnull(p9", "nonnull(p9"), "ConstPtr(null)", Refuted),
        (NULLED.replace("isnull(p9", "value(p9, ConstPtr(ptr1)"), "ConstPtr(null)", Unknown),
    ],
)
def test_what_they_find_to_be_a_constant_is_handed_on_as_that(last: str, handed: str, kind: type) -> None:
    loop = pair(with_two(GOING_ROUND, ""), with_two(ROUND, "").replace("[p0, i1]", "[p0, i1, p9]"))
    optimized = with_two(OPTIMIZED.replace(GUARD, last), handed)
    shown = judged(loop + pair(with_two(RECORDED, "p9"), optimized, "7f01"))[1].verdict
    assert isinstance(shown, kind), shown


@pytest.mark.parametrize(
    ("asks", "kind"),
    [
        ("i6 = int_le(i4, 99)", Proved),  # which the new object holds
        ("i6 = int_le(99, i4)", Proved),
        ("i6 = int_lt(i2, i4)", Proved),  # it never fails
        ("i6 = int_lt(i8, 4)", Refuted),  # it is not handed on
    ],
)
def test_they_ask_what_is_held_by_new_objects_that_are_handed_on(asks: str, kind: type) -> None:
    made = f"p5 = new_with_vtable(descr=<SizeDescr 24>)\n    setfield_gc(p5, i4, descr={VALUE})\n"
    head = (
        "[p0, i1]\n    i2 = int_gt(i1, 20)\n    guard_true(i2{})\n    i4 = int_add(i1, -1)\n    i7 = int_and(i1, 7)\n"
    )
    head += "    setfield_gc(p0, i7, descr=<FieldS Box.low 24>)\n"
    head += "    i8 = getfield_gc_i(p0, descr=<FieldS Box.high 32>)\n"
    recorded = f"{head.format('')}    {made}    jump(p5, i1, descr=<Loop-1>)"
    last = f"    {asks}\n    guard_true(i6, descr=<Guard0x7f03>) [p0, i1, i4]\n"
    first = head.format(", descr=<Guard0x7f02>) [p0, i1]").replace(" [p0, i1])", " [p0, i1]")
    shown = verdict(f"{first}{last}    {made}    jump(p5, i1, descr=TargetToken(140))", recorded)
    assert isinstance(shown, kind), shown
    assert kind is not Proved or "i2" in asks or RESUME_AT_END in shown.evidence.assumes


def test_what_finishes_has_no_such_guards() -> None:
    ends = [text.replace("jump(p3, i4", "finish(p3") for text in (RECORDED, OPTIMIZED)]
    recorded, optimized = (text.replace("descr=<Loop-1>", "").replace("descr=TargetToken(140)", "") for text in ends)
    assert not isinstance(verdict(optimized.replace(", )", ")"), recorded.replace(", )", ")")), Proved)


def test_a_loop_has_no_such_guards() -> None:
    wrong = ROUND.replace("    jump(", "    guard_nonnull(p0, descr=<Guard0x7f05>) [p0, i1]\n    jump(")
    assert isinstance(judged(LOOP)[0].verdict, Proved)
    assert not isinstance(judged(pair(GOING_ROUND, wrong))[0].verdict, Proved)


COUNTING = f"""[p0, i1]
    i2 = int_ne(i1, 5)
    guard_true(i2)
    i3 = int_add_ovf(i1, 1)
    guard_no_overflow()
    setfield_gc(p0, i3, descr={VALUE})
    jump(p0, i3, descr=<Loop-1>)"""
AROUND = f"""[p0, i1]
    label(p0, i1, descr=TargetToken(139))
    i2 = int_ne(i1, 5)
    guard_true(i2, descr=<Guard0x7f11>) [p0, i1]
    i3 = int_add_ovf(i1, 1)
    guard_no_overflow(descr=<Guard0x7f12>) [p0, i1]
    setfield_gc(p0, i3, descr={VALUE})
    label(p0, i3, descr=TargetToken(140))
    i4 = int_ne(i3, 5)
    guard_true(i4, descr=<Guard0x7f13>) [p0, i3]
    i5 = int_add_ovf(i3, 1)
    guard_no_overflow(descr=<Guard0x7f14>) [p0, i3]
    setfield_gc(p0, i5, descr={VALUE})
    i6 = int_le(i5, 9223372036854775806)
    guard_true(i6, descr=<Guard0x7f15>) [p0, i5]
    jump(p0, i5, descr=TargetToken(140))"""
ASKS = "    i6 = int_le(i5, 9223372036854775806)\n    guard_true(i6, descr=<Guard0x7f15>) [p0, i5]\n"
STORES = f"    setfield_gc(p0, i5, descr={VALUE})\n"


def test_such_a_guard_of_a_loop_resumes_where_it_goes_round() -> None:
    (shown,) = judged(pair(COUNTING, AROUND))
    assert isinstance(shown.verdict, Proved), shown.verdict
    assert RESUME_AT_END in shown.verdict.evidence.assumes
    (without,) = judged(pair(COUNTING, AROUND.replace(ASKS, "")))
    assert isinstance(without.verdict, Proved)
    assert RESUME_AT_END not in without.verdict.evidence.assumes


@pytest.mark.parametrize(("right", "other"), [("5806)", "5805)"), ("guard_true(i6", "guard_false(i6")])
def test_in_which_cases_it_fails_does_not_matter(right: str, other: str) -> None:
    (shown,) = judged(pair(COUNTING, AROUND.replace(right, other)))
    assert isinstance(shown.verdict, Proved), shown.verdict
    assert shown.verdict.evidence.stricter


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (STORES + ASKS, ASKS + STORES),
        ("int_le(i5, 9223372036854775806)", "int_le(i1, 9223372036854775806)"),
        (STORES, ""),
        (STORES, STORES.replace("i5", "i3")),
    ],
)
def test_faults_of_such_loops_are_found(right: str, wrong: str) -> None:
    assert AROUND.count(right) == 1
    (shown,) = judged(pair(COUNTING, AROUND.replace(right, wrong)))
    assert not isinstance(shown.verdict, Proved)


POINT = "debug_merge_point(0, 0, 'f;a.py:4-{}~#40 FOR_ITER')"
OTHER = "<FieldS Box.other 24>"
IN_TURN = f"""[p0, i1]
    {POINT.format(5)}
    setfield_gc(p0, i1, descr={VALUE})
    {POINT.format(6)}
    i2 = int_lt(i1, 1000)
    guard_true(i2)
    i3 = int_add_ovf(i1, 1)
    guard_no_overflow()
    setfield_gc(p0, i1, descr={OTHER})
    jump(p0, i3, descr=<Loop-1>)"""
TESTED = "    i4 = {}\n    guard_true(i4, descr=<Guard0x7f13>) [p0]\n"
ASKED = "    i6 = int_le(i5, 900)\n    guard_true(i6, descr=<Guard0x7f15>) [p0, i5]\n"


def in_turn(front: str = "", behind: str = "", *, last: str = "", end: str = "") -> Verdict:
    """The verdict on the loop, peeled, with this in front of the first store and behind it, in front of the last store
    and behind it."""
    optimized = f"""[p0, i1]
    label(p0, i1, descr=TargetToken(139))
    {POINT.format(5)}
    setfield_gc(p0, i1, descr={VALUE})
    {POINT.format(6)}
    i2 = int_lt(i1, 1000)
    guard_true(i2, descr=<Guard0x7f11>) [p0, i1]
    i3 = int_add_ovf(i1, 1)
    guard_no_overflow(descr=<Guard0x7f12>) [p0, i1]
    setfield_gc(p0, i1, descr={OTHER})
    label(p0, i3, descr=TargetToken(140))
    {POINT.format(5)}
{front}    setfield_gc(p0, i3, descr={VALUE})
    {POINT.format(6)}
{behind}    i5 = int_add_ovf(i3, 1)
    guard_no_overflow(descr=<Guard0x7f14>) [p0, i3]
{last}    setfield_gc(p0, i3, descr={OTHER})
{end}    jump(p0, i5, descr=TargetToken(140))"""
    (shown,) = judged(pair(IN_TURN, optimized))
    return shown.verdict


def test_no_guard_in_front_takes_the_place_of_those_at_the_end() -> None:
    tested = TESTED.format("int_le(i3, 999)")
    assert isinstance(in_turn(behind=tested), Proved)
    assert isinstance(in_turn(behind=tested, end=ASKED), Proved)
    assert not isinstance(in_turn(front=tested), Proved)
    assert not isinstance(in_turn(front=tested, end=ASKED), Proved)


def test_other_guards_fail_where_they_did() -> None:
    strict = TESTED.format("int_le(i3, 899)")
    assert not isinstance(in_turn(behind=strict), Proved)
    assert not isinstance(in_turn(behind=strict, end=ASKED), Proved)


@pytest.mark.parametrize(
    ("asked", "kind"), [("int_le(i5, 1000)", Proved), ("int_lt(i5, 900)", Unknown), ("int_lt(i5, i5)", Unknown)]
)
def test_the_last_guards_resume_at_the_end_or_fail_where_they_did(asked: str, kind: type) -> None:
    """In front of a store the state is another one; there its own place asks when it fails."""
    recorded = f"""[p0, i1]
    i3 = int_add_ovf(i1, 1)
    guard_no_overflow()
    i2 = int_lt(i1, 1000)
    guard_true(i2)
    setfield_gc(p0, i1, descr={OTHER})
    jump(p0, i3, descr=<Loop-1>)"""
    optimized = f"""[p0, i1]
    label(p0, i1, descr=TargetToken(139))
    i3 = int_add_ovf(i1, 1)
    guard_no_overflow(descr=<Guard0x7f12>) [p0, i1]
    i2 = int_lt(i1, 1000)
    guard_true(i2, descr=<Guard0x7f11>) [p0, i1]
    setfield_gc(p0, i1, descr={OTHER})
    label(p0, i3, descr=TargetToken(140))
    i5 = int_add_ovf(i3, 1)
    guard_no_overflow(descr=<Guard0x7f14>) [p0, i3]
    i6 = {asked}
    guard_true(i6, descr=<Guard0x7f13>) [p0, i3]
    setfield_gc(p0, i3, descr={OTHER})
    jump(p0, i5, descr=TargetToken(140))"""
    (shown,) = judged(pair(recorded, optimized))
    assert isinstance(shown.verdict, kind), shown.verdict


@pytest.mark.parametrize("is_asked", [False, True])
def test_guards_of_a_preamble_are_none_of_these(*, is_asked: bool) -> None:
    recorded = f"""[p0, i1, p9]
    guard_nonnull(p9)
    i3 = int_add(i1, 1)
    setfield_gc(p0, i1, descr={OTHER})
    jump(p0, i3, p9, descr=<Loop-1>)"""
    asks = f"    i8 = getfield_gc_i(p9, descr={VALUE})\n    i7 = int_lt(i8, 900)\n"
    asks += "    guard_true(i7, descr=<Guard0x7f12>) [p0, i3, p9]\n"
    optimized = f"""[p0, i1, p9]
    label(p0, i1, p9, descr=TargetToken(139))
    guard_nonnull(p9, descr=<Guard0x7f11>) [p0, i1, p9]
    i3 = int_add(i1, 1)
    setfield_gc(p0, i1, descr={OTHER})
{asks * is_asked}    label(p0, i3, p9, descr=TargetToken(140))
    i5 = int_add(i3, 1)
    setfield_gc(p0, i3, descr={OTHER})
    jump(p0, i5, p9, descr=TargetToken(140))"""
    (shown,) = judged(pair(recorded, optimized))
    assert isinstance(shown.verdict, Proved) is not is_asked, shown.verdict


@pytest.mark.parametrize("is_moved", [False, True])
def test_a_guard_of_a_body_does_not_resume_in_the_iteration_before(*, is_moved: bool) -> None:
    """In other words, and in front of a store: no store stands behind the last guard of that."""
    recorded = f"""[p0, i1]
    i3 = int_add(i1, 1)
    setfield_gc(p0, i1, descr={VALUE})
    i2 = int_lt(i1, 1000)
    guard_true(i2)
    jump(p0, i3, descr=<Loop-1>)"""
    tested = "    i4 = int_ge(i3, 1000)\n    guard_false(i4, descr=<Guard0x7f13>) [p0]\n"
    store = f"    setfield_gc(p0, i3, descr={VALUE})\n"
    optimized = f"""[p0, i1]
    label(p0, i1, descr=TargetToken(139))
    i3 = int_add(i1, 1)
    setfield_gc(p0, i1, descr={VALUE})
    i2 = int_lt(i1, 1000)
    guard_true(i2, descr=<Guard0x7f11>) [p0, i1]
    label(p0, i3, descr=TargetToken(140))
    i5 = int_add(i3, 1)
{tested + store if is_moved else store + tested}    jump(p0, i5, descr=TargetToken(140))"""
    (shown,) = judged(pair(recorded, optimized))
    assert isinstance(shown.verdict, Proved) is not is_moved, shown.verdict


@pytest.mark.parametrize("other", ["DoneWithThisFrameDescrRef", "ExitFrameWithExceptionDescrRef"])
def test_how_a_trace_finishes(other: str) -> None:
    """One hands its value to whoever called the frame, the other raises it."""
    end = "finish(p0, descr=<{} object at 0x7f{}>)"
    log = recorded("[p0]", end.format("DoneWithThisFrameDescrRef", 1)) + bridge("[p0]", f"+1: {end.format(other, 2)}")
    (one,) = judged(log)
    is_same = other == "DoneWithThisFrameDescrRef"
    assert isinstance(one.verdict, Proved) is is_same
    assert is_same or "end: argument 1" in str(one.verdict)
