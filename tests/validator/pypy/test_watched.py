"""Quasi-immutable fields of constants that PyPy's optimizer alone knows to be constants."""

from __future__ import annotations

import re

import pytest

from tests.pypy_logs import POINT, WORK, judged, judged_bridge, loop, recorded
from validator import Proved
from validator.pypy.inferred.watched import WATCHED, with_watched
from validator.pypy.printed.lines import Line, Printed
from validator.pypy.printed.straight import Sides

FIELD, ITEMS = "<FieldS A.inst_q 8 pure>", "<FieldP A.inst_mro_w 16 pure>"
HELD = "<FieldP B.held 8>"
KEPT = (
    "p1 = new_with_vtable(descr=<SizeDescr 16>)",
    f"setfield_gc(p1, ConstPtr(ptr2), descr={HELD})",
    WORK.format("p0"),
    "guard_no_exception()",
    f"p3 = getfield_gc_r(p1, descr={HELD})",
)
WATCH, VALID = "quasiimmut_field(p3, descr=<QuasiImmutDescr 7>)", "guard_not_invalidated()"
LOAD = f"i4 = getfield_gc_i(p3, descr={FIELD})"
FOUND = (WATCH, VALID, LOAD, "guard_value(i4, 7)")
SUM = ("i5 = int_add(i4, 1)", "finish(i5)")
CALLED = (WORK.format("p0"), "guard_no_exception(descr=<Guard0x7f20>) [p0]")
STILL_VALID = "guard_not_invalidated(descr=<Guard0x7f21>) [p0]"


def test_what_the_recorded_trace_found_in_a_watched_field_is_there() -> None:
    one = judged_bridge((*KEPT, *FOUND, *SUM), (*CALLED, STILL_VALID, "finish(8)"))
    assert isinstance(one.verdict, Proved)
    assert one.texts is not None
    assert WATCHED in one.texts.assumes


def test_what_is_computed_from_it_is_what_it_was() -> None:
    found = (
        *(WATCH, VALID, f"p4 = getfield_gc_r(p3, descr={ITEMS})", "i5 = arraylen_gc(p4, descr=<ArrayP 8>)"),
        *("i6 = int_ge(1, i5)", "guard_false(i6)", "p7 = getarrayitem_gc_pure_r(p4, 1, descr=<ArrayP 8>)"),
        *("i8 = instance_ptr_eq(p7, ConstPtr(ptr9))", "guard_true(i8)", "finish(p7)"),
    )
    optimized = (*CALLED, STILL_VALID, "finish(ConstPtr(ptr19))")
    assert isinstance(judged_bridge((*KEPT, *found), optimized).verdict, Proved)


ELSEWHERE = ("quasiimmut_field(p0, descr=<QuasiImmutDescr 6>)", f"i20 = getfield_gc_i(p0, descr={FIELD})")
FIXED = "<FieldP A.inst_code 24 pure>"
THERE = (
    f"p4 = getfield_gc_r(p3, descr={FIXED})",
    WATCH.replace("p3", "p4"),
    VALID,
    f"i5 = getfield_gc_i(p4, descr={FIELD})",
    "guard_value(i5, 7)",
)
"""What is found in a field of an object that a constant has in a field that never changes."""

CALL = "{} = call_pure_i(ConstClass(look), {}, descr=<Calli 8 ri EF=4>)"
LOOKED = (
    CALL.format("i6", "p4, i5"),
    "guard_no_exception()",
    "guard_value(i6, 3)",
    "i7 = int_add(i6, i5)",
    "finish(i7)",
)


def test_what_is_in_fields_of_constants_that_a_constant_holds_is_there() -> None:
    assert isinstance(judged_bridge((*KEPT, *THERE, "finish(i5)"), (*CALLED, STILL_VALID, "finish(7)")).verdict, Proved)


def test_a_function_of_that_gives_what_it_gave_and_does_not_raise() -> None:
    one = judged_bridge((*KEPT, *THERE, *LOOKED), (*CALLED, STILL_VALID, "finish(10)"))
    assert isinstance(one.verdict, Proved)
    assert one.texts is not None
    assert WATCHED in one.texts.assumes


HELD_BY_INPUT = "p3 = getfield_gc_r(p0, descr=<FieldP C.one 8>)"
LATER = "guard_value(p3, ConstPtr(ptr1))", "guard_value(p3, ConstPtr(ptr11), descr=<Guard0x7f19>) [p0]"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((*KEPT, *THERE, "finish(i5)"), (*CALLED, STILL_VALID, "finish(8)")),
        ((*KEPT, *THERE, "finish(i5)"), (*CALLED, "finish(7)")),
        ((*KEPT, *THERE, *LOOKED), (*CALLED, STILL_VALID, "finish(11)")),
        ((*KEPT, *THERE, *LOOKED), (*CALLED, "finish(10)")),
        (  # what holds the other one is found to be a constant behind the watch
            (HELD_BY_INPUT, *THERE, LATER[0], "finish(i5)"),
            (HELD_BY_INPUT, LATER[1], STILL_VALID, "finish(7)"),
        ),
        (  # the function may raise for others
            (HELD_BY_INPUT, CALL.format("i6", "p3, 1"), "guard_no_exception()", LATER[0], WATCH, VALID, "finish(3)"),
            (HELD_BY_INPUT, LATER[1], STILL_VALID, "finish(3)"),
        ),
        (  # a call behind the check
            (*KEPT, *THERE[:3], WORK.format("p0"), "guard_no_exception()", *THERE[3:], "finish(i5)"),
            (*CALLED, STILL_VALID, *CALLED, "finish(7)"),
        ),
    ],
)
def test_wrong_ones_of_those_are_not_proved(before: tuple[str, ...], after: tuple[str, ...]) -> None:
    assert not isinstance(judged_bridge(before, after).verdict, Proved)


ASKED = "guard_isnull(p3)", "guard_isnull(p3, descr=<Guard0x7f24>) [p0]"
LOADS = LOAD.replace("p3", "ConstPtr(ptr12)"), "i5 = int_add(i4, 1)", "finish(i5)"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (  # p3 is NULL behind the call alone
            (HELD_BY_INPUT, CALL.format("i6", "p3, 1"), "guard_no_exception()", ASKED[0], *ELSEWHERE, "finish(3)"),
            (HELD_BY_INPUT, ASKED[1], *ELSEWHERE, "finish(3)"),
        ),
        (  # the field is loaded: PyPy may not have known the constant, and may watch nothing
            (*KEPT, WATCH, VALID, LOAD, CALL.format("i6", "p3, i4"), "guard_no_exception()", *LOADS[1:]),
            (*CALLED, STILL_VALID, *LOADS),
        ),
    ],
)
def test_a_function_may_raise_for_what_was_not_known_by_then(before: tuple[str, ...], after: tuple[str, ...]) -> None:
    assert not isinstance(judged_bridge(before, after).verdict, Proved)


def peeled(*asks: str, is_left_out: bool) -> str:
    """A loop that watches a field of what a guard behind that finds, and asks for it in each iteration: what the
    optimized trace does not load, or does."""
    points = [POINT.format(line=line) for line in range(5, 9)]
    load, is_seven = (LOAD, "guard_value(i4, 7)")
    work = "call_n(ConstClass(use), {}, descr=<Callv 0 i EF=5>)"
    ahead, behind = (points[0], HELD_BY_INPUT), (VALID, load, points[1], *asks, points[2], is_seven, points[3])
    before = (*ahead, WATCH, *behind, work.format("i4"), "guard_no_exception()", "jump(p0, descr=<Loop-1>)")
    kept = (line for line in behind if not is_left_out or line not in (load, is_seven))
    once = (*ahead, *kept, work.format(7), "guard_no_exception()")
    again = (re.sub(r"\b([ip])([345])\b", r"\g<1>1\2", line) for line in once)
    guards = (f", descr=<Guard0x7{number}>) [p0]" for number in range(100, 200))
    first, second = (
        [line[:-1] + next(guards).replace(", ", "", "()" in line) if "guard" in line else line for line in part]
        for part in (once, again)
    )
    after = ("label(p0, descr=TargetToken(140))", *first, "label(p0, descr=TargetToken(141))", *second)
    lines = (line if "point" in line else f"+1: {line}" for line in (*after, "jump(p0, descr=TargetToken(141))"))
    return recorded("[p0]", *before) + loop("[p0]", *lines)


def test_a_loop_that_was_peeled_watches_what_it_does_not_ask_for_again() -> None:
    found, again = "guard_value(p3, ConstPtr(ptr1))", HELD_BY_INPUT.replace("p3", "p5")
    for asks in (
        (found,),
        (found, again, found.replace("p3", "p5")),
        ("i5 = instance_ptr_eq(p3, ConstPtr(ptr1))", "guard_true(i5)"),
    ):
        assert isinstance(judged(peeled(*asks, is_left_out=False))[0].verdict, Proved)
        assert not isinstance(judged(peeled(*asks, is_left_out=True))[0].verdict, Proved)


def test_a_function_that_is_called_elsewhere_may_raise() -> None:
    called = CALL.format("i9", "p0, 2").replace("call_pure", "call")
    guarded = called, "guard_no_exception(descr=<Guard0x7f23>) [p0]"
    before, after = (called, "guard_no_exception()", *KEPT, *THERE), (*guarded, *CALLED, STILL_VALID)
    assert isinstance(judged_bridge((*before, "finish(i5)"), (*after, "finish(7)")).verdict, Proved)
    assert not isinstance(judged_bridge((*before, *LOOKED), (*after, "finish(10)")).verdict, Proved)


LOADED = "p9 = getfield_gc_r(p0, descr=<FieldP C.one 8>)"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((*KEPT, *FOUND, *SUM), (*CALLED, "finish(8)")),  # the code may be invalid
        ((*KEPT, *FOUND, *SUM), (*CALLED, STILL_VALID, "finish(9)")),
        ((*KEPT, *FOUND, *SUM), (STILL_VALID, *CALLED, "finish(8)")),
        (  # PyPy has not known the constant, as its load shows; nobody uses what it gives
            (*KEPT, *FOUND, *SUM),
            (*CALLED, STILL_VALID, LOAD.replace("p3", "ConstPtr(ptr12)"), "finish(8)"),
        ),
        (  # a call behind the check
            (*KEPT, WATCH, VALID, WORK.format("p0"), "guard_no_exception()", LOAD, "guard_value(i4, 7)", *SUM),
            (*CALLED, STILL_VALID, *CALLED, "finish(8)"),
        ),
        (  # another object is watched, which may be any
            (*ELSEWHERE, *KEPT, VALID, *FOUND[2:], *SUM),
            (*ELSEWHERE, *CALLED, STILL_VALID, "finish(8)"),
        ),
        (  # PyPy has loaded it when it has not known the constant
            (HELD_BY_INPUT, WATCH, VALID, LOAD, POINT.format(line=6), LATER[0], FOUND[3], *SUM),
            (HELD_BY_INPUT, STILL_VALID, LOAD, POINT.format(line=6), LATER[1], "finish(8)"),
        ),
        (  # the code may be invalid by the time of the load
            (*ELSEWHERE, *KEPT, WATCH, *FOUND[2:], VALID, *SUM),
            (*ELSEWHERE, *CALLED, STILL_VALID, "finish(8)"),
        ),
        (  # an object that is none of the constants
            (LOADED, *KEPT, *(line.replace("p3", "p9") for line in FOUND), *SUM),
            (LOADED, *CALLED, STILL_VALID, "finish(8)"),
        ),
    ],
)
def test_wrong_ones_are_not_proved(before: tuple[str, ...], after: tuple[str, ...]) -> None:
    assert not isinstance(judged_bridge(before, after).verdict, Proved)


def test_a_load_elsewhere_in_the_program_may_be_why_nothing_is_watched() -> None:
    """PyPy's optimizer may have forwarded what it has loaded there, of an object that it has not known."""
    first, second = (POINT.format(line=line) for line in (5, 6))
    before, after = (*KEPT, second, *FOUND, *SUM), (*CALLED, second, STILL_VALID, "finish(8)")
    assert isinstance(judged_bridge(before, after).verdict, Proved)
    loads = first, *ELSEWHERE
    assert not isinstance(judged_bridge((*loads, *before), (*loads, *after)).verdict, Proved)


@pytest.mark.parametrize("is_first", [True, False])
def test_what_is_found_to_be_a_constant_behind_the_watch_is_not_watched(*, is_first: bool) -> None:
    held, found = "p3 = getfield_gc_r(p0, descr=<FieldP C.one 8>)", "guard_value(p3, ConstPtr(ptr{}){})"
    before = [held, *FOUND, *SUM]
    before.insert(1 if is_first else len(FOUND) + 1, found.format(1, ""))
    exits = [found.format(11, ", descr=<Guard0x7f19>") + " [p0]", STILL_VALID]
    after = [held, *(exits if is_first else reversed(exits)), "finish(8)"]
    assert isinstance(judged_bridge(before, after).verdict, Proved) is is_first


@pytest.mark.parametrize(("found_at", "is_told"), [(1, True), (3, False), (4, False)])
def test_an_object_that_it_is_loaded_from_elsewhere_may_be_a_constant_by_then(found_at: int, *, is_told: bool) -> None:
    """In front of the load: behind that, be it in front of the watch, it may be the one that is not known there."""
    first, second = (POINT.format(line=line) for line in (5, 6))
    is_found = "guard_value(p0, ConstPtr(ptr{}){})"
    before = [first, *ELSEWHERE, second, *KEPT, *FOUND, *SUM]
    after = [first, *ELSEWHERE, second, *CALLED, STILL_VALID, "finish(8)"]
    before.insert(found_at, is_found.format(30, ""))
    after.insert(found_at, is_found.format(31, ", descr=<Guard0x7f30>") + " [p0]")
    assert isinstance(judged_bridge(before, after).verdict, Proved) is is_told


@pytest.mark.parametrize(("behind", "is_told"), [("guard_not_invalidated", True), ("guard_no_exception", False)])
def test_it_is_said_where_the_trace_jumps_while_code_is_valid(behind: str, *, is_told: bool) -> None:
    lines = (
        Line(None, "quasiimmut_field", ("ConstPtr(ptr1)",), "<QuasiImmutDescr 7>"),
        Line(None, "guard_not_invalidated", ()),
        Line("i4", "getfield_gc_i", ("ConstPtr(ptr1)",), FIELD),
        Line(None, "guard_value", ("i4", "7")),
        Line(None, "call_n", ("ConstClass(work)",), "<Callv 0 EF=7>"),
        Line(None, behind, ()),
        Line(None, "jump", ("p0",)),
    )
    sides = Sides(Printed(("p0",), lines), Printed(("p0",), (lines[-1],)))
    (told, _) = with_watched(sides, sides, lambda function, memory: False, lambda memory: False)
    at_end = [line.name for line in told.before.lines[-3:-1]]
    assert (at_end == ["getfield_gc_i", "record_exact_value_i"]) is is_told


COMPARED = Line("i5", "ptr_eq", ("p3", "ConstPtr(ptr1)")), Line(None, "guard_true", ("i5",))
ASKED_FOR = (Line(None, "guard_value", ("p3", "ConstPtr(ptr1)")),)


@pytest.mark.parametrize(
    ("asks", "next_", "is_told"), [(ASKED_FOR, "p3", True), (ASKED_FOR, "p9", False), (COMPARED, "p3", False)]
)
def test_the_input_of_a_peeled_loop_is_known_by_the_next_iteration(
    asks: tuple[Line, ...], next_: str, *, is_told: bool
) -> None:
    lines = (
        Line("p9", "getfield_gc_r", ("p3",), HELD),
        Line(None, "quasiimmut_field", ("p3",), "<QuasiImmutDescr 7>"),
        Line(None, "guard_not_invalidated", ()),
        Line("i4", "getfield_gc_i", ("p3",), FIELD),
        *asks,
        Line(None, "guard_value", ("i4", "7")),
        Line(None, "jump", (next_,)),
    )
    body = Line(None, "label", ("p3",)), Line(None, "jump", ("p3",))
    sides = Sides(Printed(("p3",), lines), Printed(("p3",), body))
    (told, _) = with_watched(sides, sides, lambda function, memory: False, lambda memory: False)
    assert any(line.name == "record_exact_value_i" for line in told.before.lines) is is_told


@pytest.mark.parametrize("is_bound_anew", [True, False])
def test_a_label_binds_names_anew(*, is_bound_anew: bool) -> None:
    found = (
        Line(None, "quasiimmut_field", ("ConstPtr(ptr1)",), "<QuasiImmutDescr 7>"),
        Line(None, "guard_not_invalidated", ()),
        Line("i4", "getfield_gc_i", ("ConstPtr(ptr1)",), FIELD),
        Line(None, "guard_value", ("i4", "7"), passed=5),
        Line(None, "finish", ()),
    )
    label = (Line(None, "label", ("p0",)),) if is_bound_anew else ()
    known = Line(None, "guard_value", ("p0", "ConstPtr(ptr3)"), passed=0)
    loads = (known, *label, Line("i5", "getfield_gc_i", ("p0",), FIELD), found[-1])
    sides = Sides(Printed(("p0",), found), Printed(("p0",), loads))
    (told, _) = with_watched(sides, sides, lambda function, memory: False, lambda memory: False)
    assert any(line.name == "record_exact_value_i" for line in told.before.lines) is not is_bound_anew


@pytest.mark.parametrize(("behind", "is_told"), [("guard_no_exception", True), ("guard_exception", False)])
def test_a_function_that_has_raised_does(behind: str, *, is_told: bool) -> None:
    call = Line("i4", "call_pure_i", ("ConstClass(look)", "ConstPtr(ptr1)"), "<Calli 8 r EF=4>")
    lines = (Line(None, "quasiimmut_field", ("ConstPtr(ptr1)",), "<QuasiImmutDescr 7>"), call, Line(None, behind, ()))
    sides = Sides(Printed((), lines), Printed((), ()))
    (told, _) = with_watched(sides, sides, lambda function, memory: False, lambda memory: False)
    assert ("EF=0" in told.before.lines[1].descr) is is_told


def test_a_load_that_is_left_keeps_its_guard() -> None:
    kept = (*CALLED, STILL_VALID, LOAD.replace("p3", "ConstPtr(ptr12)"), "guard_value(i4, 7, descr=<Guard0x7f22>) [p0]")
    assert isinstance(judged_bridge((*KEPT, *FOUND, *SUM), (*kept, "finish(8)")).verdict, Proved)


def test_a_load_in_the_loop_that_a_bridge_jumps_to_does_not_matter_to_the_bridge() -> None:
    """PyPy compiled it at another time; it matters to what is said of the loop."""
    end = Line(None, "jump", ("p0",))
    watch = (
        Line(None, "quasiimmut_field", ("ConstPtr(ptr1)",), "<QuasiImmutDescr 7>"),
        Line(None, "guard_not_invalidated", ()),
        load := Line("i4", "getfield_gc_i", ("ConstPtr(ptr1)",), FIELD),
        Line(None, "guard_value", ("i4", "7")),
    )
    found, loads, empty = (Printed(("p0",), (*lines, end)) for lines in (watch, (load,), ()))
    for own, of_loop in ((empty, loads), (loads, empty), (empty, empty)):
        sides = Sides(found, own, Sides(found, of_loop))
        stated, _ = with_watched(sides, sides, lambda function, memory: False, lambda memory: False)
        assert stated.target is not None
        for one, optimized in ((stated, own), (stated.target, of_loop)):
            assert any(line.name == "record_exact_value_i" for line in one.before.lines) is (optimized is empty)
