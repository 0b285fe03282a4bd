"""What the optimizer makes of calls that copy items of arrays."""

from __future__ import annotations

import pytest
from cases import assert_proved_to_become
from declared_calls import array_copies, event

DECLARATIONS = (
    '+++\n[array.Ints]\nitem = "int"\n[array.Others]\nitem = "int"\n[array.Refs]\nitem = "ref"\n'
    f"{array_copies()}{event('copy_refs', reads='Refs', writes='Refs', oopspec='arraycopy')}+++\n"
)
GET = "i{} = getarrayitem_gc_i({}, {}, descr=Ints)"
SET = "setarrayitem_gc(p0, {}, i2, descr=Ints)"
COPY = "call_n(1, p0, p1, {}, {}, {}, descr=copy)"
MOVE = "call_n(1, p0, {}, {}, {}, descr=move)"

CASES = {
    "nothing is copied": ([COPY.format(0, 1, 0), "finish()"], ["finish()"]),
    "nothing is moved": ([MOVE.format("i2", 1, 0), "finish()"], ["finish()"]),
    "an item that is known": (
        [SET.format(1), COPY.format(0, 2, 3), GET.format(3, "p1", 3), "finish(i3)"],
        [SET.format(1), COPY.format(0, 2, 3), "finish(i2)"],
    ),
    "an item that is moved": (
        [SET.format(1), MOVE.format(1, 0, 1), GET.format(3, "p0", 0), "finish(i3)"],
        [SET.format(1), MOVE.format(1, 0, 1), "finish(i2)"],
    ),
    "an item that is overwritten": (
        [GET.format(3, "p1", 0), COPY.format(0, 0, 1), GET.format(4, "p1", 0), "finish(i3, i4)"],
    )
    * 2,
    "how many is not known": ([SET.format(0), COPY.format(0, 0, "i2"), GET.format(4, "p1", 0), "finish(i4)"],) * 2,
    "to a new array": (
        [
            SET.format(1),
            "p3 = new_array(2, descr=Ints)",
            "setarrayitem_gc(p3, 1, 5, descr=Ints)",
            "call_n(1, p0, p3, 1, 0, 1, descr=copy)",
            GET.format(4, "p3", 0),
            GET.format(5, "p3", 1),
            "finish(i4, i5)",
        ],
        [SET.format(1), "finish(i2, 5)"],
    ),
    "to a new array, of what is not known": (
        ["p3 = new_array(1, descr=Ints)", "call_n(1, p0, p3, 1, 0, 1, descr=copy)", "finish(p3)"],
    )
    * 2,
    "to a new array, of references": (
        [
            "p3 = new_array(2, descr=Refs)",
            "call_n(1, p0, p3, 1, 0, 2, descr=copy_refs)",
            "p4 = getarrayitem_gc_r(p3, 1, descr=Refs)",
            "finish(p4)",
        ],
        ["p5 = getarrayitem_gc_r(p0, 2, descr=Refs)", "finish(p5)"],
    ),
    "from a new array": (
        [
            "p3 = new_array(2, descr=Ints)",
            "setarrayitem_gc(p3, 0, i2, descr=Ints)",
            "setarrayitem_gc(p3, 1, 7, descr=Ints)",
            "call_n(1, p3, p1, 0, 3, 2, descr=copy)",
            "finish()",
        ],
        ["setarrayitem_gc(p1, 3, i2, descr=Ints)", "setarrayitem_gc(p1, 4, 7, descr=Ints)", "finish()"],
    ),
    "from a new array, of what has not been written": (
        [
            "p3 = new_array(2, descr=Ints)",
            "setarrayitem_gc(p3, 0, i2, descr=Ints)",
            "call_n(1, p3, p1, 0, 3, 2, descr=copy)",
            "finish()",
        ],
    )
    * 2,
    "within a new array": (
        [
            "p3 = new_array(2, descr=Ints)",
            "setarrayitem_gc(p3, 0, i2, descr=Ints)",
            "setarrayitem_gc(p3, 1, 7, descr=Ints)",
            "call_n(1, p3, 1, 0, 1, descr=move)",
            GET.format(4, "p3", 0),
            "finish(i4)",
        ],
        ["finish(7)"],
    ),
    "other arrays": (
        [
            "setarrayitem_gc(p0, 0, i2, descr=Others)",
            "call_n(1, p1, p1, 0, 0, i2, descr=copy)",
            "i4 = getarrayitem_gc_i(p0, 0, descr=Others)",
            "finish(i4)",
        ],
        [
            "call_n(1, p1, p1, 0, 0, i2, descr=copy)",
            "setarrayitem_gc(p0, 0, i2, descr=Others)",
            "finish(i2)",
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_copies_of_arrays(name: str) -> None:
    before, after = ("\n".join(["[p0, p1, i2]", *lines, ""]) for lines in CASES[name])
    assert_proved_to_become(before, after, DECLARATIONS)
