"""Calls that copy items, where a trace says of which arrays."""

from __future__ import annotations

import re

import pytest

from optimizer.ir.dialects.pypy_log import read_traces
from optimizer.ir.dialects.pypy_pairs import LogPair, pair_sections
from optimizer.ir.immutable import replace
from validator import Proved, Unknown
from validator.pypy.judge import Judged, judge
from validator.pypy.printed.calls.copies import COPIED
from validator.pypy.printed.calls.item_by_item import item_by_item
from validator.pypy.printed.lines import Line, Printed
from validator.pypy.study import study

COPY = "call_n(ConstClass(ll_arraycopy), p0, p2, 1, 0, 2, descr=<Callv 0 rriii EF=2 OS=1>)"
RECORDED = f"""\
i9 = getarrayitem_gc_i(p0, 5, descr=<ArrayS 8>)
p2 = new_array(2, descr=<ArrayS 8>)
{COPY}
i3 = getarrayitem_gc_i(p2, 1, descr=<ArrayS 8>)
jump(p0, i3, descr=<Loop-1>)"""
OPTIMIZED = """\
label(p0, i1, descr=TargetToken(140))
i3 = getarrayitem_gc_i(p0, 2, descr=<ArrayS 8>)
jump(p0, i3, descr=TargetToken(140))"""


def judged(recorded: str = RECORDED, optimized: str = OPTIMIZED) -> Judged:
    inputs = "[p0, p1]" if "p1" in optimized else "[p0, i1]"
    log = f"""\
[1] {{jit-log-noopt
# Traced loop or bridge with {len(recorded.splitlines())} ops
{inputs}
{recorded}
[2] jit-log-noopt}}
[3] {{jit-log-opt-loop
# Loop 1 (f;a.py:4-9~#40 FOR_ITER) : loop with {len(optimized.splitlines())} ops
{inputs}
{optimized}
[4] jit-log-opt-loop}}
"""
    pair = next(iter(pair_sections(read_traces(log.splitlines()))))
    assert isinstance(pair, LogPair)
    return judge(pair, "a.log", study([pair], "a.log"))


def test_copied_items_are_those_of_the_source() -> None:
    one = judged()
    assert isinstance(one.verdict, Proved)
    assert one.texts is not None
    assert COPIED in one.texts.assumes
    assert COPIED not in getattr(judged("jump(p0, 5, descr=<Loop-1>)").texts, "assumes", ())


def test_arrays_of_references() -> None:
    def of_references(text: str) -> str:
        for word, other in (("ArrayS", "ArrayP"), ("gc_i", "gc_r"), ("new_array(", "new_array_clear(")):
            text = text.replace(word, other)
        return re.sub(r"\bi([0-9])", r"p\1", text)

    assert isinstance(judged(of_references(RECORDED), of_references(OPTIMIZED)).verdict, Proved)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("p0, p2, 0, 0, 2", "p0, p2, 1, 0, 2"),
        ("p0, p2, 1, 1, 1", "p0, p2, 1, 0, 2"),
        ("EF=2>", "EF=2 OS=1>"),
    ],
)
def test_other_items_and_other_calls(wrong: str, right: str) -> None:
    assert not isinstance(judged(RECORDED.replace(right, wrong)).verdict, Proved)


def test_another_item_of_the_source() -> None:
    """A log may not say what PyPy knew of an item that is loaded in order to be copied."""
    assert not isinstance(judged(optimized=OPTIMIZED.replace("p0, 2", "p0, 1")).verdict, Proved)


def test_a_call_on_arrays_that_nothing_tells_of_is_an_event() -> None:
    loads = "p7 = getfield_gc_r(p0, descr=<FieldP a 8>)\np8 = getfield_gc_r(p0, descr=<FieldP b 8>)"
    verdict = judged(RECORDED.replace(COPY, f"{COPY}\n{loads}\n{COPY.replace('p0, p2', 'p8, p7')}")).verdict
    assert isinstance(verdict, Unknown)
    assert verdict.reason.startswith("end: events differs")


MOVE = COPY.replace("arraycopy), p0, p2, 1, 0, 2", "arraymove), p0, 1, 2, 2").replace(
    "rriii EF=2 OS=1", "riii EF=2 OS=9"
)
MOVED = f"""\
i9 = getarrayitem_gc_i(p0, 5, descr=<ArrayS 8>)
{MOVE}
i3 = getarrayitem_gc_i(p0, {{}}, descr=<ArrayS 8>)
jump(p0, i3, descr=<Loop-1>)"""
READ_IN_FRONT = f"""\
label(p0, i1, descr=TargetToken(140))
i3 = getarrayitem_gc_i(p0, {{}}, descr=<ArrayS 8>)
{MOVE}
jump(p0, i3, descr=TargetToken(140))"""


@pytest.mark.parametrize(("item", "was"), [(2, 1), (3, 2), (1, 1), (4, 4)])
def test_items_that_are_moved_within_an_array(item: int, was: int) -> None:
    assert isinstance(judged(MOVED.format(item), READ_IN_FRONT.format(was)).verdict, Proved)


@pytest.mark.parametrize(("item", "was"), [(2, 2), (3, 3), (1, 2), (4, 3)])
def test_other_items_are_not_those_that_are_moved(item: int, was: int) -> None:
    assert not isinstance(judged(MOVED.format(item), READ_IN_FRONT.format(was)).verdict, Proved)


@pytest.mark.parametrize("function", ["ll_arraymove", "move"])
def test_a_field_is_stored_behind_a_move_alone(function: str) -> None:
    store = "setfield_gc(p1, i9, descr=<FieldS list.length 8>)"
    move = MOVE.replace("ll_arraymove", function)
    move = move if function == "ll_arraymove" else move.replace(" OS=9", "")
    told = "i9 = getarrayitem_gc_i(p0, 5, descr=<ArrayS 8>)"
    end = "jump(p0, p1, descr={})"
    recorded = "\n".join((told, store, move, end.format("<Loop-1>")))
    label = "label(p0, p1, descr=TargetToken(140))"
    optimized = "\n".join((label, told, move, store, end.format("TargetToken(140)")))
    assert isinstance(judged(recorded, optimized).verdict, Proved) == (function == "ll_arraymove")


@pytest.mark.parametrize("length", [0, 1])
def test_a_copy_of_no_items_is_nothing_whatever_the_arrays_are(length: int) -> None:
    """It is no event, nor does it make events of other copies."""
    more = COPY.replace("p0, p2, 1, 0, 2", f"ConstPtr(ptr7), ConstPtr(ptr8), 0, 0, {length}")
    assert isinstance(judged(RECORDED.replace(COPY, f"{more}\n{COPY}")).verdict, Proved) is (length == 0)


ARRAYS = Line("p2", "new_array", ("9",), "<ArrayP 8>"), Line("p3", "new_array", ("9",), "<ArrayP 8>")
COPIED_ITEMS, MOVED_ITEMS = (
    Line(None, "call_n", (f"ConstClass(ll_array{name})", *args), f"<Callv 0 {kind}>")
    for name, args, kind in (
        ("copy", ("p2", "p3", "4", "1", "2"), "rriii EF=2 OS=1"),
        ("move", ("p2", "0", "1", "2"), "riii EF=2 OS=9"),
    )
)


def spelt_out(*lines: Line, left: tuple[Line, ...] = ()) -> list[tuple[str, tuple[str, ...]]]:
    """What stands behind the arrays in the place of these lines, beside an optimized trace that has the others."""
    printed = Printed(("p0",), (*ARRAYS, *lines))
    return [(one.name, one.args) for one in item_by_item(printed, Printed(("p0",), left))][2:]


def test_a_copy_is_so_many_loads_and_stores() -> None:
    load, store = "getarrayitem_gc_r", "setarrayitem_gc"
    copied = [(load, ("p2", "4")), (load, ("p2", "5")), (store, ("p3", "1", "p4")), (store, ("p3", "2", "p5"))]
    assert spelt_out(COPIED_ITEMS) == copied
    moved = [(load, ("p2", "0")), (load, ("p2", "1")), (store, ("p2", "1", "p4")), (store, ("p2", "2", "p5"))]
    assert spelt_out(MOVED_ITEMS) == moved  # all are loaded before one is stored


@pytest.mark.parametrize(
    "args",
    [
        ("p2", "p3", "4", "1", "i9"),
        ("p2", "p3", "i9", "1", "2"),
        ("p2", "p3", "4", "-1", "2"),
        ("p2", "p3", "-1", "1", "2"),
        ("p2", "p3", "0", "0", "65"),
        ("p7", "p8", "4", "1", "2"),
    ],
)
def test_it_is_not_where_the_numbers_or_the_arrays_are_not_known(args: tuple[str, ...]) -> None:
    copy = replace(COPIED_ITEMS, args=(COPIED_ITEMS.args[0], *args))
    assert spelt_out(copy) == [(copy.name, copy.args)]


def test_it_is_not_where_types_differ_or_the_optimizer_has_left_such_a_call() -> None:
    other = Line("i6", "getarrayitem_gc_i", ("p8", "0"), "<ArrayS 8>")
    mixed = replace(COPIED_ITEMS, args=(COPIED_ITEMS.args[0], "p2", "p8", "4", "1", "2"))
    assert spelt_out(other, mixed)[1:] == [(mixed.name, mixed.args)]
    assert spelt_out(COPIED_ITEMS, left=(COPIED_ITEMS,)) == [(COPIED_ITEMS.name, COPIED_ITEMS.args)]
    fewer = replace(COPIED_ITEMS, args=(*COPIED_ITEMS.args[:-1], "1"))
    assert spelt_out(COPIED_ITEMS, left=(fewer,)) != [(COPIED_ITEMS.name, COPIED_ITEMS.args)]


CONSTANTS = """\
p2 = new_array_clear(2, descr=<ArrayP 8>)
setarrayitem_gc(p2, 0, ConstPtr(ptr1), descr=<ArrayP 8>)
setarrayitem_gc(p2, 1, p0, descr=<ArrayP 8>)
p3 = new_array_clear(2, descr=<ArrayP 8>)
call_n(ConstClass(ll_arraycopy), p2, p3, 0, 0, 2, descr=<Callv 0 rriii EF=2 OS=1>)
setfield_gc(p0, p3, descr=<FieldP Node.inst_items 8>)
jump(p0, i1, descr=<Loop-1>)"""


@pytest.mark.parametrize(("first", "second"), [("ConstPtr(ptr3)", "p0"), ("p0", "ConstPtr(ptr3)"), ("NULL", "p0")])
def test_a_constant_that_is_copied_is_the_one_that_the_optimizer_stores(first: str, second: str) -> None:
    optimized = f"""\
label(p0, i1, descr=TargetToken(140))
p3 = new_array_clear(2, descr=<ArrayP 8>)
setarrayitem_gc(p3, 0, {first}, descr=<ArrayP 8>)
setarrayitem_gc(p3, 1, {second}, descr=<ArrayP 8>)
setfield_gc(p0, p3, descr=<FieldP Node.inst_items 8>)
jump(p0, i1, descr=TargetToken(140))""".replace("NULL", "ConstPtr(null)")
    assert isinstance(judged(CONSTANTS, optimized).verdict, Proved) is (first == "ConstPtr(ptr3)")
