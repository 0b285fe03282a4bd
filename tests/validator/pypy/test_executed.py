"""What constants hold, as guards on what was loaded from them found while the trace was recorded."""

from __future__ import annotations

import pytest

from tests.pypy_logs import judged, loop, recorded
from validator import Proved, Unknown
from validator.pypy.judge import Judged

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


def test_a_field_that_is_watched_may_change() -> None:
    watch = "quasiimmut_field(p0, descr=<QuasiImmutDescr object at 0x7f01>)"
    assert isinstance(judged_with("guard_value(i2, 14)", also=(watch,)).verdict, Proved)
    watched = (watch, f"i5 = getfield_gc_i(p0, descr={SIZE})")
    assert isinstance(judged_with("guard_value(i2, 14)", also=watched).verdict, Unknown)
