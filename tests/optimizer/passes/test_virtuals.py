"""Allocation removal: what is never allocated, what is later, and what of it."""

import pytest
from cases import assert_becomes, assert_stays

from optimizer.ir.rows.ops import Kind
from optimizer.ir.text import parse
from optimizer.pipeline import DEFAULT_PASSES

TYPES = """+++
[struct.Base]
vtable = "base_vt"
fields = { left = "ref" }
[struct.Node]
parent = "Base"
fields = { value = "int", next = "ref" }
[struct.Raw]
cleared = false
fields = { a = "int", b = "ref" }
[array.Ints]
item = "int"
[array.Points]
fields = { x = "int", y = "ref" }
+++
"""


def becomes(before: str, after: str, *passes: str) -> None:
    assert_becomes(TYPES + before, TYPES + after, *(passes or ("virtuals",)))


CASES = {
    "never needed": (
        "[i0]\np1 = new_with_vtable(descr=Node)\nsetfield_gc(p1, i0, descr=Node.value)\n"
        "i2 = getfield_gc_i(p1, descr=Node.value)\njump(i2)\n",
        "[i0]\njump(i0)\n",
    ),
    "unset fields are cleared": (
        "[i0]\np1 = new(descr=Node)\ni2 = getfield_gc_i(p1, descr=Node.value)\n"
        "p3 = getfield_gc_r(p1, descr=Base.left)\njump(i2, p3)\n",
        "[i0]\njump(0, NULL)\n",
    ),
    "at the end, with what was set last and is not 0": (
        "[i0]\np1 = new(descr=Node)\nsetfield_gc(p1, 5, descr=Node.value)\nsetfield_gc(p1, 0, descr=Node.value)\n"
        "setfield_gc(p1, NULL, descr=Node.next)\nsetfield_gc(p1, p1, descr=Base.left)\njump(p1)\n",
        "[i0]\np1 = new(descr=Node)\nsetfield_gc(p1, p1, descr=Base.left)\njump(p1)\n",
    ),
    "a 0 in an object that is not cleared": (
        "[i0]\np1 = new(descr=Raw)\nsetfield_gc(p1, 0, descr=Raw.a)\nsetfield_gc(p1, NULL, descr=Raw.b)\njump(p1)\n",
        "[i0]\np1 = new(descr=Raw)\nsetfield_gc(p1, 0, descr=Raw.a)\njump(p1)\n",
    ),
    "an array that is not cleared has the items that were set": (
        "[i0]\np1 = new_array(3, descr=Ints)\nsetarrayitem_gc(p1, 1, 0, descr=Ints)\n"
        "i2 = getarrayitem_gc_i(p1, 1, descr=Ints)\njump(p1, i2)\n",
        "[i0]\np1 = new_array(3, descr=Ints)\nsetarrayitem_gc(p1, 1, 0, descr=Ints)\njump(p1, 0)\n",
    ),
    "an array that is cleared": (
        "[i0]\np1 = new_array_clear(3, descr=Ints)\nsetarrayitem_gc(p1, 1, i0, descr=Ints)\n"
        "i2 = getarrayitem_gc_i(p1, 0, descr=Ints)\nsetarrayitem_gc(p1, 2, 0, descr=Ints)\njump(p1, i2)\n",
        "[i0]\np1 = new_array_clear(3, descr=Ints)\nsetarrayitem_gc(p1, 1, i0, descr=Ints)\njump(p1, 0)\n",
    ),
    "an array of structs": (
        "[i0]\np1 = new_array_clear(2, descr=Points)\nsetinteriorfield_gc(p1, 1, i0, descr=Points.x)\n"
        "i2 = getinteriorfield_gc_i(p1, 1, descr=Points.x)\np3 = getinteriorfield_gc_r(p1, 1, descr=Points.y)\n"
        "jump(i2, p3)\n",
        "[i0]\njump(i0, NULL)\n",
    ),
    "at a variable index": (
        "[i0]\np1 = new_array_clear(2, descr=Ints)\nsetarrayitem_gc(p1, 1, 5, descr=Ints)\nescape_n()\n"
        "i2 = getarrayitem_gc_i(p1, i0, descr=Ints)\njump(i2)\n",
        "[i0]\nescape_n()\np1 = new_array_clear(2, descr=Ints)\nsetarrayitem_gc(p1, 1, 5, descr=Ints)\n"
        "i2 = getarrayitem_gc_i(p1, i0, descr=Ints)\njump(i2)\n",
    ),
    "stored to at a variable index": (
        "[i0]\np1 = new_array_clear(2, descr=Ints)\nescape_n()\nsetarrayitem_gc(p1, i0, 7, descr=Ints)\n"
        "i2 = getarrayitem_gc_i(p1, 1, descr=Ints)\njump(i2)\n",
        "[i0]\nescape_n()\np1 = new_array_clear(2, descr=Ints)\nsetarrayitem_gc(p1, i0, 7, descr=Ints)\n"
        "i2 = getarrayitem_gc_i(p1, 1, descr=Ints)\njump(i2)\n",
    ),
    "nested ones before those that hold them": (
        "[i0]\np1 = new(descr=Node)\np2 = new(descr=Node)\nsetfield_gc(p1, p2, descr=Node.next)\n"
        "setfield_gc(p2, i0, descr=Node.value)\nescape_n(p1)\njump(p2)\n",
        "[i0]\np2 = new(descr=Node)\nsetfield_gc(p2, i0, descr=Node.value)\np1 = new(descr=Node)\n"
        "setfield_gc(p1, p2, descr=Node.next)\nescape_n(p1)\njump(p2)\n",
    ),
    "cycles": (
        "[i0]\np1 = new(descr=Node)\np2 = new(descr=Node)\nsetfield_gc(p1, p2, descr=Node.next)\n"
        "setfield_gc(p2, p1, descr=Node.next)\nsetfield_gc(p2, p2, descr=Base.left)\nescape_n()\njump(p1)\n",
        "[i0]\nescape_n()\np2 = new(descr=Node)\nsetfield_gc(p2, p2, descr=Base.left)\np1 = new(descr=Node)\n"
        "setfield_gc(p1, p2, descr=Node.next)\nsetfield_gc(p2, p1, descr=Node.next)\njump(p1)\n",
    ),
    "once": (
        "[p0]\np1 = new(descr=Node)\nsetfield_gc(p0, p1, descr=Node.next)\nescape_n(p1)\n"
        "setfield_gc(p1, 5, descr=Node.value)\njump(p1)\n",
        "[p0]\np1 = new(descr=Node)\nsetfield_gc(p0, p1, descr=Node.next)\nescape_n(p1)\n"
        "setfield_gc(p1, 5, descr=Node.value)\njump(p1)\n",
    ),
    "for guards that need it, with what it holds there": (
        "[i0, i1]\np1 = new(descr=Node)\nguard_true(i0) [p1]\nsetfield_gc(p1, i0, descr=Node.value)\n"
        "guard_true(i1) [None, p1, i0, p1]\nguard_false(i1) [i0]\njump(i0)\n",
        "[i0, i1]\nguard_true(i0, origin=0) [p0] {\n    p0 = new(descr=Node)\n}\n"
        "guard_true(i1, origin=1) [None, p2, i0, p2] {\n    p2 = new(descr=Node)\n"
        "    setfield_gc(p2, i0, descr=Node.value)\n}\nguard_false(i1, origin=2) [i0]\njump(i0)\n",
    ),
    "for guards, nested and in a cycle": (
        "[i0]\np1 = new(descr=Node)\np2 = new(descr=Node)\np3 = new(descr=Node)\nsetfield_gc(p1, p2, descr=Node.next)\n"
        "setfield_gc(p2, p1, descr=Node.next)\nguard_true(i0) [p1]\njump()\n",
        "[i0]\nguard_true(i0, origin=0) [p4] {\n    p0 = new(descr=Node)\n    p4 = new(descr=Node)\n"
        "    setfield_gc(p4, p0, descr=Node.next)\n    setfield_gc(p0, p4, descr=Node.next)\n}\njump()\n",
    ),
    "for an exit block that is there": (
        "[i0, p9]\np1 = new(descr=Node)\nguard_true(i0) [] {\n    setfield_gc(p9, p1, descr=Node.next)\n}\njump()\n",
        "[i0, p9]\nguard_true(i0, origin=0) [] {\n    p0 = new(descr=Node)\n"
        "    setfield_gc(p9, p0, descr=Node.next)\n}\njump()\n",
    ),
    "all of them for a guard without a list": (
        "[i0]\np1 = new(descr=Node)\nescape_n()\ni2 = int_add_ovf(i0, 1)\nguard_no_overflow()\njump()\n",
        "[i0]\nescape_n()\np1 = new(descr=Node)\ni2 = int_add_ovf(i0, 1)\nguard_no_overflow(origin=0)\njump()\n",
    ),
    "what is known of it is dropped": (
        "[i0]\np1 = new(descr=Node)\nrecord_exact_class(p1, ConstClass(Node))\nassert_not_none(p1)\njump()\n",
        "[i0]\njump()\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_virtuals(before: str, after: str) -> None:
    becomes(before, after)


TOGETHER = {
    "a delayed store of one, in exit blocks too": (
        "[p0, i0]\np1 = new(descr=Node)\nsetfield_gc(p1, i0, descr=Node.value)\nsetfield_gc(p0, p1, descr=Node.next)\n"
        "guard_true(i0) [i0]\np2 = getfield_gc_r(p0, descr=Node.next)\ni3 = getfield_gc_i(p2, descr=Node.value)\n"
        "setfield_gc(p0, NULL, descr=Node.next)\njump(i3)\n",
        "[p0, i0]\nguard_true(i0, origin=0) [i0] {\n    p3 = new(descr=Node)\n"
        "    setfield_gc(p3, i0, descr=Node.value)\n    setfield_gc(p0, p3, descr=Node.next)\n}\n"
        "setfield_gc(p0, NULL, descr=Node.next)\njump(1)\n",
    ),
    "guards and tests of one are settled": (
        "[p0]\np1 = new_with_vtable(descr=Node)\nguard_class(p1, ConstClass(Node)) []\nguard_nonnull(p1) []\n"
        "guard_nonnull_class(p1, ConstClass(Node)) []\nguard_is_object(p1) []\n"
        "guard_subclass(p1, ConstClass(base_vt)) []\n"
        "i2 = ptr_eq(p1, p0)\ni3 = instance_ptr_ne(p1, p1)\ni4 = ptr_eq(p1, NULL)\njump(i2, i3, i4)\n",
        "[p0]\njump(0, 0, 0)\n",
    ),
    "a guard that fails on one": (
        "[p0]\np1 = new_with_vtable(descr=Node)\nguard_class(p1, ConstClass(Raw)) [p1]\n"
        "setfield_gc(p1, 1, descr=Node.value)\nescape_n(p1)\njump(p1)\n",
        "[p0]\nguard_always_fails(origin=0) [p2] {\n    p2 = new_with_vtable(descr=Node)\n}\n"
        "p1 = new_with_vtable(descr=Node)\nsetfield_gc(p1, 1, descr=Node.value)\nescape_n(p1)\njump(p1)\n",
    ),
    "a guard for the identity of one fails": (
        "[p0]\np1 = new_with_vtable(descr=Node)\nguard_value(p0, p1) []\njump()\n",
        "[p0]\nguard_always_fails(origin=0) []\njump()\n",
    ),
    "the length of an array": (
        "[p0]\np1 = new_array_clear(3, descr=Ints)\ni2 = arraylen_gc(p1, descr=Ints)\njump(i2)\n",
        "[p0]\njump(3)\n",
    ),
    "a length that turns out to be constant": (
        "[p0]\ni1 = int_add(1, 1)\np1 = new_array_clear(i1, descr=Ints)\ni2 = arraylen_gc(p1, descr=Ints)\njump(i2)\n",
        "[p0]\njump(2)\n",
    ),
    "an item at an index that turns out to be constant": (
        "[i0]\np1 = new_array_clear(2, descr=Ints)\nsetarrayitem_gc(p1, 1, 5, descr=Ints)\nguard_value(i0, 1) []\n"
        "i2 = getarrayitem_gc_i(p1, i0, descr=Ints)\njump(i2)\n",
        "[i0]\nguard_value(i0, 1, origin=0) []\njump(5)\n",
    ),
    "known contents of one that has escaped": (
        "[p0, i0]\np1 = new(descr=Node)\nsetfield_gc(p1, i0, descr=Node.value)\nsetfield_gc(p0, p1, descr=Node.next)\n"
        "escape_n()\nsetfield_gc(p1, 3, descr=Node.value)\ni2 = getfield_gc_i(p1, descr=Node.value)\njump(i2)\n",
        "[p0, i0]\np1 = new(descr=Node)\nsetfield_gc(p1, i0, descr=Node.value)\nsetfield_gc(p0, p1, descr=Node.next)\n"
        "escape_n()\nsetfield_gc(p1, 3, descr=Node.value)\njump(3)\n",
    ),
    "one that an event has seen has other contents behind it": (
        "[i0]\np1 = new(descr=Node)\nsetfield_gc(p1, i0, descr=Node.value)\nescape_n(p1)\n"
        "i2 = getfield_gc_i(p1, descr=Node.value)\njump(i2)\n",
        "[i0]\np1 = new(descr=Node)\nsetfield_gc(p1, i0, descr=Node.value)\nescape_n(p1)\n"
        "i2 = getfield_gc_i(p1, descr=Node.value)\njump(i2)\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), TOGETHER.values(), ids=TOGETHER)
def test_with_what_is_known_of_references_and_memory(before: str, after: str) -> None:
    becomes(before, after, *ALL)


ALL = ("fold", "guards", "references", "virtuals", "heap", "dead-code")


@pytest.mark.parametrize(
    "text",
    [
        "[i0]\np1 = new_array(65, descr=Ints)\nescape_n()\njump(p1)\n",
        "[i0]\np1 = new_array(i0, descr=Ints)\nescape_n()\njump(p1)\n",
    ],
)
def test_long_arrays_and_those_of_unknown_length_are_allocated_at_once(text: str) -> None:
    assert_stays(TYPES + text, "virtuals")


PAPER = """
[p0, p1]
guard_class(p1, ConstClass(BoxedInteger)) [p0, p1]
i2 = getfield_gc_i(p1, descr=intval)
guard_class(p0, ConstClass(BoxedInteger)) [p0, p1, i2]
i3 = getfield_gc_i(p0, descr=intval)
i4 = int_add(i2, i3)
p5 = new_with_vtable(descr=BoxedInteger)
setfield_gc(p5, i4, descr=intval)
p6 = new_with_vtable(descr=BoxedInteger)
setfield_gc(p6, -100, descr=intval)
guard_class(p5, ConstClass(BoxedInteger)) [p0, p5, p6]
i7 = getfield_gc_i(p5, descr=intval)
guard_class(p6, ConstClass(BoxedInteger)) [p0, p5, p6, i7]
i8 = getfield_gc_i(p6, descr=intval)
i9 = int_add(i7, i8)
p10 = new_with_vtable(descr=BoxedInteger)
setfield_gc(p10, i9, descr=intval)
p11 = new_with_vtable(descr=BoxedInteger)
setfield_gc(p11, -1, descr=intval)
guard_class(p0, ConstClass(BoxedInteger)) [p0, p10, p11]
i12 = getfield_gc_i(p0, descr=intval)
guard_class(p11, ConstClass(BoxedInteger)) [p0, p10, p11, i12]
i13 = getfield_gc_i(p11, descr=intval)
i14 = int_add(i12, i13)
p15 = new_with_vtable(descr=BoxedInteger)
setfield_gc(p15, i14, descr=intval)
guard_class(p15, ConstClass(BoxedInteger)) [p10, p15]
i16 = getfield_gc_i(p15, descr=intval)
i17 = int_gt(i16, 0)
guard_true(i17) [p10, p15]
jump(p15, p10)
"""


def test_the_running_example_of_the_paper() -> None:
    """Bolz et al., Allocation removal by partial evaluation in a tracing JIT, figures 2 and 4."""
    before = parse(PAPER)
    after = assert_becomes(
        PAPER,
        """
        [p0, p1]
        guard_class(p1, ConstClass(BoxedInteger), origin=0) [p0, p1]
        i2 = getfield_gc_i(p1, descr=intval)
        guard_class(p0, ConstClass(BoxedInteger), origin=1) [p0, p1, i2]
        i3 = getfield_gc_i(p0, descr=intval)
        i4 = int_add(i2, i3)
        i9 = int_add(i4, -100)
        i14 = int_add(i3, -1)
        i17 = int_gt(i14, 0)
        guard_true(i17, origin=7) [p2, p3] {
            p2 = new_with_vtable(descr=BoxedInteger)
            setfield_gc(p2, i9, descr=intval)
            p3 = new_with_vtable(descr=BoxedInteger)
            setfield_gc(p3, i14, descr=intval)
        }
        p15 = new_with_vtable(descr=BoxedInteger)
        setfield_gc(p15, i14, descr=intval)
        p10 = new_with_vtable(descr=BoxedInteger)
        setfield_gc(p10, i9, descr=intval)
        jump(p15, p10)
        """,
        *DEFAULT_PASSES,
    ).trace
    news = [sum(op.op.kind is Kind.NEW for op in trace.ops) for trace in (before, after)]
    classes = [sum(op.op.name == "guard_class" for op in trace.ops) for trace in (before, after)]
    assert (len(before.ops), len(after.ops)) == (30, 14)
    assert news == [5, 2]
    assert classes == [7, 2]
