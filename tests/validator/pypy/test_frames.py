"""Frames: constants that are stored into new ones and found again are one, and the call that forces one comes first."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from optimizer.ir.immutable import replace
from tests.pypy_logs import WORK, judged_bridge
from validator import Proved
from validator.pypy.printed.frames import check_frames, looks_early
from validator.pypy.printed.lines import Line, Printed
from validator.pypy.printed.rows import with_target
from validator.pypy.printed.straight import NotStraight, Sides

ONE = "<FieldP Box.one 8>"
TOKEN = "<FieldP Box.token 24>"
DEPTH = "<FieldS Box.depth 32>"
FORCE = "<Callv 0 r EF=2 OS=121>"
ANYTHING = "call_n(ConstClass(anything), {}, descr=<Callv 0 r EF=7>)"


def is_proved(before: tuple[str, ...], after: tuple[str, ...]) -> bool:
    return isinstance(judged_bridge(before, after).verdict, Proved)


def load(name: str, field: str) -> str:
    return f"{name} = getfield_gc_r(p0, descr={field})"


@pytest.mark.parametrize(("back", "is_right"), [(1, True), (2, False)])
def test_an_item_at_a_computed_index_is_the_constant_that_was_stored(back: int, is_right: bool) -> None:
    before = (
        "p1 = new_array_clear(2, descr=<ArrayP 8>)",
        load("p2", ONE),
        "setarrayitem_gc(p1, 0, p2, descr=<ArrayP 8>)",
        "setarrayitem_gc(p1, 1, ConstPtr(ptr3), descr=<ArrayP 8>)",
        "p4 = new_with_vtable(descr=<SizeDescr 40>)",
        f"setfield_gc(p4, 2, descr={DEPTH})",
        f"i5 = getfield_gc_i(p4, descr={DEPTH})",
        f"i6 = int_sub(i5, {back})",
        "p7 = getarrayitem_gc_r(p1, i6, descr=<ArrayP 8>)",
        "guard_value(p7, ConstPtr(ptr8))",
        WORK.format("p7"),
    )
    after = (load("p2", ONE), WORK.format("ConstPtr(ptr9)" if is_right else "p2"))
    assert is_proved(before, after) is is_right


@pytest.mark.parametrize(("call", "is_right"), [("", True), (ANYTHING.format("p1"), False)])
def test_forcing_a_frame_leaves_constants_in_it(call: str, is_right: bool) -> None:
    before = (
        "p1 = new_with_vtable(descr=<SizeDescr 40>)",
        f"setfield_gc(p1, ConstPtr(ptr2), descr={ONE})",
        f"p3 = getfield_gc_r(p1, descr={TOKEN})",
        "i4 = ptr_ne(p3, ConstPtr(null))",
        f"cond_call(i4, ConstClass(force), p1, descr={FORCE})",
        *((call,) if call else ()),
        ANYTHING.format("p0"),
        f"p5 = getfield_gc_r(p1, descr={ONE})",
        "guard_value(p5, ConstPtr(ptr6))",
        WORK.format("p5"),
    )
    made = ("p1 = new_with_vtable(descr=<SizeDescr 40>)", f"setfield_gc(p1, ConstPtr(ptr8), descr={ONE})", call)
    after = (*(made if call else ()), ANYTHING.format("p0"), WORK.format("ConstPtr(ptr9)"))
    assert is_proved(before, after) is is_right


ASKED, TEST = ("p3 = getfield_gc_r(p0, descr=<FieldP Box.vable_token 8>)", "i4 = ptr_ne(p3, ConstPtr(null))")
FORCED = f"cond_call(i4, ConstClass(force), p0, descr={FORCE})"
LOOK = f"i5 = getfield_gc_i(p0, descr={DEPTH})"
AGAIN = (TEST.replace("i4", "i6"), FORCED.replace("i4", "i6"), "finish(i5)")


@pytest.mark.parametrize("is_right", [True, False])
def test_a_frame_is_looked_at_behind_the_call_that_forces_it(is_right: bool) -> None:
    after = (ASKED, TEST, FORCED, LOOK) if is_right else (ASKED, LOOK, TEST, FORCED)
    assert is_proved((ASKED, TEST, FORCED, LOOK, *AGAIN), (*after, *AGAIN)) is is_right


def test_a_frame_is_not_looked_at_under_another_name_either() -> None:
    holder = (load("p7", ONE), load("p8", ONE).replace("p0", "p9"))
    named = tuple(line.replace("p0", "p7") for line in (ASKED, TEST, FORCED, LOOK))
    before = ("p9 = same_as_r(p0)", holder[0], *named, "finish(i5)")
    right = ("p9 = same_as_r(p0)", *holder, *named, "finish(i5)")
    assert is_proved(before, right)
    early = LOOK.replace("p0", "p8")
    assert not is_proved(before, ("p9 = same_as_r(p0)", *holder, *named[:2], early, named[2], "finish(i5)"))


@pytest.mark.parametrize("is_right", [True, False])
def test_a_frame_is_written_behind_the_call_that_forces_it(is_right: bool) -> None:
    store = f"setfield_gc(p0, 7, descr={DEPTH})"
    after = (ASKED, TEST, FORCED, store) if is_right else (ASKED, store, TEST, FORCED)
    assert is_proved((ASKED, TEST, FORCED, store), after) is is_right


def test_what_is_looked_at_in_front_of_the_call_as_recorded_is_no_field_that_it_writes() -> None:
    before = (ASKED, LOOK, TEST, FORCED, *AGAIN)
    assert is_proved(before, before)


@pytest.mark.parametrize("is_right", [True, False])
def test_the_guard_for_a_frame_that_is_forced_later_stands_in_front_of_the_end(is_right: bool) -> None:
    made, guard = "p1 = new_with_vtable(descr=<SizeDescr 16>)", "guard_not_forced_2()"
    after = (made, guard) if is_right else (guard, made)
    assert is_proved((made, guard, "finish(p1)"), (*after, "finish(p1)")) is is_right


FRAME = "<FieldS Frame.depth 16>"
LABEL = Line(None, "label", ("p0", "p1"), "TargetToken(1)")
ROUND = Line(None, "jump", ("p0", "p1"), "TargetToken(1)")
NEXT = Line("p1", "getfield_gc_r", ("p0",), ONE)
FOUND = Line("p7", "getfield_gc_r", ("p1",), "<FieldP Frame.array 24>")
NEW = Line("p1", "new_with_vtable", (), "<SizeDescr 40>")


def forced(name: str) -> Line:
    return Line(None, "cond_call", ("i9", "1403", name), FORCE)


def looked(name: str) -> Line:
    return Line("i8", "getfield_gc_i", (name,), FRAME)


def written(name: str) -> Line:
    return Line(None, "setfield_gc", (name, "7"), FRAME)


RECORDED = (NEXT, forced("p1"), looked("p1"), ROUND)


@pytest.mark.parametrize(
    ("optimized", "is_early"),
    [
        ((NEXT, forced("p1"), looked("p1"), ROUND), False),
        ((NEXT, looked("p1"), forced("p1"), ROUND), True),
        ((NEXT, forced("p1"), looked("p1"), LABEL, forced("p1"), looked("p1"), ROUND), False),
        ((NEXT, forced("p1"), looked("p1"), LABEL, looked("p1"), forced("p1"), ROUND), True),
        ((NEXT, forced("p1"), looked("p1"), LABEL, forced("p1"), looked("p2"), ROUND), True),
        ((NEXT, forced("p1"), looked("p1"), LABEL, looked("p1"), ROUND), False),
        ((NEW, looked("p1"), forced("p0"), ROUND), False),
        ((NEW, LABEL, looked("p1"), forced("p0"), ROUND), True),
    ],
)
def test_a_label_binds_names_anew_and_goes_round(optimized: tuple[Line, ...], is_early: bool) -> None:
    assert bool(looks_early(RECORDED, optimized)) is is_early


@pytest.mark.parametrize(("first", "is_early"), [(looked("p0"), False), (written("p0"), True)])
def test_what_is_recorded_in_front_of_the_call_may_be_there(first: Line, is_early: bool) -> None:
    assert bool(looks_early((first, *RECORDED), (looked("p0"), *RECORDED))) is is_early


@pytest.mark.parametrize(("name", "is_early"), [("p0", False), ("p1", True)])
def test_what_is_recorded_of_forced_objects_alone_is_a_field_of_a_frame(name: str, is_early: bool) -> None:
    other = Line("i7", "getfield_gc_i", (name,), "<FieldS Other.depth 8>")
    early = looks_early((NEXT, forced("p1"), other), (NEXT, replace(other, args=("p0",)), forced("p1")))
    assert bool(early) is is_early


@pytest.mark.parametrize("is_forced", [True, False])
def test_a_bridge_looks_at_no_frame_that_the_loop_forces_which_it_jumps_to(is_forced: bool) -> None:
    body = (LABEL, forced("p1"), looked("p1"), ROUND)
    loop = Sides(Printed(("p0", "p1"), (*RECORDED[1:],)), Printed(("p0", "p1"), (*RECORDED[1:-1], *body)))
    first = (forced("p1"),) if is_forced else ()
    recorded, optimized = (Printed(("p0", "p1"), (*lines, ROUND)) for lines in (first, (*first, looked("p1"))))
    with nullcontext() if is_forced else pytest.raises(NotStraight, match="in front of the call that forces it"):
        check_frames(with_target(Sides(recorded, optimized), loop, 3), frozenset())


@pytest.mark.parametrize(
    ("inputs", "is_early"),
    [((), True), ((FRAME,), True), (("<FieldP Frame.other 8>",), False), (("<FieldS Other.depth 16>",), True)],
)
def test_fields_that_no_call_writes_are_in_memory_anyway(inputs: tuple[str, ...], is_early: bool) -> None:
    early = Printed(("p0", "p1"), (NEXT, looked("p1"), forced("p1"), ROUND))
    with pytest.raises(NotStraight) if is_early else nullcontext():
        check_frames(Sides(Printed(("p0", "p1"), RECORDED), early), frozenset(inputs))


def test_references_in_a_frame_are_never_taken_to_be_in_memory() -> None:
    recorded, early = (NEXT, forced("p1"), FOUND, ROUND), (NEXT, FOUND, forced("p1"), ROUND)
    sides = Sides(Printed(("p0", "p1"), recorded), Printed(("p0", "p1"), early))
    with pytest.raises(NotStraight):
        check_frames(sides, frozenset([FRAME]))
