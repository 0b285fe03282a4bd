"""Loops in which an iteration relies on earlier ones, or on the preamble."""

from __future__ import annotations

import pytest

from optimizer.ir.text import parse
from optimizer.peel import peel
from tests.validator.loop_pairs import edited
from tests.validator.pairs import judge
from validator import Proved, Refuted, Unknown, Verdict, validate
from validator.prove.notes import BLIND


def test_what_the_preamble_reads_is_no_promise() -> None:
    """An event of the loop may write an immutable field until the loop has read it; that the preamble has read it
    before says nothing."""
    declared = """+++
[struct.Node]
fields = { tag = { type = "int", immutable = true } }
[call.fill]
result = "void"
writes = ["Node.tag"]
can_raise = false
+++
"""
    before = f"""{declared}[p0, i0]
guard_class(p0, ConstClass(Node)) [p0]
call_n(ConstClass(fill), p0, descr=fill)
i1 = getfield_gc_i(p0, descr=Node.tag)
i2 = int_add(i0, i1)
i3 = int_lt(i2, 1000)
guard_true(i3) [p0, i2]
jump(p0, i2)
"""
    after = f"""{declared}[p0, i0]
guard_class(p0, ConstClass(Node), origin=0) [p0]
call_n(ConstClass(fill), p0, descr=fill)
i1 = getfield_gc_i(p0, descr=Node.tag)
i2 = int_add(i0, i1)
i3 = int_lt(i2, 1000)
guard_true(i3, origin=1) [p0, i2]
label(p0, i2, i1, descr=Body)
call_n(ConstClass(fill), p0, descr=fill)
i4 = int_add(i2, i1)
i5 = int_lt(i4, 1000)
guard_true(i5, origin=1) [p0, i4]
jump(p0, i4, i1, descr=Body)
"""
    assert "a read of Node.tag, immutable, where events of the loop write it" in str(judge(before, after))


def test_what_the_preamble_watches_is_no_promise() -> None:
    """`quasiimmut_field` of a recorded trace says that the runtime watches; one that the optimizer invents does not."""
    before = """[p0, i0]
guard_not_invalidated() [p0, i0]
i1 = getfield_gc_i(p0, descr=C.version)
escape_n(i1)
guard_no_exception() [p0, i0]
jump(p0, i1)
"""
    after = """[p0, i0]
guard_not_invalidated(origin=0) [p0, i0]
quasiimmut_field(p0, descr=C.version)
i1 = getfield_gc_i(p0, descr=C.version)
escape_n(i1)
guard_no_exception(origin=1) [p0, i0]
label(p0, i1, descr=Body)
guard_not_invalidated(origin=0) [p0, i1]
escape_n(i1)
guard_no_exception(origin=1) [p0, i1]
jump(p0, i1, descr=Body)
"""
    for modes in ({}, {"guards": "safe", "failargs": "ignore"}):
        assert not isinstance(judge(before, after, **modes), Proved)
    watched = before.replace("guard_not", "quasiimmut_field(p0, descr=C.version)\nguard_not")
    assert isinstance(judge(watched, after), Proved)


def test_which_string_the_preamble_has_is_said_nowhere() -> None:
    declared = '+++\n[call.concat]\nresult = "ref"\nelidable = true\noopspec = "strconcat"\n+++\n'
    before = f"""{declared}[p0, p1]
p2 = call_r(ConstClass(ll_strconcat), p0, p1, descr=concat)
escape_n(p2)
guard_no_exception() []
jump(p0, p1)
"""
    once = f"""{declared}[p0, p1]
p2 = call_r(ConstClass(ll_strconcat), p0, p1, descr=concat)
escape_n(p2)
guard_no_exception(origin=0) []
label(p2, descr=Body)
escape_n(p2)
guard_no_exception(origin=0) []
jump(p2, descr=Body)
"""
    again = f"""{declared}[p0, p1]
p2 = call_r(ConstClass(ll_strconcat), p0, p1, descr=concat)
escape_n(p2)
guard_no_exception(origin=0) []
label(p0, p1, descr=Body)
p3 = call_r(ConstClass(ll_strconcat), p0, p1, descr=concat)
escape_n(p3)
guard_no_exception(origin=0) []
jump(p0, p1, descr=Body)
"""
    assert not isinstance(judge(before, once), Proved | Refuted)
    assert isinstance(judge(before, again), Proved)


def test_an_immutable_field_is_stored_to_in_new_objects_only() -> None:
    declared = '+++\n[struct.Node]\nfields = { tag = { type = "int", immutable = true } }\n+++\n'
    before = f"{declared}[p0, p1, i0]\ni1 = getfield_gc_i(p0, descr=Node.tag)\nsetfield_gc(p1, i0, descr=Node.tag)\n"
    before += "i2 = int_lt(i1, i0)\nguard_true(i2) [i1]\njump(p1, p1, i1)\n"
    after = before.replace("jump(p1, p1, i1)", "label(p1, i1, descr=Body)\njump(p1, i1, descr=Body)")
    assert "a store to Node.tag, immutable, of what an iteration has not allocated" in str(judge(before, after))
    fresh = before.replace("setfield_gc(p1", "p2 = new(descr=Node)\nsetfield_gc(p2").replace(
        "jump(p1, p1", "jump(p2, p2"
    )
    assert isinstance(validate(parse(fresh), peel(parse(fresh)).trace), Proved)


def test_no_guard_fails_where_the_recorded_loop_has_none() -> None:
    """The guard of the preamble always passes, and stands for no place where the interpreter could go on."""
    before = "[i0]\ni1 = int_add(i0, 1)\nescape_n(i1)\njump(i1)\n"
    after = """[i0]
i1 = int_add(i0, 1)
guard_value(1, 1) [i0]
escape_n(i1)
label(i1, descr=Body)
i2 = int_add(i1, 1)
guard_value(i1, 7) [i1]
escape_n(i2)
jump(i2, descr=Body)
"""
    for modes in ({}, {"guards": "safe"}, {"guards": "safe", "failargs": "ignore"}):
        assert isinstance(judge(before, after, **modes), Refuted)


def test_what_an_earlier_iteration_has_not_written_is_not_read() -> None:
    """An object goes round twice before `Raw.b` is read, which nobody has written: no two iterations show that."""
    declared = '+++\n[struct.Raw]\ncleared = false\nfields = { a = "int", b = "int" }\n+++\n'
    before = f"""{declared}[p0, p1, i0]
i1 = getfield_gc_i(p0, descr=Raw.a)
i2 = int_add(i0, i1)
i3 = int_lt(i2, 1000)
guard_true(i3) [p0, i2]
p2 = new(descr=Raw)
setfield_gc(p2, i1, descr=Raw.a)
jump(p1, p2, i2)
"""
    after = f"""{declared}[p0, p1, i0]
i1 = getfield_gc_i(p0, descr=Raw.a)
i4 = getfield_gc_i(p0, descr=Raw.b)
i2 = int_add(i0, i1)
i3 = int_lt(i2, 1000)
guard_true(i3, origin=0) [p0, i2]
p2 = new(descr=Raw)
setfield_gc(p2, i1, descr=Raw.a)
label(p1, p2, i2, descr=Body)
i5 = getfield_gc_i(p1, descr=Raw.a)
i6 = getfield_gc_i(p1, descr=Raw.b)
i7 = int_add(i2, i5)
i8 = int_lt(i7, 1000)
guard_true(i8, origin=0) [p1, i7]
p3 = new(descr=Raw)
setfield_gc(p3, i5, descr=Raw.a)
jump(p2, p3, i7, descr=Body)
"""
    for modes in ({}, {"guards": "safe", "failargs": "ignore"}):
        assert "what an earlier iteration may have allocated and not written" in str(judge(before, after, **modes))
    for read in ("i4 = getfield_gc_i(p0", "i6 = getfield_gc_i(p1"):
        after = edited(after, f"{read}, descr=Raw.b)\n", "")
    assert isinstance(judge(before, after), Proved)


def test_what_has_been_in_memory_may_be_of_any_earlier_iteration() -> None:
    declared = '+++\n[struct.Raw]\ncleared = false\nfields = { a = "int", b = "int", next = "ref" }\n+++\n'
    before = f"""{declared}[p0, i0]
p1 = getfield_gc_r(p0, descr=Raw.next)
guard_nonnull(p1) [i0]
i1 = getfield_gc_i(p1, descr=Raw.a)
i2 = int_add(i0, i1)
i3 = int_lt(i2, 1000)
guard_true(i3) [p0, i2]
p2 = new(descr=Raw)
setfield_gc(p2, i1, descr=Raw.a)
setfield_gc(p2, p1, descr=Raw.next)
setfield_gc(p0, p2, descr=Raw.next)
jump(p0, i2)
"""
    after = before.replace("i2 = int_add", "i4 = getfield_gc_i(p1, descr=Raw.b)\ni2 = int_add")
    after = (
        after.replace("jump(p0, i2)\n", "")
        + """label(p0, i2, descr=Body)
p11 = getfield_gc_r(p0, descr=Raw.next)
guard_nonnull(p11) [i2]
i11 = getfield_gc_i(p11, descr=Raw.a)
i12 = int_add(i2, i11)
i13 = int_lt(i12, 1000)
guard_true(i13) [p0, i12]
p12 = new(descr=Raw)
setfield_gc(p12, i11, descr=Raw.a)
setfield_gc(p12, p11, descr=Raw.next)
setfield_gc(p0, p12, descr=Raw.next)
jump(p0, i12, descr=Body)
"""
    )
    assert "what an earlier iteration may have allocated and not written" in str(judge(before, after))
    assert isinstance(judge(before, edited(after, "i4 = getfield_gc_i(p1, descr=Raw.b)\n", "")), Proved)


def test_a_string_of_an_earlier_iteration_may_be_asked_which_it_is() -> None:
    """What the first iteration hands on is new; what the second one does is a constant, as only the third one sees."""
    before = """+++
string_identity = false
+++
[p0, i0]
i1 = ptr_eq(p0, "ab")
escape_n(i1)
guard_no_exception() [i1]
p1 = newstr(2)
strsetitem(p1, 0, 97)
strsetitem(p1, 1, 98)
jump(p1, i0)
"""
    after = before.replace("jump(p1, i0)", "label(p1, descr=Body)")
    after += """i2 = ptr_eq(p1, "ab")
escape_n(i2)
guard_no_exception() [i2]
jump("ab", descr=Body)
"""
    assert not isinstance(judge(before, after), Proved)
    for name in ("p0", "p1"):
        before, after = [text.replace(f'ptr_eq({name}, "ab")', f"ptr_eq({name}, NULL)") for text in (before, after)]
    assert isinstance(judge(before, after), Proved)


def test_names_of_the_preamble_are_those_of_its_objects_on_neither_side() -> None:
    """The preamble stands behind the recorded loop on one side and in front of the body on the other one: what it
    allocates has other partners there."""
    made = "p{0} = new(descr=Pair)\nsetfield_gc(p{0}, i{2}, descr=Pair.value)\n"
    held = (
        "p{1} = new(descr=Box)\nsetfield_gc(p{1}, p{0}, descr=Box.pair)\nsetarrayitem_gc(p0, i{2}, p{1}, descr=Boxes)\n"
    )
    on = "i{3} = int_add(i{2}, 1)\ni{4} = int_lt(i{3}, 9)\nguard_true(i{4}) []\n"
    once = made + held + on
    before = f"[p0, i0]\n{once.format(1, 2, 0, 3, 4)}jump(p0, i3)\n"
    first, again = once.format(5, 6, 0, 7, 8), once.format(9, 10, 7, 11, 12)
    after = f"[p0, i0]\n{first}label(p0, i7, descr=Body)\n{again}jump(p0, i11, descr=Body)\n"
    assert isinstance(judge(before, after), Proved)
    assert not isinstance(
        judge(before, edited(after, "Pair)\nsetfield_gc(p9, i7,", "Pair)\nsetfield_gc(p9, 3,")), Proved
    )


@pytest.mark.parametrize(
    ("made", "load", "is_judged"),
    [
        ("new(descr=Raw)", "i3 = strgetitem(p0, 0)", True),  # a struct has no characters
        ("new_array(i0, descr=Items)", "p3 = getfield_gc_r(p0, descr=other)", True),  # NULL from the start
        ("newstr(i0)", "p3 = getfield_gc_r(p0, descr=other)", True),
        ("newstr(i0)", "i3 = getfield_gc_i(p0, descr=other)", True),
        ("newstr(i0)", "p3 = getarrayitem_gc_r(p0, 0, descr=Items)", True),
        ("new_array(i0, descr=Items)", "i3 = getfield_gc_i(p0, descr=other)", True),
        ("new_array(i0, descr=Items)", "i3 = getarrayitem_gc_i(p0, 0, descr=Others)", True),
        ("new(descr=Raw)", "i3 = getfield_gc_i(p0, descr=other)", False),
        ("new(descr=Raw)", "i3 = getarrayitem_gc_i(p0, 0, descr=Items)", False),
        ("new_array(i0, descr=Items)", "i3 = getarrayitem_gc_i(p0, 0, descr=Items)", False),
        ("new_array(i0, descr=Items)", "p3 = getarrayitem_gc_r(p0, 0, descr=Items)", False),
        ("new_array(i0, descr=Items)", "i3 = gc_load_i(p0, 8, 8)", False),
        ("newstr(i0)", "i3 = strgetitem(p0, 0)", False),
        ("new_array(i0, descr=Items)", "i3 = call_i(7, p0, descr=identity)", True),  # a function that reads nothing
        ("new_array(i0, descr=Items)", "i3 = call_i(7, p0, descr=sum)", False),
        ("newstr(i0)", "i3 = call_i(7, p0, p0, descr=equal)", False),
        ("newunicode(i0)", "i3 = call_i(7, p0, p0, descr=equal)", True),  # it compares strings of bytes
        ("new_array(i0, descr=Items)", "i3 = call_i(7, p0, p0, descr=equal)", True),
        ("new(descr=Raw)", "i3 = call_i(7, p0, p0, descr=equal)", True),
    ],
)
def test_only_what_a_new_object_may_have_and_not_hold_is_not_written(made: str, load: str, *, is_judged: bool) -> None:
    """An object goes round twice before it is read."""
    functions = (("identity", ""), ("sum", 'reads = ["*"]\n'), ("equal", 'oopspec = "strequal"\n'))
    declared = '+++\n[struct.Raw]\ncleared = false\nfields = { a = "int" }\n'
    declared += "".join(f'[call.{name}]\nresult = "int"\nelidable = true\n{more}' for name, more in functions)
    declared += "+++\n[p0, p1, i0]\n"
    once = f"escape_n(i0)\nguard_not_forced() []\n{load}\np2 = {made}\n"
    again = once.replace("3 = ", "4 = ").replace("p2 = ", "p5 = ").replace("p0", "p1")
    before = f"{declared}{once}jump(p1, p2, i0)\n"
    after = f"{declared}{once}label(p1, p2, i0, descr=Body)\n{again}jump(p2, p5, i0, descr=Body)\n"
    assert ("what an earlier iteration" in str(judge(before, after))) is not is_judged


@pytest.mark.parametrize(("made", "is_told"), [("new_array(i0, descr=Items)", True), ("new(descr=Cleared)", False)])
def test_what_a_function_does_not_look_at_is_told(made: str, is_told: bool) -> None:
    """An object goes round twice before the function is given it; no trace gives it what it has allocated itself."""
    declared = '+++\n[struct.Cleared]\n[call.identity]\nresult = "int"\nelidable = true\n+++\n[p0, p1, i0]\n'
    once = f"i3 = call_i(7, p0, descr=identity)\nguard_true(i3) []\np2 = {made}\n"
    again = once.replace("3", "4").replace("p2", "p5").replace("p0", "p1")
    before = f"{declared}{once}jump(p1, p2, i0)\n"
    verdict = judge(before, f"{declared}{once}label(p1, p2, i0, descr=Body)\n{again}jump(p2, p5, i0, descr=Body)\n")
    assert isinstance(verdict, Proved)
    assert (BLIND in verdict.evidence.assumes) is is_told


COPIES = """+++
[array.Items]
item = "int"
[array.Others]
item = "int"
[call.Copy]
result = "void"
oopspec = "arraycopy"
reads = ["Items"]
writes = ["Items"]
[call.CopyOthers]
result = "void"
oopspec = "arraycopy"
reads = ["Others"]
writes = ["Others"]
+++
"""
FILL = "setarrayitem_gc(p2, {}, i0, descr=Items)\n".format
COPY = "call_n(7, p6, p2, {}, {}, {}, descr=Copy)\n".format
SOURCE = "p6 = new_array(2, descr=Items)\n" + (FILL(0) + FILL(1)).replace("p2", "p6")


@pytest.mark.parametrize(
    ("made", "filled", "is_judged"),
    [
        (2, FILL(0) + FILL(1), True),
        (2, FILL(1), False),
        (2, FILL(0) + FILL("i0"), False),
        (2, FILL(0) + FILL(1).replace("Items", "Others"), False),
        ("i0", FILL(0) + FILL(1), False),
        (2, "call_n(7, p2, p0, 0, 0, 1, descr=Copy)\n" + FILL(0) + FILL(1), False),  # before it is written
        (2, "call_n(7, p0, p2, 0, 0, 1, descr=CopyOthers)\n" + FILL(0) + FILL(1), True),
        (2, SOURCE + COPY(0, 0, 2), True),
        (2, SOURCE + COPY(1, 0, 1) + FILL(1), True),
        (2, SOURCE + COPY(0, 0, 1), False),
        (2, SOURCE + COPY(0, 1, 1) + COPY(1, 1, 1), False),
        (2, SOURCE.replace("(p6, 1", "(p6, 0") + COPY(0, 0, 2), False),
        (2, SOURCE.replace("p6 = new_array(2, descr=Items)", "p6 = same_as_r(p0)") + COPY(0, 0, 2), True),
        (2, FILL(0) + FILL(1) + COPY(0, 0, 1).replace("p6", "p0"), False),  # of an earlier iteration
        (2, SOURCE + COPY(0, 0, "i0"), False),
    ],
)
def test_only_an_array_that_is_filled_is_written(made: int | str, filled: str, *, is_judged: bool) -> None:
    declared = f"{COPIES}[p0, p1, i0]\n"
    once = "escape_n(i0)\nguard_not_forced() []\ni3 = getarrayitem_gc_i(p0, 0, descr=Items)\n"
    once += f"p2 = new_array({made}, descr=Items)\n{filled}"
    again = once.replace("3 = ", "4 = ").replace("p2", "p5").replace("p6", "p7").replace("p0", "p1")
    before = f"{declared}{once}jump(p1, p2, i0)\n"
    after = f"{declared}{once}label(p1, p2, i0, descr=Body)\n{again}jump(p2, p5, i0, descr=Body)\n"
    assert ("what an earlier iteration" in str(judge(before, after))) is not is_judged


COPIED = """i3 = getarrayitem_gc_i(p0, 0, descr=Items)
i4 = int_add(i3, i0)
i5 = int_lt(i4, 1000)
guard_true(i5) [i4]
p6 = new_array(2, descr=Items)
setarrayitem_gc(p6, 0, i4, descr=Items)
setarrayitem_gc(p6, 1, i0, descr=Items)
p2 = new_array(2, descr=Items)
call_n(7, p6, p2, 0, 0, 2, descr=Copy)
"""
COPIED_AGAIN = """i13 = getarrayitem_gc_i(p1, 0, descr=Items)
i14 = int_add(i13, i4)
i15 = int_lt(i14, 1000)
guard_true(i15) [i14]
p12 = new_array(2, descr=Items)
setarrayitem_gc(p12, 0, i14, descr=Items)
setarrayitem_gc(p12, 1, i4, descr=Items)
"""


@pytest.mark.parametrize(
    ("right", "wrong", "is_right"),
    [
        ("", "", True),
        ("(p12, 0, i14,", "(p12, 0, i13,", False),
        ("(p12, 1, i4,", "(p12, 1, i14,", False),
        ("setarrayitem_gc(p12, 1, i4, descr=Items)\n", "", False),
        ("guard_true(i15) [i14]\n", "", False),
        ("(p1, 0, descr", "(p1, 1, descr", False),
        ("(p1, 0, descr", "(p2, 0, descr", False),
        ("jump(p2, p12, i14", "jump(p12, p2, i14", False),
    ],
)
def test_an_array_that_was_filled_by_a_copy_goes_round_twice(right: str, wrong: str, *, is_right: bool) -> None:
    before = f"{COPIES}[p0, p1, i0]\n{COPIED}jump(p1, p2, i4)\n"
    again = f"{COPIED_AGAIN}jump(p2, p12, i14, descr=Body)\n"
    after = f"{COPIES}[p0, p1, i0]\n{COPIED}label(p1, p2, i4, descr=Body)\n{again.replace(right, wrong)}"
    assert isinstance(judge(before, after), Proved) is is_right


def test_a_loop_that_never_goes_round_twice_is_vacuous() -> None:
    """The recorded loop promises its number in each iteration; the preamble does not ask for it."""
    before = (
        "[i0]\nrecord_exact_value_i(i0, 5)\ni1 = int_add(i0, 1)\ni2 = int_lt(i1, 9)\nguard_true(i2) [i1]\njump(i1)\n"
    )
    peeled = "[i0]\ni1 = int_add(i0, 1)\ni2 = int_lt(i1, 9)\nguard_true(i2, origin=0) [i1]\nlabel(i1, descr=Body)\n"
    body = "i3 = int_add(i1, 1)\ni4 = int_lt(i3, 9)\nguard_true(i4, origin=0) [77]\njump(i3, descr=Body)\n"
    verdict = judge(before, peeled + body)
    assert isinstance(verdict, Proved)
    assert verdict.evidence.vacuous
    assert all(reason.startswith("body") for reason in verdict.evidence.vacuous)


def test_a_body_tests_the_class_of_what_the_preamble_also_tests_for_null() -> None:
    """A preamble may test at once what is recorded as two guards, and leave where a test of the class alone is not
    defined: on NULL, and on what has no vtable."""
    ends = "p{1} = getfield_gc_r(p{0}, descr=next)\nguard_nonnull(p{1}) [p{0}]\n"
    before = f"[p0]\nguard_nonnull(p0) [p0]\nguard_class(p0, ConstClass(Node)) [p0]\n{ends.format(0, 1)}jump(p1)\n"
    first = f"[p0]\nguard_nonnull_class(p0, ConstClass(Node)) [p0]\n{ends.format(0, 1)}label(p1, descr=Body)\n"
    after = f"{first}guard_class(p1, ConstClass(Node)) [p1]\n{ends.format(1, 2)}jump(p2, descr=Body)\n"
    for guards in ("early", "safe"):
        assert isinstance(judge(before, after, guards=guards), Proved)
        for line in (
            "guard_nonnull(p2) [p1]\n",
            "guard_nonnull(p1) [p0]\n",
            "guard_class(p1, ConstClass(Node)) [p1]\n",
        ):
            assert not isinstance(judge(before, edited(after, line, ""), guards=guards), Proved)


def test_a_body_may_test_in_another_order_than_its_preamble() -> None:
    """The preamble tests the class before it compares; the body first compares, and leaves there where the preamble
    would have left before."""
    loads = "p{1} = getfield_gc_r(p{0}, descr=next)\nguard_nonnull(p{1}) [p{0}]\n"
    compares = "i{1} = ptr_eq(p{0}, ConstPtr(k))\nguard_false(i{1}) [p{0}]\n"
    asks = "guard_class(p{0}, ConstClass(Node)) [p{0}]\n"
    before = f"[p0]\nguard_nonnull(p0) [p0]\n{(compares + asks + loads).format(0, 1)}jump(p1)\n"
    first = f"[p0]\nguard_nonnull_class(p0, ConstClass(Node)) [p0]\n{(compares + loads).format(0, 1)}"
    body = (compares + asks + loads).format(1, 2)
    after = f"{first}label(p1, descr=Body)\n{body}jump(p2, descr=Body)\n"
    modes = {"guards": "early", "failargs": "ignore"}
    assert isinstance(judge(before, after, **modes), Proved)
    for line in (compares.format(1, 2), asks.format(1)):
        wrong = f"{first}label(p1, descr=Body)\n{edited(body, line, '')}jump(p2, descr=Body)\n"
        assert not isinstance(judge(before, wrong, **modes), Proved)


def asked_sooner(sooner: str, asks: str, left_out: str = "") -> Verdict:
    """The verdict on a loop that asks in front of an event what its body asks behind it, but for what is left out."""
    loads = "p{1} = getfield_gc_r(p{0}, descr=next)\nguard_nonnull(p{1}) [p{0}]\n"
    tells = "i{1} = getfield_gc_i(p{0}, descr=value)\ncall_n(1, i{1}, descr=tell)\n"
    asked = (
        "i{0}7 = getfield_gc_i(p{0}, descr=flag)\ni{0}9 = int_is_true(i{0}7)\n"
        "p{0}8 = getfield_gc_r(p{0}, descr=other)\nf{0}6 = getfield_gc_f(p{0}, descr=size)\n"
    )
    declared = '+++\n[call.tell]\nresult = "void"\nreads = []\nwrites = []\n+++\n[p0]\nguard_nonnull(p0) [p0]\n'
    before = f"{declared}{(tells + asked + asks + loads).format(0, 1)}jump(p1)\n"
    first = f"{declared}{(asked + sooner + tells + loads).format(0, 1)}label(p1, descr=Body)\n"
    body = (tells + asked + asks + loads).format(1, 2)
    kept = edited(body, {"tells": tells, "asks": asks}[left_out].format(1, 2), "") if left_out else body
    return judge(before, f"{first}{kept}jump(p2, descr=Body)\n", guards="early", failargs="ignore")


@pytest.mark.parametrize(
    ("sooner", "asks"),
    [
        ("guard_nonnull_class(p{0}, ConstClass(Node)) [p{0}]\n", "guard_class(p{0}, ConstClass(Node)) [p{0}]\n"),
        *((f"{asks} [p{{0}}]\n",) * 2 for asks in ("guard_true(i{0}9)", "guard_false(i{0}9)", "guard_value(i{0}7, 5)")),
        *((f"{asks} [p{{0}}]\n",) * 2 for asks in ("guard_nonnull(p{0}8)", "guard_value(p{0}8, ConstPtr(k))")),
    ],
)
def test_a_body_may_test_behind_an_event_what_its_preamble_tests_in_front_of_it(sooner: str, asks: str) -> None:
    assert isinstance(asked_sooner(sooner, asks), Proved)
    for left_out in ("tells", "asks"):
        assert not isinstance(asked_sooner(sooner, asks, left_out), Proved)


def test_which_float_a_preamble_asks_for_is_left_open() -> None:
    asks = "guard_value(f{0}6, 1.5) [p{0}]\n"
    assert isinstance(asked_sooner(asks, asks), Unknown)


def test_what_a_preamble_asks_beyond_the_loop_is_not_taken_for_granted() -> None:
    """The third iteration finds out that the body did not ask for it: what it tells is 1, be the number 5 or more."""
    declared = '+++\n[call.tell]\nresult = "void"\nreads = []\nwrites = []\n+++\n'
    tells = "call_n(1, {}, descr=tell)\n"
    before = f"[i0, i1]\nguard_true(1) []\ni2 = int_lt(i1, 5)\n{tells.format('i2')}i3 = int_add(i0, 1)\njump(i3, i0)\n"
    asks = "i4 = int_lt(i0, 5)\nguard_true(i4, origin=0) []\n"
    first = f"[i0, i1]\n{asks}i2 = int_lt(i1, 5)\n{tells.format('i2')}i3 = int_add(i0, 1)\nlabel(i3, i4, descr=Body)\n"
    body = f"{tells.format('i4')}i8 = int_add(i3, 1)\njump(i8, 1, descr=Body)\n"
    verdict = judge(declared + before, declared + first + body, guards="safe", failargs="ignore")
    assert not isinstance(verdict, Proved), verdict


TEXTS = """+++
[call.slice]
result = "ref"
elidable = true
oopspec = "strslice"
[call.concat]
result = "ref"
elidable = true
oopspec = "strconcat"
+++
"""
WRITE = "strsetitem(p1, {0}, 6{0})\n".format


@pytest.mark.parametrize(
    "made",
    ["p1, 0, 2, descr=slice", 'p1, "", descr=concat', "p1, 0, 2, descr=slice)\np2 = call_r(7, p3, 0, 2, descr=slice"],
)
@pytest.mark.parametrize(
    ("ahead", "behind", "is_written"),
    [(WRITE(0) + WRITE(1), "", True), (WRITE(0), WRITE(1), False), (WRITE(1), WRITE(1), False), ("", "", False)],
)
def test_a_string_that_is_made_of_another_one_is_written_where_that_is(
    made: str, ahead: str, behind: str, *, is_written: bool
) -> None:
    """That the preamble reads what is not written would promise anything of what the body does behind that."""
    make = f"p1 = newstr(2)\n{ahead}p{3 if 'p3' in made else 2} = call_r(7, {made})\n"
    make = make.replace("p2 = call_r(7, p3", f"{behind}p2 = call_r(7, p3") if "p3" in made else make + behind
    first = "[p0, i0]\ni1 = strlen(p0)\nguard_value(i1, 2) [p0, i0]\n"
    before = f"{TEXTS}{first}{make}i2 = int_add(i0, 1)\nescape_n(i0)\njump(p2, i2)\n"
    read = "i8 = int_and(i0, 1)\ni9 = strgetitem(p0, i8)\n"
    again = "escape_n(i2)\ni4 = int_add(i2, {})\n" + make.replace("p1", "p4").replace("p2", "p5").replace("p3", "p6")
    after = f"{TEXTS}{first}{read}{make}i2 = int_add(i0, 1)\nescape_n(i0)\nlabel(p2, i2, descr=Body)\n"
    right = judge(before, f"{after}{again.format(1)}jump(p5, i4, descr=Body)\n")
    assert isinstance(right, Proved) is is_written
    jumped = "i5 = int_and(i2, 1)\ni6 = int_add(i2, i5)\n" + again.format("i5").replace(
        "int_add(i2, i5)", "int_add(i6, 1)"
    )
    assert not isinstance(judge(before, f"{after}{jumped}jump(p5, i4, descr=Body)\n"), Proved)


ITEMS = (
    "p1 = new_array(1, descr=Items)\n",
    "call_n(7, p1, p0, 0, i0, 1, descr=Copy)\n",
    "getarrayitem_gc_i(p0, {}, descr=Items)",
)
CHARACTERS = ("p1 = newstr(1)\n", "copystrcontent(p1, p0, 0, i0, 1)\n", "strgetitem(p0, {})")


@pytest.mark.parametrize(("new", "copy", "read"), [ITEMS, CHARACTERS])
@pytest.mark.parametrize(("is_ahead", "is_judged"), [(True, True), (False, False), (None, False)])
def test_what_is_copied_into_an_older_object_is_written_where_its_source_is(
    new: str, copy: str, read: str, *, is_ahead: bool | None, is_judged: bool
) -> None:
    """The body reads what was copied two iterations ago."""
    write = "strsetitem(p1, 0, 65)\n" if "newstr" in new else "setarrayitem_gc(p1, 0, 65, descr=Items)\n"
    copied = {True: write + copy, False: copy + write, None: copy}[is_ahead]
    first = f"[p0, i0]\n{new}i1 = int_ge(i0, 2)\nguard_true(i1) []\n{copied}i2 = int_add(i0, 1)\nescape_n(i2)\n"
    again = (
        first.removeprefix("[p0, i0]\n").replace("p1", "p2").replace("i2", "i4").replace("i0", "i2").replace("i1", "i5")
    )
    before, after = f"{COPIES}{first}jump(p0, i2)\n", f"{COPIES}{first}label(p0, i2, descr=Body)\n"
    reads = f"i7 = int_sub(i2, 2)\ni8 = {read.format('i7')}\n"
    verdict = judge(before, f"{after}{reads}{again}jump(p0, i4, descr=Body)\n")
    assert ("what an earlier iteration may have allocated and not written" in str(verdict)) is not is_judged
    assert isinstance(judge(before, f"{after}{again}jump(p0, i4, descr=Body)\n"), Proved)


@pytest.mark.parametrize(("stored", "is_judged"), [("p1", False), ("p9", True)])
def test_a_guard_that_fails_stores_to_no_immutable_field_of_an_older_object(stored: str, *, is_judged: bool) -> None:
    """Another iteration may have read it."""
    declared = '+++\n[struct.N]\nfields = { im = { type = "int", immutable = true } }\n+++\n[p0, p1, i0]\n'
    first = f"i1 = int_lt(i0, 9)\nguard_true(i1) [i0] {{\np9 = new(descr=N)\nsetfield_gc({stored}, 5, descr=N.im)\n}}\n"
    first += "i2 = int_add(i0, 1)\n"
    body = first.replace("p9", "p8").replace("i2", "i4").replace("i1", "i3").replace("i0", "i2").replace("p1", "p0")
    after = f"{declared}{first}label(p1, p0, i2, descr=Body)\n{body}jump(p0, p1, i4, descr=Body)\n"
    verdict = judge(f"{declared}{first}jump(p1, p0, i2)\n", after)
    assert ("a store to N.im, immutable" in str(verdict)) is not is_judged
    assert isinstance(verdict, Proved) is is_judged


ARRAYS = "p3 = new_array(1, descr=Items)\ncall_n(7, p0, p3, 0, 0, 1, descr=Copy)"


@pytest.mark.parametrize(
    ("new", "copied", "read"),
    [
        ("p2 = new_array(1, descr=Items)", ARRAYS, ITEMS[2]),
        ("p2 = newstr(1)", "p3 = newstr(1)\ncopystrcontent(p0, p3, 0, 0, 1)", CHARACTERS[2]),
        ("p2 = newstr(1)", "p3 = call_r(7, p0, 0, 1, descr=slice)", CHARACTERS[2]),
        ("p2 = newstr(1)", 'p3 = call_r(7, p0, "x", descr=concat)', CHARACTERS[2]),
        ("p2 = newstr(1)\nstrsetitem(p2, 0, 65)", "p3 = call_r(7, p0, 0, 1, descr=slice)", CHARACTERS[2]),
    ],
)
def test_a_copy_of_what_an_earlier_iteration_has_not_written_is_not_written(new: str, copied: str, read: str) -> None:
    """Two iterations see nothing of it: the first one allocates, the second one copies, and the third one reads."""
    declared = f"{COPIES[:-4]}{TEXTS[4:]}[p0, p1, i0]\n"
    first = f"{new}\n{copied}\nescape_n(i0)\n"
    before, after = f"{declared}{first}jump(p2, p3, i0)\n", f"{declared}{first}label(p2, p3, i0, descr=Body)\n"
    again = first.replace("p3", "p6").replace("p2", "p5").replace("p0", "p2")
    reads = f"i8 = {read.format(0)}\n".replace("p0", "p3")
    verdict = judge(before, f"{after}{reads}{again}jump(p5, p6, i0, descr=Body)\n")
    assert isinstance(verdict, Proved) is ("strsetitem" in new)


@pytest.mark.parametrize(("written", "is_judged"), [("", False), (FILL(0) + FILL(1), True)])
def test_what_is_copied_into_a_cleared_array_is_written_where_its_source_is(written: str, *, is_judged: bool) -> None:
    """The array lives for two iterations, and the third one reads it."""
    first = f"p2 = new_array(2, descr=Items)\n{written}p3 = new_array_clear(2, descr=Items)\n"
    first += "call_n(7, p2, p3, 0, 0, 2, descr=Copy)\nescape_n(i0)\n"
    first = f"setarrayitem_gc(p1, 1, i0, descr=Items)\n{first}"
    inputs, read = f"{COPIES}[p0, p1, i0]\n", "i8 = getarrayitem_gc_i(p1, 0, descr=Items)\n"
    body = f"{read}{first}".replace("p1", "p0").replace("p2", "p5").replace("p3", "p6").replace("i8", "i9")
    after = f"{inputs}{read}{first}label(p3, p0, i0, descr=Body)\n{body}jump(p6, p3, i0, descr=Body)\n"
    before = f"{inputs}{first}jump(p3, p0, i0)\n"
    verdict = judge(before, after)
    assert ("what an earlier iteration may have allocated and not written" in str(verdict)) is not is_judged
    assert isinstance(verdict, Proved) is is_judged
    assert isinstance(
        judge(before, after.replace(read, "").replace(read.replace("i8", "i9").replace("p1", "p0"), "")), Proved
    )
