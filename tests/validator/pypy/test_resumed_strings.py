"""Ranges of strings that PyPy makes behind the guard in front of which they are asked for: resume data makes them."""

from __future__ import annotations

import pytest

from tests.pypy_logs import bridge, judged, recorded
from validator import Proved

TEXT, HELD = "<FieldP Text.inst_utf8 8>", "<FieldP Box.inst_held 8>"
SLICE = "p4 = call_{}r(ConstClass(ll_slice), p1, {}, {}, descr=<Callr 8 rii EF=3 OS=23>)"
MADE = ("p5 = new_with_vtable(descr=<SizeDescr 16>)", f"setfield_gc(p5, p4, descr={TEXT})")
ASKED, STORED = "i6 = int_lt(i2, 7)", f"setfield_gc(p0, p5, descr={HELD})"


def is_proved(start: str = "i2", *, length: str = "i7", handed: str = "p0, p1, i2, i7") -> bool:
    """Is it, where the string is made behind the guard, of this range, and the guard hands this over?"""
    before = [SLICE.format("pure_", "i2", "i3"), *MADE, STORED, ASKED, "guard_true(i6)", "finish(p0)"]
    ahead = ["i7 = int_sub(i3, i2)", ASKED, f"guard_true(i6, descr=<Guard0x1>) [{handed}]"]
    behind = [f"p4 = newstr({length})", f"copystrcontent(p1, p4, {start}, 0, {length})", *MADE, STORED, "finish(p0)"]
    inputs = "[p0, p1, i2, i3]"
    (one,) = judged(recorded(inputs, *before) + bridge(inputs, *(f"+1: {line}" for line in (*ahead, *behind))))
    return isinstance(one.verdict, Proved)


def test_resume_data_makes_a_range_of_a_string() -> None:
    assert is_proved()


@pytest.mark.parametrize("handed", ["p0, p1, i7", "p0, p1, i2", "p0, i2, i7"])
def test_it_makes_it_of_what_the_guard_hands_over(handed: str) -> None:
    assert not is_proved(handed=handed)


def test_another_range_is_another_string() -> None:
    assert not is_proved(start="0")
    assert not is_proved(length="i3")
