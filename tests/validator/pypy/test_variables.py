"""The arrays of frames, which are those of nothing else."""

from __future__ import annotations

import pytest

from tests.pypy_logs import bridge, judged, judged_bridge, judged_last, judged_together, learned, loop, recorded
from validator import Proved, Unknown
from validator.pypy.printed.kinds.variables import OF_NOBODY_ELSE

FRAME = "<FieldP pypy.interpreter.pyframe.PyFrame.inst_locals_cells_stack_w 56>"
LIST, TUPLE = "<FieldP list.items 16>", "<FieldP W_TupleObject.inst_wrappeditems 8 pure>"
ARRAY = "<ArrayP 8>"
ARRAYS = (f"p1 = getfield_gc_r(p0, descr={FRAME})", f"p2 = getfield_gc_r(p0, descr={LIST})")
LOADS = tuple(f"p{at + 2} = getarrayitem_gc_r(p{at}, 3, descr={ARRAY})" for at in (1, 2))
STORES = tuple(f"setarrayitem_gc(p{at}, 3, ConstPtr(null), descr={ARRAY})" for at in (1, 2))
AGAIN = f"p5 = getarrayitem_gc_r(p1, 3, descr={ARRAY})"


def swapped(arrays: tuple[str, ...] = ARRAYS, *behind: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """A trace that loads an item of one array and stores to the other, and then in the other order."""
    ends = (*behind, "finish(p3)")
    return (*arrays, LOADS[0], STORES[1], *ends), (*arrays, STORES[1], LOADS[0], *ends)


def is_proved(before: tuple[str, ...], after: tuple[str, ...]) -> bool:
    return isinstance(judged_bridge(before, after).verdict, Proved)


def test_what_is_done_to_a_list_does_not_change_the_variables_of_a_frame() -> None:
    one = judged_bridge(*swapped())
    assert isinstance(one.verdict, Proved)
    assert one.texts is not None
    assert OF_NOBODY_ELSE in one.texts.assumes


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (ARRAYS[1], ARRAYS[1].replace("(p0", "(p8")),  # two lists
        (ARRAYS[0], ARRAYS[0].replace("(p0", "(p8")),  # two frames, which may be one
        (ARRAYS[1], f"p2 = getfield_gc_r(p0, descr={TUPLE})"),
    ],
)
def test_other_arrays_may_be_one(first: str, second: str) -> None:
    arrays = first.replace("p2 =", "p1 ="), second.replace("p1 =", "p2 =")
    other = "p8 = getfield_gc_r(p0, descr=<FieldP P.q 16>)"
    assert not is_proved(*swapped((other, *arrays)))


def test_another_name_of_an_array_tells_nothing_of_its_kind() -> None:
    assert not is_proved(*swapped((ARRAYS[0], "p2 = same_as_r(p1)")))
    assert not is_proved(*swapped((*ARRAYS[:1], ARRAYS[1].replace("p2", "p8"), "p2 = same_as_r(p8)")))


def test_the_optimized_trace_has_to_prove_of_which_kind_an_array_is() -> None:
    """What it stores by another name, and puts back, it has loaded in between."""
    arrays = (*ARRAYS, LOADS[1])
    other = (
        "p6 = same_as_r(p1)",
        f"p7 = getarrayitem_gc_r(p6, 3, descr={ARRAY})",
        f"setarrayitem_gc(p6, 3, ConstPtr(null), descr={ARRAY})",
        LOADS[0],
        f"setarrayitem_gc(p6, 3, p7, descr={ARRAY})",
    )
    assert is_proved((*arrays, LOADS[0], "finish(p3)"), (*arrays, LOADS[0], "finish(p3)"))
    one = judged_bridge((*arrays, LOADS[0], "finish(p3)"), (*arrays, *other, "finish(p3)"))
    assert isinstance(one.verdict, Unknown)
    assert "of which kind lists, tables of dicts or arrays are" in one.missing


def test_a_load_that_moves_over_a_store_to_the_same_array_is_not_proved() -> None:
    moved = (*ARRAYS, STORES[0], LOADS[0], STORES[1], "finish(p3)"), (*ARRAYS, LOADS[0], *STORES, "finish(p3)")
    assert not is_proved(*moved)


def test_the_optimized_trace_cannot_change_the_kind_of_an_array() -> None:
    """It stores to the list where the recorded trace stores to the variables, and the other way round."""
    before = (*ARRAYS, STORES[0], "finish()")
    assert is_proved(before, before)
    assert not is_proved(before, (*ARRAYS, STORES[1], "finish()"))
    assert not is_proved((*ARRAYS, STORES[1], "finish()"), before)


@pytest.mark.parametrize(
    "behind",
    [
        f"setfield_gc(p0, p1, descr={LIST})",
        f"setarrayitem_gc(p2, 0, p1, descr={ARRAY})",
    ],
)
def test_a_trace_that_puts_it_elsewhere_contradicts_that(behind: str) -> None:
    assert not is_proved(*swapped(ARRAYS, behind))
    right, wrong = (recorded("[p0]", *one[0]) + bridge("[p0]", *one[1]) for one in (swapped(), swapped(ARRAYS, behind)))
    assert not any(isinstance(one.verdict, Proved) for one in judged(right + wrong))
    assert not any(isinstance(one.verdict, Proved) for log in judged_together(right, wrong) for one in log)
    assert not any(isinstance(one.verdict, Proved) for one in judged(right, learned(wrong)))


@pytest.mark.parametrize(
    ("call", "is_apart"),
    [
        ("call_n(ConstClass(ll_arraycopy), p2, p2, 0, 4, 2, descr=<Callv 0 rriii EF=2 OS=1>)", True),
        ("call_n(ConstClass(ll_arraycopy), p1, p2, 0, 0, 4, descr=<Callv 0 rriii EF=2 OS=1>)", False),
        ("call_n(ConstClass(ll_reverse__listPtr), p0, descr=<Callv 0 r EF=5>)", True),
        ("call_n(ConstClass(ll_reverse__listPtr), p1, descr=<Callv 0 r EF=5>)", False),
    ],
)
def test_nothing_is_said_where_a_function_on_items_is_given_it(call: str, is_apart: bool) -> None:
    assert is_proved(*swapped(ARRAYS, call)) is is_apart


@pytest.mark.parametrize(
    "load", ["p6 = getarrayitem_gc_r(p9, 0, descr=<ArrayP 8>)", "i6 = arraylen_gc(p9, descr=<ArrayP 8>)"]
)
def test_an_array_that_is_an_input_may_be_that_of_a_frame(load: str) -> None:
    one, other = swapped(ARRAYS, load)
    (shown,) = judged(recorded("[p0, p9]", *one) + bridge("[p0, p9]", *other))
    assert not isinstance(shown.verdict, Proved)


@pytest.mark.parametrize(("field", "is_known"), [(LIST, True), (FRAME, True), (None, False)])
def test_the_parent_tells_of_which_kind_an_input_is(field: str | None, is_known: bool) -> None:
    start = "[p0, p9]" if field is None else "[p0]"
    way = () if field is None else (f"p9 = getfield_gc_r(p0, descr={field})",)
    load = "i1 = getfield_gc_i(p0, descr=<FieldS P.n 24>)"
    parent = recorded(start, *way, load, "guard_true(i1)", "finish(p9)") + loop(
        start, *way, load, "guard_true(i1, descr=<Guard0x7f10>) [p0, p9]", "finish(p9)"
    )
    one, other = swapped(
        ARRAYS, "p6 = getarrayitem_gc_r(p9, 0, descr=<ArrayP 8>)", "setfield_gc(p0, p6, descr=<FieldP P.q 8>)"
    )
    shown = judged_last(parent + recorded("[p0, p9]", *one) + bridge("[p0, p9]", *other))
    assert isinstance(shown.verdict, Proved) is is_known


@pytest.mark.parametrize(("field", "is_apart"), [(LIST, True), (FRAME, False)])
def test_an_input_that_is_that_of_a_frame_may_be_one_that_is_loaded(field: str, is_apart: bool) -> None:
    way = (f"p9 = getfield_gc_r(p0, descr={field})", "i1 = getfield_gc_i(p0, descr=<FieldS P.n 24>)")
    parent = recorded("[p0]", *way, "guard_true(i1)", "finish(p9)") + loop(
        "[p0]", *way, "guard_true(i1, descr=<Guard0x7f10>) [p0, p9]", "finish(p9)"
    )
    one, other = ([line.replace("(p2,", "(p9,") for line in lines] for lines in swapped(ARRAYS[:1]))
    shown = judged_last(parent + recorded("[p0, p9]", *one) + bridge("[p0, p9]", *other))
    assert isinstance(shown.verdict, Proved) is is_apart


def put_off(call: str, store: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """A trace that stores in front of a call, and one that does so behind it."""
    return (*ARRAYS, store, call, "finish()"), (*ARRAYS, call, store, "finish()")


@pytest.mark.parametrize(("effects", "is_right"), [(2, True), (5, True), (6, False), (7, False)])
def test_a_function_that_forces_no_frame_does_not_look_at_its_variables(effects: int, is_right: bool) -> None:
    one = judged_bridge(*put_off(f"call_n(ConstClass(work), descr={(descr := f'<Callv 0  EF={effects}>')})", STORES[0]))
    assert isinstance(one.verdict, Proved) is is_right
    assert one.texts is not None
    assert (f"call {descr}@work does not read <FrameP 8>" in one.texts.assumes) is is_right


def test_what_it_does_to_lists_nobody_knows() -> None:
    assert not is_proved(*put_off("call_n(ConstClass(work), descr=<Callv 0  EF=5>)", STORES[1]))


def test_the_array_of_a_frame_is_handed_to_no_function() -> None:
    assert not is_proved(*put_off("call_n(ConstClass(work), p1, descr=<Callv 0 r EF=5>)", STORES[0]))


@pytest.mark.parametrize(("number", "is_right"), [(1, True), (2, False)])
def test_so_what_is_in_a_variable_is_the_same_object_behind_it(number: int, is_right: bool) -> None:
    """PyPy's optimizer knows that object over the call: that tells of the function."""
    item, kept = (
        LOADS[number - 1].replace(f"p{number + 2} =", "p{} ="),
        "p{} = getfield_gc_r(p{}, descr=<FieldP P.inst_q 8>)",
    )
    first = (*ARRAYS, item.format(3), kept.format(4, 3), "call_n(ConstClass(work), descr=<Callv 0  EF=5>)")
    assert is_proved((*first, item.format(5), kept.format(6, 5), "finish(p6)"), (*first, "finish(p4)")) is is_right
