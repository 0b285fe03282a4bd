"""What constants hold, as guards on what was loaded from them found while the trace was recorded."""

from __future__ import annotations

import pytest

from tests.pypy_logs import bridge, judged, loop, recorded
from validator import Proved, Unknown
from validator.pypy.inferred.executed import with_calls_of_constants
from validator.pypy.judge import Judged
from validator.pypy.printed.lines import Line, Printed
from validator.pypy.printed.straight import Sides

SIZE = "<FieldS Code.size 16 pure>"
OWNER = "<FieldP Code.owner 24 pure>"
CODE = "guard_value(p0, ConstPtr(ptr{0}){1})"


def judged_with(*asked: str, kept: tuple[str, ...] = (), also: tuple[str, ...] = (), size: str = SIZE) -> Judged:
    """What is said of a pair that finds what was handed over to be a constant, and loads the size of that, of which the
    optimized one does not ask but for what is kept."""
    load = f"i2 = getfield_gc_i(p0, descr={size})"
    before = recorded("[p0, i1]", CODE.format(8, ""), load, *asked, *also, "jump(p0, i1, descr=<Loop-1>)")
    after = loop(
        "[p0, i1]",
        "+1: label(p0, i1, descr=TargetToken(140))",
        f"+2: {CODE.format(9, ', descr=<Guard0x7f10>')} [p0, i1]",
        *kept,
        "+3: jump(p0, i1, descr=TargetToken(140))",
    )
    (one,) = judged(before + after)
    return one


@pytest.mark.parametrize(
    "asked",
    [
        ("guard_value(i2, 14)",),
        ("guard_true(i2)",),
        ("guard_false(i2)",),
        ("i3 = int_add(1, i2)", "guard_value(i3, 15)"),
        ("i3 = int_lt(i2, 5)", "guard_true(i3)"),
        ("i3 = int_sub(9, i2)", "i4 = int_is_zero(i3)", "guard_false(i4)"),
        (f"p3 = getfield_gc_r(p0, descr={OWNER})", "guard_isnull(p3)"),
        (f"p3 = getfield_gc_r(p0, descr={OWNER})", "guard_nonnull(p3)"),
        (f"p3 = getfield_gc_r(p0, descr={OWNER})", "guard_class(p3, ConstClass(W_Root))"),
    ],
)
def test_a_guard_on_what_a_constant_holds_has_passed_and_always_does(asked: tuple[str, ...]) -> None:
    assert isinstance(judged_with(*asked).verdict, Proved)


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (("guard_value(i1, 14)",), "it is not computed from the constant"),
        (("i3 = int_add(i1, i2)", "guard_value(i3, 15)"), "nor is this alone"),
        (("i3 = getfield_gc_i(p0, descr=<FieldS Code.uses 24>)", "guard_value(i3, 1)"), "that field may change"),
    ],
)
def test_other_guards_may_fail(asked: tuple[str, ...], why: str) -> None:
    assert not isinstance(judged_with(*asked).verdict, Proved), why


def test_what_a_constant_holds_is_what_was_found_and_nothing_else() -> None:
    """The optimized trace asks for another number: that always fails."""
    load = f"+1: i2 = getfield_gc_i(p0, descr={SIZE})"
    for number in (14, 15):
        kept = load, f"+1: guard_value(i2, {number}, descr=<Guard0x7f08>) [p0, i1]"
        assert isinstance(judged_with("guard_value(i2, 14)", kept=kept).verdict, Proved) is (number == 14)


EQUAL = "i3 = call_pure_i(ConstClass(ll_streq), {}, descr=<Calli 1 rr EF={} OS=24>)".format
NEW = "p5 = newstr(1)", "strsetitem(p5, 0, {})"


@pytest.mark.parametrize("guard", ["guard_true(i3)", "guard_false(i3)"])
@pytest.mark.parametrize(
    ("asked", "is_proved"),
    [
        ((EQUAL("ConstPtr(ptr1), ConstPtr(ptr2)", 0),), True),
        ((*(line.format(65) for line in NEW), EQUAL("p5, ConstPtr(ptr2)", 0)), True),
        ((*(line.format("i1") for line in NEW), EQUAL("p5, ConstPtr(ptr2)", 0)), False),  # any character
        ((EQUAL("p0, p4", 0),), False),  # of what is handed over
        ((EQUAL("ConstPtr(ptr1), ConstPtr(ptr2)", 4),), False),  # it may raise
    ],
)
def test_a_comparison_of_strings_of_constants_has_its_answer(
    asked: tuple[str, ...], guard: str, is_proved: bool
) -> None:
    before = recorded("[p0, i1, p4]", *asked, guard, "finish(i1)")
    (one,) = judged(before + bridge("[p0, i1, p4]", "+1: finish(i1)"))
    assert isinstance(one.verdict, Proved) is is_proved


def test_a_field_that_is_watched_may_change() -> None:
    watch = "quasiimmut_field(p0, descr=<QuasiImmutDescr object at 0x7f01>)"
    assert isinstance(judged_with("guard_value(i2, 14)", also=(watch,)).verdict, Proved)
    watched = (watch, f"i5 = getfield_gc_i(p0, descr={SIZE})")
    assert isinstance(judged_with("guard_value(i2, 14)", also=watched).verdict, Unknown)


DIGITS = "p5 = call_pure_r(ConstClass(int2dec), {}, descr=<Callr 8 i EF=3>)"
DROPPED = "guard_no_exception()", "i6 = strlen(p5)", "i7 = int_add_ovf(26, i6)", "guard_no_overflow()"


def judged_again(
    *front: str, given: str = "i1", kept: tuple[str, ...] = (), dropped: tuple[str, ...] = DROPPED
) -> Judged:
    """What is said of a pair whose optimized trace leaves out to call a function, and to ask whether it has raised."""
    ends = (
        [line.format("") for line in front],
        [f"{line.format(', descr=<Guard0x7f10>')} [i1, i2]" if "{}" in line else line for line in front],
    )
    before = recorded("[i1, i2]", *ends[0], DIGITS.format(given), *dropped, "finish(i2)")
    (one,) = judged(before + bridge("[i1, i2]", *ends[1], *kept, "finish(i2)"))
    return one


ZERO = "i3 = int_is_zero(i1)", "guard_true(i3{})"


@pytest.mark.parametrize(
    ("front", "given"),
    [
        (ZERO, "i1"),
        (("i3 = int_is_true(i1)", "guard_false(i3{})"), "i1"),
        (("i3 = int_eq(i1, 7)", "guard_true(i3{})"), "i1"),
        (("i3 = int_ne(7, i1)", "guard_false(i3{})"), "i1"),
        (("guard_value(i1, 7{})",), "i1"),
        ((), "7"),
        ((), "ConstPtr(ptr1)"),
    ],
)
def test_a_function_that_has_not_raised_does_not_raise_when_it_is_given_the_same(
    front: tuple[str, ...], given: str
) -> None:
    assert isinstance(judged_again(*front, given=given).verdict, Proved)


@pytest.mark.parametrize(
    ("front", "given", "dropped"),
    [
        ((), "i1", DROPPED),
        (("i3 = int_is_zero(i1)", "guard_false(i3{})"), "i1", DROPPED),
        (("i3 = int_ne(i1, 7)", "guard_true(i3{})"), "i1", DROPPED),
        (("i3 = int_eq(i1, i2)", "guard_true(i3{})"), "i1", DROPPED),
        (ZERO, "i2", DROPPED),
        (ZERO, "i1", (*DROPPED[:2], "i7 = int_add_ovf(i2, i6)", DROPPED[3])),
        (ZERO, "i1", ("guard_no_exception()", "i7 = int_add_ovf(i2, 26)", "guard_no_overflow()")),
    ],
)
def test_of_others_that_is_not_known(front: tuple[str, ...], given: str, dropped: tuple[str, ...]) -> None:
    assert not isinstance(judged_again(*front, given=given, dropped=dropped).verdict, Proved)


def test_a_function_that_is_called_all_the_same_may_raise() -> None:
    called = (
        DIGITS.format("i1").replace("pure_", "").replace("p5", "p8"),
        "guard_no_exception(descr=<Guard0x7f11>) [i1, i2]",
    )
    assert isinstance(judged_again(*ZERO, kept=called, dropped=DROPPED[:1]).verdict, Proved)
    assert not isinstance(judged_again(*ZERO, kept=called[:1], dropped=DROPPED[:1]).verdict, Proved)


def test_functions_that_may_give_something_else_may_raise() -> None:
    asks = ("call_r(ConstClass(int2dec), 0, descr=<Callr 8 i EF=5>)", "guard_no_exception()")
    before = recorded("[i1, i2]", f"p5 = {asks[0]}", asks[1], "finish(i2)")
    (one,) = judged(before + bridge("[i1, i2]", "finish(i2)"))
    assert not isinstance(one.verdict, Proved)


@pytest.mark.parametrize("behind", ["guard_no_exception", "guard_exception", "guard_not_forced"])
def test_only_what_the_recorded_trace_has_asked_is_known(behind: str) -> None:
    call = Line("p1", "call_pure_r", ("ConstClass(int2dec)", "0"), "<Callr 8 i EF=3>")
    added = Line("i2", "int_add_ovf", ("26", "7"))
    guards = Line(None, behind, ()), Line(None, behind.replace("exception", "overflow"), ())
    lines = (call, guards[0], added, guards[1], Line(None, "finish", ("i3",)))
    printed = Printed(("i3",), lines)
    told = with_calls_of_constants(Sides(printed, Printed(("i3",), lines[-1:]))).before.lines
    is_known = behind == "guard_no_exception"
    assert (told[0] != call) is is_known
    assert (len(told) > len(lines)) is is_known
