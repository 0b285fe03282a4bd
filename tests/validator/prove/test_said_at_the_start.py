"""Facts at the start of a recorded trace, which hold of the optimized one, too."""

import pytest
from pairs import proved, refuted

START = "[p0, p1, i9]\np2 = getfield_gc_r(p0, descr=A.cell)\n"
FACT = "i3 = ptr_eq(p2, p1)\nrecord_exact_value_i(i3, 1)\n"
CALL = "call_n(ConstClass(f), p0)\n"
LOADS = """p4 = getfield_gc_r({}, descr=B.next)
guard_nonnull(p4) []
p5 = getfield_gc_r(p4, descr=B.next)
guard_nonnull(p5) []
finish(p5)"""


def test_an_object_has_two_names() -> None:
    before, after = START + FACT + CALL + LOADS.format("p1"), START + CALL + LOADS.format("p2")
    evidence = proved(before, after).evidence
    assert (evidence.origins, evidence.early) == ((0, 1), ())


@pytest.mark.parametrize("ahead", ["guard_true(i9) [i6]\n", "call_n(ConstClass(f), i6)\n"])
def test_not_where_something_stands_ahead_of_the_fact(ahead: str) -> None:
    loads = "i5 = getfield_gc_i(p2, descr=B.value)\ni6 = getfield_gc_i({}, descr=B.value)\n" + ahead
    refuted(START + loads.format("p1") + FACT + "finish()", START + loads.format("p2") + "finish()")
