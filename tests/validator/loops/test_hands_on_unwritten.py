"""Loops of which it is declared that no iteration reads what an earlier one has not written."""

from __future__ import annotations

import pytest

from tests.validator.pairs import judge
from validator import Proved
from validator.loops.written import UNREAD
from validator.verdict import Verdict

DECLARED = """+++
hands_on_unwritten = false
[struct.Raw]
cleared = false
fields = { a = "int", b = "int" }
+++
"""
FIRST = """i1 = getfield_gc_i(p0, descr=Raw.a)
i2 = int_add(i0, i1)
i3 = int_lt(i2, 1000)
guard_true(i3, origin=0) [p0, i2]
i4 = getfield_gc_i(p0, descr=Raw.b)
p2 = new(descr=Raw)
setfield_gc(p2, i1, descr=Raw.a)
"""
AGAIN = """i11 = getfield_gc_i(p1, descr=Raw.a)
i12 = int_add(i2, i11)
i13 = int_lt(i12, 1000)
guard_true(i13, origin=0) [p1, i12]
i14 = getfield_gc_i(p1, descr=Raw.b)
p12 = new(descr=Raw)
setfield_gc(p12, i11, descr=Raw.a)
"""
BEFORE = FIRST.replace("i4 = getfield_gc_i(p0, descr=Raw.b)\n", "").replace(", origin=0", "")
"""It goes round with two objects, the second one new; the optimized one reads what is not written of the first."""


def verdict(again: str = AGAIN, declared: str = DECLARED, first: str = FIRST, end: str = "p2, p12, i12") -> Verdict:
    before = f"{declared}[p0, p1, i0]\n{BEFORE}jump(p1, p2, i2)\n"
    after = f"{declared}[p0, p1, i0]\n{first}label(p1, p2, i2, descr=Body)\n{again}jump({end}, descr=Body)\n"
    return judge(before, after)


def proved(again: str = AGAIN, declared: str = DECLARED, first: str = FIRST, end: str = "p2, p12, i12") -> bool:
    return isinstance(verdict(again, declared, first, end), Proved)


def test_it_is_told_where_it_matters() -> None:
    shown = verdict()
    assert isinstance(shown, Proved)
    assert UNREAD in shown.evidence.assumes
    written = AGAIN.replace("i14 = getfield_gc_i(p1, descr=Raw.b)\n", "")
    once = FIRST.replace("i4 = getfield_gc_i(p0, descr=Raw.b)\n", "")
    shown = verdict(written, first=once)
    assert isinstance(shown, Proved)
    assert UNREAD not in shown.evidence.assumes


def test_fields_of_earlier_iterations_count_as_written_if_that_is_declared() -> None:
    assert proved()
    assert not proved(declared=DECLARED.replace("hands_on_unwritten = false\n", ""))


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("setfield_gc(p12, i11,", "setfield_gc(p12, i12,"),
        ("setfield_gc(p12, i11,", "setfield_gc(p12, i14,"),
        ("setfield_gc(p12, i11, descr=Raw.a)\n", ""),
        ("guard_true(i13, origin=0) [p1, i12]\n", ""),
        ("i12 = int_add(i2, i11)", "i12 = int_add(i2, i2)"),
        ("i11 = getfield_gc_i(p1, descr=Raw.a)", "i11 = getfield_gc_i(p1, descr=Raw.b)"),
        ("i11 = getfield_gc_i(p1, descr=Raw.a)", "i11 = getfield_gc_i(p2, descr=Raw.a)"),
        ("i11 = getfield_gc_i(p1, descr=Raw.a)", "i11 = getfield_gc_i(p2, descr=Raw.b)"),
        ("p12 = new(descr=Raw)\n", "p12 = new(descr=Raw)\ni15 = getfield_gc_i(p12, descr=Raw.b)\n"),
        ("i14 = getfield_gc_i(p1, descr=Raw.b)", "i14 = getfield_gc_i(p2, descr=Raw.b)"),
    ],
)
def test_faults_of_the_body_are_found(right: str, wrong: str) -> None:
    """What the iteration in front has allocated is read in the same proof: there nothing is taken for granted."""
    assert AGAIN.count(right) == 1
    assert not proved(AGAIN.replace(right, wrong))


def test_faults_of_the_preamble_and_of_what_is_handed_on_are_found() -> None:
    assert not proved(first=FIRST + "i5 = getfield_gc_i(p2, descr=Raw.b)\n")
    assert not proved(first=FIRST.replace("setfield_gc(p2, i1,", "setfield_gc(p2, i4,"))
    assert not proved(end="p12, p2, i12")
    assert not proved(end="p2, p12, i14")


def test_items_of_earlier_iterations_count_as_written_if_that_is_declared() -> None:
    declared = DECLARED.replace("[struct.Raw]", '[array.Items]\nitem = "int"\n[struct.Raw]')
    once = "escape_n(i0)\nguard_not_forced() []\ni3 = getarrayitem_gc_i(p0, 0, descr=Items)\n"
    once += "p2 = new_array(2, descr=Items)\n"
    again = once.replace("3 = ", "4 = ").replace("p2", "p5").replace("p0", "p1")
    after = f"{declared}[p0, p1, i0]\n{once}label(p1, p2, i0, descr=Body)\n{again}jump(p2, p5, i0, descr=Body)\n"
    before = f"{declared}[p0, p1, i0]\n{once}jump(p1, p2, i0)\n"
    shown = judge(before, after)
    assert isinstance(shown, Proved)
    assert UNREAD in shown.evidence.assumes
    told = "hands_on_unwritten = false\n"
    assert "what an earlier iteration" in str(judge(before.replace(told, ""), after.replace(told, "")))


def of_another_index(declared: str, made: str, stored: str, read: str, added: str) -> Verdict:
    """The verdict on a loop that writes a part of what it makes; the preamble reads a part of what it is given."""
    count = "i2 = int_lt({0}, 1000)\nguard_true(i2{1}) [p0, {0}]\n"
    new = f"p5 = {made}\n{stored}"
    before = f"{declared}[p0, i1]\n{count.format('i1', '')}i4 = int_add(i1, 1)\n"
    before += f"i10 = int_and(i1, 1)\n{new.format('p5', 'i10', 'i4')}jump(p5, i4)\n"
    again = new.replace("p5", "p15").format("p15", "i20", "i13")
    after = f"""{declared}[p0, i1]
{count.format("i1", ", origin=0")}i6 = {read}
i4 = int_add(i1, 1)
i10 = int_and(i1, 1)
{new.format("p5", "i10", "i4")}label(p5, i4, i6, descr=Body)
i12 = int_lt(i4, 1000)
guard_true(i12, origin=0) [p5, i4]
i13 = int_add(i4, 1)
i20 = int_and(i4, 1)
i14 = int_add(i13, {added})
{again}jump(p15, i14, i6, descr=Body)
"""
    return judge(before, after)


ITEMS = '+++\nhands_on_unwritten = false\n[array.Items]\nitem = "int"\n+++\n'


@pytest.mark.parametrize("added", ["i20", "1", "i6"])
@pytest.mark.parametrize(
    ("declared", "made", "stored", "read"),
    [
        (ITEMS, "new_array(2, descr=Items)", "setarrayitem_gc({}, {}, {}, descr=Items)\n", "0"),
        (
            ITEMS,
            "new_array(2, descr=Items)",
            "setarrayitem_gc({}, {}, {}, descr=Items)\n",
            "getarrayitem_gc_i(p0, 1, descr=Items)",
        ),
        (ITEMS, "newstr(2)", "strsetitem({}, {}, 65)\n", "strgetitem(p0, 1)"),
        (DECLARED, "new(descr=Raw)", "setfield_gc({0}, {2}, descr=Raw.a)\n", "getfield_gc_i(p0, descr=Raw.b)"),
    ],
)
def test_that_the_preamble_reads_it_says_nothing_of_what_is_written(
    declared: str, made: str, stored: str, read: str, added: str
) -> None:
    """The body adds more than one where the index is 0, which the preamble that reads at 1 would never have seen."""
    read = "same_as_i(0)" if read == "0" else read
    shown = of_another_index(declared, made, stored, read, added)
    assert isinstance(shown, Proved) is (read.startswith("same_as") and added == "i6"), shown
