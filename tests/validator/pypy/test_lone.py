"""Constants that alone have a field: PyPy's optimizer loads it once, where the recorded trace names the object anew."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.pypy_logs import CALL, bridge, judged, judged_last, loop, recorded
from validator import Proved, Unknown
from validator.pypy.judge import Judged

HOOKS = "<FieldP Holder.inst_hooks 8>"
ASSUMED = f"constants that have {HOOKS} are one object"
WORK = f"call_n(ConstClass(work), p0, descr={CALL})"


def asked(*, between: str = "", is_gone: bool = True, is_bridge: bool = False, field: str = HOOKS) -> str:
    """A pair that looks twice whether the field of a constant is NULL."""
    first, second = (
        (f"p{at} = getfield_gc_r(ConstPtr(ptr{at}), descr={field})", f"guard_isnull(p{at})") for at in (2, 3)
    )
    middle = (between,) if between else ()
    kept = (*first, *middle, *(() if is_gone else second), "finish(p0)")
    lines = (f"{line[:-1]}, descr=<Guard0x1{at}>) [p0]" if "guard" in line else line for at, line in enumerate(kept))
    optimized = (bridge if is_bridge else loop)("[p0, p1]", *(f"+1: {line}" for line in lines))
    return recorded("[p0, p1]", *first, *middle, *second, "finish(p0)") + optimized


def is_proved(one: Judged) -> bool:
    return isinstance(one.verdict, Proved)


def test_two_pairs_say_that_one_object_has_the_field() -> None:
    first, second = judged(asked() * 2)
    assert is_proved(first)
    assert is_proved(second)
    assert first.texts is not None
    assert ASSUMED in first.texts.assumes


def test_a_pair_that_names_the_object_once_rests_on_nothing() -> None:
    once = (f"p2 = getfield_gc_r(ConstPtr(ptr2), descr={HOOKS})", "guard_isnull(p2)", "finish(p0)")
    guarded = (once[0], "guard_isnull(p2, descr=<Guard0x12>) [p0]", once[2])
    one = judged_last(
        asked() * 2 + recorded("[p0, p1]", *once) + loop("[p0, p1]", *(f"+1: {line}" for line in guarded))
    )
    assert is_proved(one)
    assert one.texts is not None
    assert ASSUMED not in one.texts.assumes


def test_a_call_that_pypy_knows_not_to_write_the_field_may_stand_between() -> None:
    first, *_ = judged(asked(between=WORK) * 2)
    assert is_proved(first)
    assert first.texts is not None
    assert any("does not write" in what for what in first.texts.assumes)


def test_one_pair_would_say_of_itself_that_its_constants_are_one() -> None:
    (one,) = judged(asked())
    assert not is_proved(one)


def test_bridges_say_nothing_since_their_parents_may_have_known_the_second_object() -> None:
    first, second = judged(asked(is_bridge=True) * 2)
    assert not is_proved(first)
    assert not is_proved(second)


LOADS = [f"p{at} = getfield_gc_r(ConstPtr(ptr{at}), descr={HOOKS})" for at in (2, 3, 4)]
CALLED = (WORK, "guard_no_exception()", LOADS[2])
TWICE = LOADS[0].replace("p2 =", "p5 =")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((*LOADS[:2], "finish(p2)"), (LOADS[0], "finish(p2)")),
        ((*LOADS[:2], "finish(p3)"), (LOADS[1], "finish(p3)")),
        ((*LOADS[:2], "i4 = ptr_eq(p3, p0)", "finish(p2)"), (LOADS[0], "finish(p2)")),
        ((LOADS[0], TWICE, *CALLED, "finish(p2, p5, p4)"), (LOADS[0], *CALLED, "finish(p2, p2, p4)")),
        (
            (f"setfield_gc(ConstPtr(ptr2), p0, descr={HOOKS})", TWICE, *CALLED, "finish(p5, p4)"),
            (f"setfield_gc(ConstPtr(ptr2), p0, descr={HOOKS})", *CALLED, "finish(p0, p4)"),
        ),
    ],
)
def test_loads_that_are_gone_for_another_reason_say_nothing(before: Sequence[str], after: Sequence[str]) -> None:
    def pair(one: Sequence[str], other: Sequence[str]) -> str:
        guarded = (line.replace("exception()", "exception(descr=<Guard0x19>) []") for line in other)
        return recorded("[p0, p1]", *one) + loop("[p0, p1]", *(f"+1: {line}" for line in guarded))

    wrong = judged_last(pair(before, after) * 2 + pair((*LOADS[:2], "finish(p2, p3)"), (LOADS[0], "finish(p2, p2)")))
    assert not is_proved(wrong)


def test_which_constants_correspond_is_open_where_fewer_are_loaded() -> None:
    (one,) = judged(
        recorded("[p0, p1]", *LOADS[:2], *CALLED, "guard_isnull(p4)", "finish(p2, p3)")
        + loop(
            *("[p0, p1]", LOADS[0], WORK, "guard_no_exception(descr=<Guard0x19>) []", LOADS[2]),
            *("guard_isnull(p4, descr=<Guard0x14>) [p0]", "finish(p2, p2)"),
        )
    )
    assert isinstance(one.verdict, Unknown)


def test_two_loads_in_a_row_show_two_objects() -> None:
    first, second, kept = judged(asked() * 2 + asked(is_gone=False))
    assert not is_proved(first)
    assert not is_proved(second)
    assert is_proved(kept)


def test_loads_on_both_sides_of_a_call_do_not_show_two_objects() -> None:
    first, *_ = judged(asked() * 2 + asked(between=WORK, is_gone=False))
    assert is_proved(first)


def test_what_may_have_been_stored_between_has_to_be_loaded_again() -> None:
    store = f"setfield_gc(p1, p0, descr={HOOKS})"
    wrong = judged_last(asked() * 2 + asked(between=store))
    assert not is_proved(wrong)


def test_other_fields_are_other_evidence() -> None:
    wrong = judged_last(asked() * 2 + asked(field="<FieldP Holder.inst_other 16>"))
    assert not is_proved(wrong)


def test_a_new_object_is_another_one_that_has_the_field() -> None:
    made = ("p2 = new_with_vtable(descr=<SizeDescr 16>)", f"setfield_gc(p2, p1, descr={HOOKS})", "finish(p2)")
    new = recorded("[p0, p1]", *made) + loop("[p0, p1]", *(f"+1: {line}" for line in made))
    first, second, kept = judged(asked() * 2 + new)
    assert not is_proved(first)
    assert not is_proved(second)
    assert is_proved(kept)


def peeled(added: int) -> str:
    """A loop that finds the field of a constant to be NULL, and fills that of another; its body adds what it is told
    to."""
    load, test = f"p{{}} = getfield_gc_r(ConstPtr(ptr{{}}), descr={HOOKS})", "guard_isnull(p{})"
    store = f"setfield_gc(ConstPtr(ptr9), p0, descr={HOOKS})"
    before = recorded(
        *("[p0, i1]", load.format(2, 2), test.format(2), store, "guard_nonnull(p0)", "i3 = int_add(i1, 1)"),
        "jump(p0, i3, descr=<Loop-1>)",
    )
    preamble = (load.format(2, 3), "guard_isnull(p2, descr=<Guard0x1>) [p0, i1]", store)
    body = (load.format(4, 4), "guard_isnull(p4, descr=<Guard0x3>) [p0, i3]", store, f"i5 = int_add(i3, {added})")
    return before + loop(
        *("[p0, i1]", "label(p0, i1, descr=TargetToken(140))", *preamble),
        *("guard_nonnull(p0, descr=<Guard0x2>) [p0, i1]", "i3 = int_add(i1, 1)"),
        *("label(p0, i3, descr=TargetToken(141))", *body, "jump(p0, i5, descr=TargetToken(141))"),
    )


def test_a_body_is_not_right_because_what_is_assumed_would_not_let_it_run() -> None:
    wrong = judged_last(asked() * 2 + peeled(2))
    assert not is_proved(wrong)


def test_a_load_from_another_constant_rests_on_that_being_the_same_object() -> None:
    """The optimized trace loads from the constant that is stored to the second object, not from that of the first."""
    link, load = "descr=<FieldP Cell.link 8>", f"p2 = getfield_gc_r(ConstPtr(ptr{{}}), descr={HOOKS})"
    stores = (f"setfield_gc(p0, ConstPtr(ptr3), {link})", f"setfield_gc(p1, ConstPtr(ptr4), {link})", "finish(p2)")
    kept = (f"+1: {line}" for line in (load.format(4), *stores))
    other = judged_last(asked() * 2 + recorded("[p0, p1]", load.format(3), *stores) + loop("[p0, p1]", *kept))
    assert not is_proved(other) or (other.texts is not None and ASSUMED in other.texts.assumes)
