"""The contents of memories at a place of a trace."""

from __future__ import annotations

import pytest

from validator.pypy.inferred.held import Key, Memory, Node
from validator.pypy.inferred.sameness import Sameness
from validator.pypy.printed.lines import Access, Line, Printed
from validator.pypy.printed.rows import alone
from validator.pypy.printed.straight import BEFORE

FIRST, SECOND, VARIES = ("", "0"), ("", "1"), ("before", "i9")


def memory() -> Memory:
    """A memory of two arrays, of each of which two items are known, and one at an index that varies."""
    found = Memory()
    for name in ("p1", "p2"):
        for index in (FIRST, SECOND, VARIES):
            found.put((("before", name), index), Access(False, "<ArrayP 8>", (name, index[1]), f"p3{index[1]}"))
    return found


@pytest.mark.parametrize(("number", "left"), [((FIRST,), {SECOND}), ((), set())])
def test_items_of_other_numbers_are_not_forgotten(number: Key, left: set[Node]) -> None:
    found = memory()
    found.forget(number, lambda _, names: [name for name in names if name == "p1"])
    kept = {(base[1], index) for base, index in found.accesses}
    assert kept == {("p1", index) for index in left} | {("p2", index) for index in (FIRST, SECOND, VARIES)}


ITEM = "<ArrayP 8>"
COPY = Line(None, "call_n", ("ConstClass(ll_arraycopy)", "p9", "p2", "0", "0", "2"), "<Callv 0 rriii EF=2 OS=1>")


def put(index: str, value: str) -> Line:
    return Line(None, "setarrayitem_gc", ("p2", index, value), ITEM)


@pytest.mark.parametrize(
    ("between", "index", "is_left"),
    [
        (put("1", "p9"), "0", True),
        (put("0", "p9"), "0", False),
        (put("i4", "p9"), "0", False),
        (put("i5", "p9"), "i4", False),
        (put("0", "p9"), "i4", False),
        (COPY, "0", False),
        (COPY, "i4", False),
    ],
)
def test_a_new_array_that_nothing_else_reaches_holds_what_was_stored_last(
    between: Line, index: str, *, is_left: bool
) -> None:
    new = Line("p2", "new_array_clear", ("2",), ITEM)
    load = Line("p3", "getarrayitem_gc_r", ("p2", index), ITEM)
    trace = Printed(("p8", "p9", "i4", "i5"), (new, put(index, "p8"), between, load))
    sameness = Sameness(alone(trace))
    assert (sameness.of(BEFORE, "p3") == sameness.of(BEFORE, "p8")) is is_left
