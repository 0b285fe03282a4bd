"""Constants to which both traces of a pair store objects of their own: they are the same if these are made alike."""

from __future__ import annotations

import pytest

from tests.pypy_logs import BOX, COUNT, judged_bridge
from validator import Proved

CELL = "<FieldP Cell.inst_w_value 8>"
LOAD = f"i1 = getfield_gc_i(p0, descr={COUNT})"


def kept(cell: str, box: str, *, value: str = "i1", size: int = 16, field: str = CELL) -> tuple[str, ...]:
    """A new object with a number, in a cell that is a constant."""
    return (
        f"{box} = new_with_vtable(descr=<SizeDescr {size}>)",
        f"setfield_gc({box}, {value}, descr={BOX})",
        f"setfield_gc(ConstPtr({cell}), {box}, descr={field})",
    )


def is_proved(before: tuple[str, ...], after: tuple[str, ...]) -> bool:
    return isinstance(judged_bridge((LOAD, *before), (LOAD, *after)).verdict, Proved)


def test_a_constant_that_holds_a_new_object_is_that_of_the_other_trace() -> None:
    assert is_proved(kept("ptr3", "p2"), kept("ptr9", "p5"))


@pytest.mark.parametrize(
    "after",
    [
        kept("ptr9", "p5", value="7"),
        kept("ptr9", "p5", size=24),
        kept("ptr9", "p5", field="<FieldP Cell.inst_w_other 16>"),
        kept("ptr9", "p5")[:2],
    ],
    ids=["another number", "another class", "another field", "not stored"],
)
def test_another_object_in_it_differs(after: tuple[str, ...]) -> None:
    assert not is_proved(kept("ptr3", "p2"), after)


def test_the_object_that_is_loaded_from_it_is_known() -> None:
    again, end = f"p7 = getfield_gc_r(ConstPtr(ptr3), descr={CELL})", "finish({})"
    two = (*kept("ptr4", "p6", value="5"), *kept("ptr3", "p2"))
    same = (*kept("ptr8", "p6", value="5"), *kept("ptr9", "p2"))
    assert is_proved((*two, again, end.format("p7")), (*same, end.format("p2")))
    assert not is_proved((*two, again, end.format("p7")), (*same, end.format("p6")))


def held(constant: str, *later: str) -> tuple[str, ...]:
    """A new object that holds a constant and then the result of a call that is given it, and what is stored `later`."""
    return (
        "p2 = new_with_vtable(descr=<SizeDescr 24>)",
        f"setfield_gc(p2, ConstPtr({constant}), descr={CELL})",
        "p3 = call_r(ConstClass(work), p2, descr=<Callr 8 r EF=5>)",
        "guard_no_exception()",
        f"setfield_gc(p2, p3, descr={CELL})",
        *later,
    )


def test_an_object_that_both_traces_give_to_a_call_is_the_same_whatever_it_holds_later() -> None:
    store = "setfield_gc({}, i1, descr=<FieldS Cell.inst_number 16>)"
    recorded = held("ptr3", "p4 = same_as_r(p2)", store.format("p4"))
    assert is_proved(recorded, held("ptr9", store.format("p2")))
    assert not is_proved(recorded, held("ptr9"))
