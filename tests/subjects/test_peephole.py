"""The peephole optimizer is right without a fault, and each fault can be seen."""

from __future__ import annotations

import pytest
from judging import judged, traces
from peephole import optimize
from peephole_faults import FAULTS
from planted import halves
from trace_text import Unsupported, parse

SHOWN = traces("peephole_faults.txt")


@pytest.mark.parametrize("fault", [fault.name for fault in FAULTS])
def test_each_fault_can_be_seen(fault: str) -> None:
    assert judged(optimize, SHOWN[fault]) == "proved"
    assert judged(optimize, SHOWN[fault], [fault]) == "refuted"


def test_the_halves_are_halves() -> None:
    assert sorted(halves(FAULTS).values()) == ["held-out"] * 11 + ["tuning"] * 11


BETTER = [
    ("i1 = int_mul(i0, 8)", "i1 = int_lshift(i0, 3)"),
    ("i1 = int_py_mod(i0, 8)", "i1 = int_and(i0, 7)"),
    ("i1 = uint_floordiv(i0, 8)", "i1 = uint_rshift(i0, 3)"),
    ("i1 = int_sub(i0, 3)", "i1 = int_add(i0, -3)"),
    ("i1 = int_and(i0, 7)\ni2 = int_floordiv(i1, 2)\nescape_n(i2)", "i2 = int_rshift(i1, 1)"),
    ("i1 = int_and(i0, 7)\ni2 = int_add_ovf(i1, 1)\nguard_no_overflow() []\nescape_n(i2)", "i2 = int_add(i1, 1)"),
    ("i1 = int_lt(i0, 5)\nguard_true(i1) []\ni2 = int_lt(i0, 6)\nescape_n(i2)", "escape_n(1)"),
    ("i1 = int_ge(i0, 5)\nguard_false(i1) []\ni2 = int_lt(i0, 5)\nescape_n(i2)", "escape_n(1)"),
]


@pytest.mark.parametrize(("before", "line"), BETTER)
def test_it_optimizes(before: str, line: str) -> None:
    trace = f"[i0]\n{before}\nfinish(i0, i1)\n"
    assert line in optimize(parse(trace), False).text().splitlines()
    assert judged(optimize, trace) == "proved"


def test_what_it_does_not_know_it_keeps_or_refuses() -> None:
    before = "[p0, i1]\nnew_thing(p0, i1, descr=<A 1>)\nguard_thing(p0) [i1, None]\nfinish(i1)\n"
    after = before.replace("guard_thing(p0)", "guard_thing(p0, origin=0)")
    assert optimize(parse(before), False).text() == after
    with pytest.raises(Unsupported, match="new_thing"):
        optimize(parse(before), True)
