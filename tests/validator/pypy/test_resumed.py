"""Where guards of a body resume, and which functions are called: what is alike in a log and is not the same."""

from __future__ import annotations

import pytest

from optimizer.ir.text import parse
from tests.pypy_logs import bridge, judged, loop, recorded
from validator import Proved, Unknown
from validator.pypy.judge import OPTIONS
from validator.pypy.printed.kinds.lists import OF_ONE_KIND
from validator.pypy.resume_data import may_share, with_resume_data

VALUE, NEXT = "<FieldS Node.value 8>", "<FieldP List.inst_first 8>"
MADE = (
    "p{1} = new_with_vtable(descr=<SizeDescr 16>)",
    f"setfield_gc(p{{1}}, i{{0}}, descr={VALUE})",
)
STORED = f"setfield_gc(p9, p{{1}}, descr={NEXT})"


def is_proved(log: str) -> bool:
    (one,) = judged(log)
    return isinstance(one.verdict, Proved)


@pytest.mark.parametrize("is_late", [False, True])
def test_a_guard_of_a_body_hands_over_nothing_that_an_earlier_iteration_does_not_have(is_late: bool) -> None:
    """One that failed in the place of the last guard of the iteration before could not hand over the new number."""

    def iteration(added: str, number: int, guard: str, *, is_late: bool = False) -> list[str]:
        made, stored = (line.format(number, number + 10) for line in ("\n".join(MADE), STORED))
        asked = f"i{number + 20} = int_lt(i{number}, i1)"
        lines = [made, asked, guard, stored] if is_late else [made, stored, asked, guard]
        return [f"i{number} = int_add({added}, 1)", *"\n".join(lines).splitlines()]

    load = f"i2 = getfield_gc_i(p0, descr={VALUE})"
    preamble = [load, *iteration("i2", 3, "guard_true(i23, descr=<Guard0x1>) [p0, p9, i1]")]
    body = iteration("i3", 4, "guard_true(i24, descr=<Guard0x2>) [i4, p9, i1]", is_late=is_late)
    log = recorded("[p0, p9, i1]", load, *iteration("i2", 3, "guard_true(i23)"), "jump(p13, p9, i1, descr=<Loop-1>)")
    log += loop(
        "[p0, p9, i1]",
        *(f"+1: {line}" for line in ("label(p0, p9, i1, descr=TargetToken(1))", *preamble)),
        *(f"+1: {line}" for line in ("label(i3, p9, i1, descr=TargetToken(2))", *body)),
        "+1: jump(i4, p9, i1, descr=TargetToken(2))",
    )
    assert is_proved(log) is not is_late


@pytest.mark.parametrize(("other", "is_right"), [("<Calli 8 r EF=0>", True), ("<Calli 4 r EF=0>", False)])
def test_functions_of_one_name_and_different_types_are_two(other: str, is_right: bool) -> None:
    first, second = (f"call_i(ConstClass(hash), p0, descr={descr})" for descr in ("<Calli 8 r EF=0>", other))
    log = recorded("[p0]", f"i1 = {first}", f"i2 = {second}", "finish(i1, i2)")
    assert is_proved(log + bridge("[p0]", f"+1: i1 = {first}", "+2: finish(i1, i1)")) is is_right


def test_what_resume_data_does_is_left_open_where_a_loop_has_no_proofs() -> None:
    """The body reads what an iteration two in front of it has not written."""
    types = '+++\n[struct.Raw]\ncleared = false\nfields = { a = "int" }\n+++\n'
    once, again = (f"i{k} = getfield_gc_i(p{k}, descr=Raw.a)\np{k + 2} = new(descr=Raw)\n" for k in (0, 1))
    before = parse(f"{types}[p0, p1]\np2 = new(descr=Raw)\njump(p1, p2)\n")
    after = parse(f"{types}[p0, p1]\n{once}label(p1, p2, descr=Body)\n{again}jump(p2, p3, descr=Body)\n")
    assert with_resume_data(before, after, None, OPTIONS).is_open


def test_a_guard_does_not_resume_behind_a_call_in_front_of_which_it_stands() -> None:
    """Resume data can do the first store, but not the second one: the guard lists no object to store to. A later guard
    that asks the same, where nothing is left to store, is none that it could come from."""

    def stored(number: int, at: int) -> list[str]:
        made = "\n".join(MADE).format(8, number)
        return [*made.splitlines(), f"setfield_gc(p0, p{number}, descr=<FieldP Node.part {at}>)"]

    first, second, gone = stored(2, 16), stored(3, 24), "setfield_gc(p0, p9, descr=<FieldP Node.part 16>)"
    asks, call = "guard_class(p9, ConstClass(W_Item){})", "call_n(ConstClass(work), p0, descr=<Callv 0 r EF=2>)"
    nonnull = "guard_nonnull(p7{})"
    before = (*first, nonnull.format(""), gone, *second, asks.format(""), call, asks.format(""), "finish(p9)")
    for listed, is_right in (("p0, i8, p9", True), ("i8, p9", False)):
        guards = nonnull.format(", descr=<Guard1>") + " [p0, i8]", asks.format(", descr=<Guard2>") + f" [{listed}]"
        after = (guards[0], gone, guards[1], *second, call, "finish(p9)")
        inputs = "[p0, p7, i8, p9]"
        (one,) = judged(recorded(inputs, *before) + bridge(inputs, *(f"+1: {line}" for line in after)))
        assert isinstance(one.verdict, Proved) is is_right
        assert is_right or "not only by what resume data can do" in str(one.verdict)


KEPT = f"setfield_gc(p0, ConstPtr(null), descr={NEXT})"


@pytest.mark.parametrize(
    ("begins", "is_stored"),
    [
        ((*MADE, STORED), True),
        (("debug_merge_point(0, 0, 'f;a.py:4-9~#40 LOAD_FAST')", *MADE, STORED), False),
        (MADE, False),
        ((MADE[0], STORED), False),
        ((*MADE, STORED.replace(NEXT, "<FieldP List.inst_last 16>")), False),
        ((), False),
    ],
)
def test_a_bridge_shows_what_resume_data_stores_where_it_starts(begins: tuple[str, ...], *, is_stored: bool) -> None:
    made = tuple(line.format(1, 5).replace("p9", "p0") for line in (*MADE, STORED))
    asks = ("i3 = int_lt(i1, 9)", "guard_true(i3{}", "i4 = int_add(i1, 1)", KEPT, "jump(p0, i4, descr={})")
    parent = recorded("[p0, i1]", *made, *(line.format(")" if "guard" in line else "<Loop-1>") for line in asks))
    handed = ", descr=<Guard0x7f10>) [p0, i1]"
    label = "label(p0, i1, descr=TargetToken(140))"
    after = (line.format(handed if "guard" in line else "TargetToken(140)") for line in asks)
    parent += loop("[p0, i1]", *(f"+1: {line}" for line in (label, *after)))
    first = tuple(line.format(1, 5).replace("p9", "p0") for line in begins)
    child = recorded("[p0, i1]", *first, "finish(i1)")
    child += bridge("[p0, i1]", *(f"+1: {line}" if "point" not in line else line for line in (*first, "finish(i1)")))
    one, other = judged(parent + child)
    assert isinstance(one.verdict, Proved if is_stored else Unknown)
    assert isinstance(other.verdict, Proved)
    assert isinstance(judged(parent)[0].verdict, Proved)


@pytest.mark.parametrize(("in_front", "is_shared"), [("p0, i1", True), ("p0", False)])
@pytest.mark.parametrize("between", [(), ("i4 = int_gt(i1, -9)", "guard_true(i4{}")])
def test_a_guard_shares_the_resume_data_of_those_in_front_if_it_can(
    between: tuple[str, ...], in_front: str, *, is_shared: bool
) -> None:
    """The bridge shows it: it begins without the store that the recorded trace does between the two."""
    asks, again = ("i2 = int_lt(i1, 20)", "guard_true(i2{}"), ("i3 = int_lt(i1, 9)", "guard_true(i3{}")
    made = tuple(line.format(1, 5).replace("p9", "p0") for line in (*MADE, STORED))
    parent = recorded("[p0, i1]", *asks, *made, *between, *again, KEPT, "jump(p0, i1, descr=<Loop-1>)")
    lists = f", descr=<Guard0x7f08>) [{in_front}]", ", descr=<Guard0x7f10>) [p0, i1]"
    other = lists[1].replace("f10", "f09")
    after = asks[0], asks[1].format(lists[0]), *(line.format(other) for line in between)
    after = *after, again[0], again[1].format(lists[1]), KEPT
    ends = "label(p0, i1, descr=TargetToken(140))", "jump(p0, i1, descr=TargetToken(140))"
    parent = parent.replace("{}", ")")
    parent += loop("[p0, i1]", *(f"+1: {line}" for line in (ends[0], *after, ends[1])))
    child = recorded("[p0, i1]", "finish(i1)") + bridge("[p0, i1]", "+1: finish(i1)")
    one, _ = judged(parent + child)
    assert isinstance(one.verdict, Proved) is is_shared


def test_a_list_that_is_virtual_is_made_where_a_bridge_starts() -> None:
    """Of which kind it is the recorded trace alone tells."""
    made = (
        "p5 = new(descr=<SizeDescr 24>)",
        "setfield_gc(p5, 1, descr=<FieldS list.length 8>)",
        "p6 = new_array_clear(1, descr=<ArrayP 8>)",
        "setfield_gc(p5, p6, descr=<FieldP list.items 16>)",
        "setarrayitem_gc(p6, 0, p0, descr=<ArrayP 8>)",
        "setfield_gc(p0, p5, descr=<FieldP P.inst_list 24>)",
    )
    asks, gone = ("i3 = int_lt(i1, 9)", "guard_true(i3{}"), "setfield_gc(p0, p2, descr=<FieldP P.inst_list 24>)"
    before = (*made, asks[0], asks[1].format(")"), gone, "finish(i1)")
    after = asks[0], asks[1].format(", descr=<Guard0x7f10>) [p0, i1]"), gone, "finish(i1)"
    parent = recorded("[p0, i1, p2]", *before) + bridge("[p0, i1, p2]", *(f"+1: {one}" for one in after))
    child = bridge("[p0, i1]", *(f"+1: {one}" for one in (*made, "finish(i1)")))
    log = parent.replace("Guard 0x7f10", "Guard 0x7f99") + recorded("[p0, i1]", *made, "finish(i1)") + child
    assert all(isinstance(one.verdict, Proved) for one in judged(log))


@pytest.mark.parametrize("is_stored", [True, False])
def test_what_is_stored_to_a_list_of_one_kind_is_so_where_a_bridge_starts(*, is_stored: bool) -> None:
    """There, the trace of the bridge alone does not tell of which kind the list is."""
    items = "descr=<FieldP list.items 16>"
    stored = "p5 = new_array_clear(2, descr=<ArrayP 8>)", f"setfield_gc(p0, p5, {items})"
    asks = ("i3 = int_lt(i1, 9)", "guard_true(i3{}", f"setfield_gc(p0, p6, {items})", "jump(p0, i1, p6, descr={})")
    load = "p7 = getarrayitem_gc_r(p6, i1, descr=<ArrayP 8>)"
    before = (*stored, asks[0], asks[1].format(")"), load, asks[2], asks[3].format("<Loop-1>"))
    after = asks[0], asks[1].format(", descr=<Guard0x7f10>) [p0, i1, p6]"), load, asks[2], asks[3]
    peeled = ("label(p0, i1, p6, descr=TargetToken(140))", *after[:-1], after[-1].format("TargetToken(140)"))
    parent = recorded("[p0, i1, p6]", *before) + loop("[p0, i1, p6]", *(f"+1: {line}" for line in peeled))
    ends = (*(stored if is_stored else ()), "finish(i1)")
    child = recorded("[p0, i1, p6]", *ends) + bridge("[p0, i1, p6]", *(f"+1: {line}" for line in ends))
    one, _ = judged(parent + child)
    assert isinstance(one.verdict, Proved) is is_stored, one.verdict
    assert one.texts is not None
    assert OF_ONE_KIND in one.texts.assumes


@pytest.mark.parametrize(("called", "is_shared"), [("kind_of_memory", True), ("any_function_that_is_pure", False)])
def test_what_is_asked_of_a_kind_is_no_call_of_the_log(called: str, *, is_shared: bool) -> None:
    between = f"i2 = call_i(ConstClass({called}), p0, descr=<Calli 8 r EF=0>)\nrecord_exact_value_i(i2, 0)"
    trace = parse(f"[p0, i1]\nguard_nonnull(p0) [p0]\n{between}\nguard_true(i1) [p0]\nfinish(i1)")
    assert may_share(trace, 1) == is_shared
