"""The contents of memories at a place of a trace."""

from __future__ import annotations

import pytest

from validator.pypy.inferred.held import Key, Memory, Node
from validator.pypy.printed.lines import Access

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
    found.forget(number, lambda name: name == "p1")
    kept = {(base[1], index) for base, index in found.accesses}
    assert kept == {("p1", index) for index in left} | {("p2", index) for index in (FIRST, SECOND, VARIES)}
