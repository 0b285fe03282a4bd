"""Loops of which it is declared that no iteration reads what an earlier one has not written."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from optimizer.ir.trace import Trace
from tests.validator.pairs import judge
from validator import Proved, Refuted, Unsupported
from validator.loops.written import UNREAD, cleared
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


HELD = """+++
hands_on_unwritten = false
[struct.Raw]
cleared = false
fields = { b = "int", c = "int", d = "int", e = "ref" }
[struct.Holder]
fields = { x = "ref" }
[array.Items]
item = "int"
+++
[p0, p1, p2, i0]
"""
STEP = """i1{0} = int_lt({1}, 1000)
guard_true(i1{0}{2}) [p0, {1}]
setfield_gc(p0, {3}, descr=Holder.x)
i6{0} = getfield_gc_i({4}, descr=Raw.d)
p3{0} = new(descr=Raw)
setfield_gc(p3{0}, i6{0}, descr=Raw.d)
"""
COUNTED = "i2{} = int_add({}, 1)\n"
NEW = "p9{0} = new_array(1, descr=Items)\nsetfield_gc(p3{0}, p9{0}, descr=Raw.e)\n"


def judged(declared: str, whole: str, kept: Iterable[str], reads: str) -> Verdict:
    """The verdict on a loop that makes and writes so much in each iteration, of which preamble and body keep that."""
    of_preamble, of_body = kept
    once, count = STEP.format("", "i0", "{}", "p2", "p1"), COUNTED.format("", "i0")
    before = f"{declared}{once.format('')}{whole.format('')}{count}jump(p0, p3, p1, i2)\n"
    first = once.format(", origin=0") + reads.format("", "p1") + of_preamble.format("") + count
    body = STEP.format(".1", "i2", ", origin=0", "p1", "p3") + reads.format(".1", "p1") + of_body.format(".1")
    body += COUNTED.format(".1", "i2")
    after = f"{declared}{first}label(p0, p3, p1, i2, descr=Body)\n{body}jump(p0, p3.1, p3, i2.1, descr=Body)\n"
    return judge(before, after)


@pytest.mark.parametrize("reads", ["", "i5{} = getfield_gc_i({}, descr=Raw.b)\n"])
@pytest.mark.parametrize("lacks", [(False, False), (True, False), (False, True)])
@pytest.mark.parametrize(
    ("whole", "less"),
    [
        ("setfield_gc(p3{0}, 0, descr=Raw.c)\n", ""),
        ("p4{0} = same_as_r(p3{0})\nsetfield_gc(p4{0}, 0, descr=Raw.c)\n", ""),
        (NEW + "setarrayitem_gc(p9{0}, 0, 0, descr=Items)\n", NEW),
        (NEW.replace("new_array", "new_array_clear"), NEW),
    ],
)
def test_what_the_recorded_loop_writes_is_written(reads: str, lacks: tuple[bool, bool], whole: str, less: str) -> None:
    """A new object goes to memory two iterations later, where anybody may read the 0 that was stored to it."""
    shown = judged(HELD, whole, (less if is_less else whole for is_less in lacks), reads)
    assert isinstance(shown, Proved) is not any(lacks)


NEW_IN = NEW.replace("p9", "p8").replace("new_array", "new_array_clear").replace("Raw.e", "Raw.f")


@pytest.mark.parametrize(("made", "is_right"), [("new_array_clear", True), ("new_array", False)])
@pytest.mark.parametrize("is_cleared_first", [False, True])
def test_an_array_that_is_cleared_stands_for_none_that_is_not(
    made: str, *, is_right: bool, is_cleared_first: bool
) -> None:
    """Beside it the recorded loop makes another one of its type, which is not cleared."""
    asked = "i5{0} = getfield_gc_i({1}, descr=Raw.b)\n"
    parts = [NEW, NEW_IN][:: -1 if is_cleared_first else 1]
    whole, kept = "".join(parts), "".join(parts).replace("new_array_clear", made)
    declared = HELD.replace('e = "ref"', 'e = "ref", f = "ref"')
    shown = judged(declared, whole, (kept, kept), asked)
    assert isinstance(shown, Unsupported) if not is_right else not isinstance(shown, Refuted), shown


@pytest.mark.parametrize("reads", ["", "i5{0} = getfield_gc_i({1}, descr=Raw.b)\n"])
def test_memory_is_taken_to_be_cleared_only_where_something_unwritten_is_read(
    reads: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Elsewhere a step compares what is written, too."""
    steps: list[Trace] = []

    def counted(trace: Trace) -> Trace:
        steps.append(trace)
        return cleared(trace)

    monkeypatch.setattr("validator.loops.proofs.cleared", counted)
    once, count = STEP.format("", "i0", "{}", "p2", "p1"), COUNTED.format("", "i0")
    before = f"{HELD}{once.format('')}{count}jump(p0, p3, p1, i2)\n"
    first = once.format(", origin=0") + reads.format("", "p1") + count
    body = STEP.format(".1", "i2", ", origin=0", "p1", "p3") + reads.format(".1", "p1") + COUNTED.format(".1", "i2")
    after = f"{HELD}{first}label(p0, p3, p1, i2, descr=Body)\n{body}jump(p0, p3.1, p3, i2.1, descr=Body)\n"
    assert isinstance(judge(before, after), Proved)
    assert bool(steps) is bool(reads)


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


COUNT = "i2 = int_lt({0}, 1000)\nguard_true(i2{1}) [p0, {0}]\n"
LENGTH = "i8 = {0}(p0{1})\ni9 = int_eq(i8, 2)\nguard_true(i9{2}) [p0, i1]\n"


def of_another_index(declared: str, length: str, made: str, stored: str, read: str, *, is_right: bool) -> Verdict:
    """The verdict on a loop that writes a part of what it makes, at an index or in a field; the preamble reads another
    part of what it is given, and the body adds more to the count where the index is 0, if that is wrong."""
    new = f"p5 = {made}\n{stored.format('p5', 'i10', 'i4')}"
    begin = f"i4 = int_add(i1, 1)\ni10 = int_and(i1, 1)\n{new}"
    before = f"{declared}[p0, i1]\n{COUNT.format('i1', '')}{length.format('')}{begin}jump(p5, i4)\n"
    end = stored.format("p15", "i20", "i13")
    after = f"""{declared}[p0, i1]
{COUNT.format("i1", ", origin=0")}{length.format(", origin=1")}i6 = {read}
{begin}label(p5, i4, i6, descr=Body)
i12 = int_lt(i4, 1000)
guard_true(i12, origin=0) [p5, i4]
i7 = int_and(i6, 0)
i13 = int_add(i4, 1)
i20 = int_and(i4, 1)
i14 = int_add(i13, {"i7" if is_right else "i20"})
p15 = {made}
{end}jump(p15, i14, {"65" if "65" in end else "i4"}, descr=Body)
"""
    return judge(before, after, guards="safe", failargs="ignore")


ITEMS = '+++\nhands_on_unwritten = false\n[array.Items]\nitem = "int"\n+++\n'
OF_ITEMS = LENGTH.format("arraylen_gc", ", descr=Items", "{0}")
OF_TEXT = LENGTH.format("strlen", "", "{0}")


@pytest.mark.parametrize(
    ("declared", "length", "made", "stored", "read"),
    [
        (
            *(ITEMS, OF_ITEMS, "new_array(2, descr=Items)"),
            *("setarrayitem_gc({}, {}, {}, descr=Items)\n", "getarrayitem_gc_i(p0, 1, descr=Items)"),
        ),
        (ITEMS, OF_TEXT, "newstr(2)", "strsetitem({}, {}, 65)\n", "strgetitem(p0, 1)"),
    ],
)
def test_that_the_preamble_reads_it_says_nothing_of_what_is_written(
    declared: str, length: str, made: str, stored: str, read: str
) -> None:
    """From an even count on, the preamble would never have read what is not written."""
    shown = of_another_index(declared, length, made, stored, read, is_right=False)
    assert not isinstance(shown, Proved), shown


def test_nor_does_it_of_fields() -> None:
    once = "i2 = int_lt(i1, 1000)\nguard_true(i2{}) [p0, i1]\n"
    made = "i4 = int_add(i1, 1)\np5 = new(descr=Raw)\nsetfield_gc(p5, i4, descr=Raw.a)\n"
    before = f"{DECLARED}[p0, i1]\n{once.format('')}i3 = getfield_gc_i(p0, descr=Raw.a)\n{made}jump(p5, i4)\n"
    after = f"""{DECLARED}[p0, i1]
{once.format(", origin=0")}i6 = getfield_gc_i(p0, descr=Raw.b)
{made}label(p5, i4, i6, descr=Body)
i12 = int_lt(i4, 1000)
guard_true(i12, origin=0) [p5, i4]
i14 = int_add(i4, 2)
p15 = new(descr=Raw)
setfield_gc(p15, i14, descr=Raw.a)
jump(p15, i14, i6, descr=Body)
"""
    shown = judge(before, after)
    assert not isinstance(shown, Proved), shown
