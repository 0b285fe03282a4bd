"""Guards and tests of references, settled and merged."""

import pytest
from cases import assert_becomes, assert_stays

from optimizer import optimize, parse
from optimizer.facts.conditions import _HEAP, _WORDS, _telling
from optimizer.ir.rows.heap_rows import OBJECT
from optimizer.ir.rows.ops import OPS, Kind
from validator import Proved, validate

TYPES = """+++
[struct.Base]
vtable = "base_vt"
fields = { tag = "int" }
[struct.Node]
parent = "Base"
[struct.Leaf]
parent = "Base"
[struct.Other]
fields = { x = "int" }
[array.Ints]
item = "int"
[call.quiet]
result = "void"
[const.a]
struct = "Node"
[const.b]
struct = "Leaf"
[const.t]
array = "Ints"
length = 2
+++
"""
CLASS = "ConstClass"

SETTLED = {
    "behind the same guard": (
        "[p0]\nguard_class(p0, ConstClass(Node)) []\nguard_class(p0, ConstClass(Node)) []\nguard_nonnull(p0) []\n"
        "guard_subclass(p0, ConstClass(base_vt)) []\nguard_is_object(p0) []\njump()\n",
        "[p0]\nguard_class(p0, ConstClass(Node), origin=0) []\njump()\n",
    ),
    "behind an access": (
        "[p0, p1]\ni1 = getfield_gc_i(p0, descr=Base.tag)\nguard_nonnull(p0) []\nguard_is_object(p0) []\n"
        "i2 = arraylen_gc(p1, descr=Ints)\nguard_nonnull(p1) []\njump(i1, i2)\n",
        "[p0, p1]\ni1 = getfield_gc_i(p0, descr=Base.tag)\ni2 = arraylen_gc(p1, descr=Ints)\njump(i1, i2)\n",
    ),
    "behind the same guard, of an undeclared class": (
        "[p0, p1]\nguard_subclass(p0, ConstClass(A)) []\nguard_subclass(p0, ConstClass(A)) []\n"
        "guard_is_object(p0) []\nguard_is_object(p1) []\nguard_is_object(p1) []\njump()\n",
        "[p0, p1]\nguard_subclass(p0, ConstClass(A), origin=0) []\nguard_is_object(p1, origin=3) []\njump()\n",
    ),
    "a number of a type": (
        "[p0]\nguard_gc_type(p0, 3) []\nguard_gc_type(p0, 3) []\nguard_nonnull(p0) []\njump()\n",
        "[p0]\nguard_gc_type(p0, 3, origin=0) []\njump()\n",
    ),
    "an exception that was caught": (
        "[i0]\ncall_n(i0)\np1 = guard_exception(ConstClass(E)) []\nguard_nonnull(p1) []\n"
        "guard_class(p1, ConstClass(E)) []\nguard_subclass(p1, ConstClass(E)) []\njump(p1)\n",
        "[i0]\ncall_n(i0)\np1 = guard_exception(ConstClass(E), origin=0) []\njump(p1)\n",
    ),
    "behind an undeclared access": (
        "[p0]\ni1 = getfield_gc_i(p0, descr=foo)\nguard_nonnull(p0) []\njump(i1)\n",
        "[p0]\ni1 = getfield_gc_i(p0, descr=foo)\njump(i1)\n",
    ),
    "behind facts": (
        "[p0, p1]\nrecord_exact_class(p0, ConstClass(Node))\nguard_class(p0, ConstClass(Node)) []\n"
        "assert_not_none(p1)\nguard_nonnull(p1) []\nassert_not_none(p0)\njump()\n",
        "[p0, p1]\nrecord_exact_class(p0, ConstClass(Node))\nassert_not_none(p1)\njump()\n",
    ),
    "behind the fact that two are one": (
        "[p0, p1]\ni2 = ptr_eq(p0, p1)\nrecord_exact_value_i(i2, 1)\nguard_nonnull(p0) [p1]\n"
        "guard_nonnull(p1) []\njump(p1)\n",
        "[p0, p1]\ni2 = ptr_eq(p0, p1)\nrecord_exact_value_i(i2, 1)\nguard_nonnull(p0, origin=0) [p0]\njump(p0)\n",
    ),
    "the value, from then on": (
        "[p0]\nguard_value(p0, ConstPtr(a)) []\ni1 = ptr_eq(p0, ConstPtr(b))\ni2 = ptr_eq(p0, ConstPtr(a))\n"
        "guard_nonnull(p0) []\njump(p0, i1, i2)\n",
        "[p0]\nguard_value(p0, ConstPtr(a), origin=0) []\njump(ConstPtr(a), 0, 1)\n",
    ),
    "NULL, from then on": (
        "[p0]\nguard_isnull(p0) []\nguard_isnull(p0) []\njump(p0)\n",
        "[p0]\nguard_isnull(p0, origin=0) []\njump(NULL)\n",
    ),
    "identity, behind a guard on a test": (
        "[p0, p1]\ni2 = ptr_eq(p0, p1)\nguard_true(i2) []\ni3 = ptr_ne(p1, p0)\njump(i3)\n",
        "[p0, p1]\ni2 = ptr_eq(p0, p1)\nguard_true(i2, origin=0) []\njump(0)\n",
    ),
    "NULL or not, behind a guard on a test": (
        "[p0]\ni2 = ptr_ne(p0, NULL)\nguard_true(i2) []\nguard_nonnull(p0) []\njump()\n",
        "[p0]\ni2 = ptr_ne(p0, NULL)\nguard_nonnull(p0, origin=0) []\njump()\n",
    ),
    "objects of unrelated structs": (
        "[p0, p1]\ni2 = getfield_gc_i(p0, descr=Base.tag)\ni3 = getfield_gc_i(p1, descr=Other.x)\n"
        "i4 = instance_ptr_eq(p0, p1)\njump(i2, i3, i4)\n",
        "[p0, p1]\ni2 = getfield_gc_i(p0, descr=Base.tag)\ni3 = getfield_gc_i(p1, descr=Other.x)\njump(i2, i3, 0)\n",
    ),
    "lengths": (
        "[p0]\ni1 = arraylen_gc(ConstPtr(t), descr=Ints)\ni2 = arraylen_gc(p0, descr=Ints)\n"
        "i3 = arraylen_gc(p0, descr=Ints)\njump(i1, i2, i3)\n",
        "[p0]\ni2 = arraylen_gc(p0, descr=Ints)\njump(2, i2, i2)\n",
    ),
    "the code is valid until it may not be": (
        "[]\nguard_not_invalidated() []\nguard_not_invalidated() []\ncall_n(descr=quiet)\nguard_not_invalidated() []\n"
        "escape_n()\nguard_not_invalidated() []\njump()\n",
        "[]\nguard_not_invalidated(origin=0) []\ncall_n(descr=quiet)\nescape_n()\n"
        "guard_not_invalidated(origin=3) []\njump()\n",
    ),
    "the other name of a reference": ("[p0]\np1 = same_as_r(p0)\njump(p1)\n", "[p0]\njump(p0)\n"),
}


@pytest.mark.parametrize(("before", "after"), SETTLED.values(), ids=SETTLED)
def test_what_is_settled_goes(before: str, after: str) -> None:
    assert_becomes(TYPES + before, TYPES + after, "references")


MERGED = {
    "a class and then a value of that class": (
        "[p0, i0]\nguard_class(p0, ConstClass(Node)) [i0]\nguard_value(p0, ConstPtr(a)) []\njump()\n",
        "[p0, i0]\nguard_value(p0, ConstPtr(a), origin=0) [i0]\njump()\n",
    ),
    "a class": (
        "[p0, i1]\nguard_nonnull(p0) [i1]\nguard_true(i1) [p0]\nguard_class(p0, ConstClass(Node)) [p0]\njump()\n",
        "[p0, i1]\nguard_nonnull_class(p0, ConstClass(Node), origin=0) [i1]\nguard_true(i1, origin=1) [p0]\njump()\n",
    ),
    "a class, behind an event": (
        "[p0]\nguard_nonnull(p0) []\nescape_n()\nguard_class(p0, ConstClass(Node)) [p0]\njump()\n",
        "[p0]\nguard_nonnull_class(p0, ConstClass(Node), origin=0) []\nescape_n()\njump()\n",
    ),
    "a class, behind a function that may raise": (
        "[p0, i1]\nguard_nonnull(p0) [i1]\ni2 = call_pure_i(1, i1, descr=f)\nguard_no_exception() [p0]\n"
        "guard_class(p0, ConstClass(Node)) [p0]\njump(i2)\n",
        "[p0, i1]\nguard_nonnull_class(p0, ConstClass(Node), origin=0) [i1]\ni2 = call_pure_i(1, i1, descr=f)\n"
        "guard_no_exception(origin=1) [p0]\njump(i2)\n",
    ),
    "a class that is checked for NULL again": (
        "[p0]\nguard_nonnull(p0) []\nguard_nonnull_class(p0, ConstClass(Node)) [p0]\njump()\n",
        "[p0]\nguard_nonnull_class(p0, ConstClass(Node), origin=0) []\njump()\n",
    ),
    "a class and a value, one into the other": (
        "[p0]\nguard_nonnull(p0) [p0]\nguard_class(p0, ConstClass(Node)) []\n"
        "guard_value(p0, ConstPtr(a)) []\njump(p0)\n",
        "[p0]\nguard_value(p0, ConstPtr(a), origin=0) [p0]\njump(ConstPtr(a))\n",
    ),
    "a value": (
        "[p0]\nguard_nonnull(p0) [p0]\nguard_value(p0, ConstPtr(a)) []\njump(p0)\n",
        "[p0]\nguard_value(p0, ConstPtr(a), origin=0) [p0]\njump(ConstPtr(a))\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), MERGED.values(), ids=MERGED)
def test_guards_are_merged_at_the_place_of_the_first(before: str, after: str) -> None:
    assert_becomes(TYPES + before, TYPES + after, "references")


def test_a_merged_guard_keeps_the_exit_block_of_the_first() -> None:
    assert_becomes(
        "[p0, p1]\nsetfield_gc(p1, 1, descr=x)\nguard_nonnull(p0) []\nsetfield_gc(p1, 2, descr=x)\n"
        "guard_class(p0, ConstClass(A)) [p0]\njump()\n",
        "[p0, p1]\nguard_nonnull_class(p0, ConstClass(A), origin=0) [] {\n    setfield_gc(p1, 1, descr=x)\n}\n"
        "setfield_gc(p1, 2, descr=x)\njump()\n",
        "references",
        "heap",
    )


STAY = {
    "merged into a guard with an exit block of its own": (
        "[p0, p1]\nguard_nonnull(p0, origin=0) [] {\n    setfield_gc(p1, 2, descr=x)\n}\n"
        "guard_class(p0, ConstClass(Node), origin=1) []\njump()\n"
    ),
    "a class and then a value of which no class is known": (
        "[p0]\nguard_class(p0, ConstClass(Node), origin=0) []\nguard_value(p0, ConstPtr(y), origin=1) []\njump()\n"
    ),
    "two class names that are not declared": (
        "[p0]\nguard_class(p0, ConstClass(A), origin=0) []\nguard_class(p0, ConstClass(B), origin=1) []\njump()\n"
    ),
    "identity of what may be one object": (
        "[p0, p1]\ni2 = ptr_eq(p0, p1)\ni3 = ptr_eq(p0, NULL)\ni4 = ptr_eq(p0, ConstPtr(a))\njump(i2, i3, i4)\n"
    ),
    "the class of an object that is at least of a struct": (
        "[p0]\ni1 = getfield_gc_i(p0, descr=Base.tag)\nguard_class(p0, ConstClass(Node), origin=0) []\njump(i1)\n"
    ),
    "an undeclared access says nothing of the class": (
        "[p0, p1]\ni2 = getfield_gc_i(p0, descr=A.x)\ni3 = getfield_gc_i(p1, descr=B.y)\ni4 = ptr_eq(p0, p1)\n"
        "guard_is_object(p0, origin=0) []\njump(i2, i3, i4)\n"
    ),
    "constants that are not declared": "[]\ni1 = ptr_eq(ConstPtr(y), ConstPtr(z))\njump(i1)\n",
    "the code behind an event that can invalidate": (
        "[p0]\nguard_not_invalidated(origin=0) []\nescape_n()\nguard_not_invalidated(origin=1) []\njump()\n"
    ),
    "what a length is": "[p0]\ni1 = arraylen_gc(p0, descr=Ints)\nguard_value(i1, 2, origin=0) []\njump()\n",
}


@pytest.mark.parametrize("text", STAY.values(), ids=STAY)
def test_what_is_not_settled_stays(text: str) -> None:
    assert_stays(TYPES + text, "references")


def test_a_guard_that_fails_is_told() -> None:
    done = assert_becomes(
        TYPES + "[p0]\nguard_class(p0, ConstClass(Node)) []\nguard_class(p0, ConstClass(Leaf)) [p0]\njump(p0)\n",
        TYPES + "[p0]\nguard_class(p0, ConstClass(Node), origin=0) []\nguard_always_fails(origin=1) [p0]\njump(p0)\n",
        "references",
    )
    assert done.always_fails == 1


def test_accesses_require_one_thing_of_references_and_allocations_nothing() -> None:
    """What is known of an object already is not asked for again."""
    for row in [row for row in OPS.values() if row.kind in (Kind.LOAD, Kind.STORE)]:
        first, *others = _telling(row)
        assert first is OBJECT[0]
        assert all(one(_WORDS, _HEAP, None, *(row.args or ())) is None for one in others)
    assert not any(_telling(row) for row in OPS.values() if row.kind is Kind.NEW)


@pytest.mark.parametrize(
    ("lines", "given"),
    [
        (["i2 = {item}(p0, i0)", "i3 = int_lt(i0, 0)"], "0"),
        (["i2 = {item}(p0, i0)", "i3 = int_gt(i0, 3)"], "i3"),
        (["i2 = {item}(p0, 3)", "i4 = {length}(p0)", "i3 = int_gt(i4, 3)"], "1"),
        (["i2 = {item}(p0, 3)", "i4 = {length}(p0)", "i3 = int_gt(i4, 4)"], "i3"),
        (["i4 = {length}(p0)", "i2 = {item}(p0, 3)", "i3 = int_gt(i4, 3)"], "1"),
        (["i4 = {length}(p0)", "guard_value(i4, 4) []", "i2 = {item}(p0, i0)", "i3 = int_gt(i0, 3)"], "0"),
        (["i2 = {item}(p0, 3)", "guard_value(p0, p1) []", "i4 = {length}(p1)", "i3 = int_gt(i4, 3)"], "1"),
        (["{store}(p0, i0, 65)", "i3 = int_lt(i0, 0)"], "0"),
    ],
)
@pytest.mark.parametrize("kind", ["str", "array"])
def test_an_access_to_an_item_bounds_its_index_and_the_length(kind: str, lines: list[str], given: str) -> None:
    is_array = kind == "array"
    names = {
        "item": "getarrayitem_gc_i" if is_array else "strgetitem",
        "store": "setarrayitem_gc" if is_array else "strsetitem",
        "length": "arraylen_gc" if is_array else "strlen",
    }
    described = [one.format(**names) for one in lines]
    if is_array:
        described = [f"{one[:-1]}, descr=A)" if "_gc" in one else one for one in described]
    before = parse("\n".join(["[p0, p1, i0]", *described, "finish(i3)", ""]))
    after = optimize(before)
    assert str(after.end.args[0]) == given
    assert isinstance(validate(before, after), Proved)


@pytest.mark.parametrize(
    ("test", "guard", "becomes"),
    [
        ("ptr_eq(p0, ConstPtr(a))", "guard_true(i1{}) []", "guard_value(p0, ConstPtr(a){}) []"),
        ("instance_ptr_eq(ConstPtr(a), p0)", "guard_true(i1{}) []", "guard_value(p0, ConstPtr(a){}) []"),
        ("ptr_ne(p0, ConstPtr(a))", "guard_false(i1{}) []", "guard_value(p0, ConstPtr(a){}) []"),
        ("ptr_ne(p0, ConstPtr(a))", "guard_true(i1{}) []", None),
        ("ptr_eq(p0, NULL)", "guard_true(i1{}) []", "guard_isnull(p0{}) []"),
        ("ptr_eq(p0, NULL)", "guard_false(i1{}) []", "guard_nonnull(p0{}) []"),
        ("ptr_eq(p0, p1)", "guard_true(i1{}) []", None),
        ("int_lt(i0, 7)", "guard_true(i1{}) []", None),
    ],
)
def test_a_guard_on_whether_a_reference_is_a_constant_looks_at_it(test: str, guard: str, becomes: str | None) -> None:
    text = f"[p0, p1, i0]\ni1 = {test}\n{{}}\nfinish()\n"
    after = guard if becomes is None else becomes
    origin = ", origin=0"
    assert_becomes(text.format(guard.format("")), text.format(after.format(origin)), "references")


def test_a_check_for_null_joins_a_later_test_for_one_constant() -> None:
    assert_becomes(
        "[p0, p1]\nguard_nonnull(p0) [p0, p1]\ni1 = ptr_eq(p0, ConstPtr(a))\nguard_true(i1) [p1]\nfinish(i1)\n",
        "[p0, p1]\nguard_value(p0, ConstPtr(a), origin=0) [p0, p1]\nfinish(1)\n",
        *("references", "guards", "dead-code"),
    )
