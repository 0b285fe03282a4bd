"""Loads and stores: what goes, and what must stay."""

import pytest
from cases import assert_becomes, assert_stays
from declared_calls import event

from optimizer import format_trace, optimize, parse
from optimizer.facts.cells import MOST_CELLS
from optimizer.passes.delayed import MOST_DELAYED

TYPES = (
    """+++
[struct.Base]
vtable = "base_vt"
fields = { tag = "u8" }
[struct.Node]
parent = "Base"
[struct.Node.fields]
value = "int"
next = "ref"
fixed = { type = "int", immutable = true }
code = { type = "int", quasi_immutable = true }
[struct.Leaf]
parent = "Base"
fields = { weight = "int" }
[array.Ints]
item = "int"
[array.Refs]
item = "ref"
"""
    + event("poke", writes="Node.value")
    + event("look", reads="Node.value")
    + event("fix", writes="Node.fixed")
    + """[call.spoil]
result = "void"
can_invalidate = true
[const.a]
struct = "Node"
fields = { fixed = 7, code = 2 }
[const.b]
struct = "Node"
[const.t]
array = "Ints"
length = 2
+++
"""
)


def becomes(before: str, after: str, *passes: str) -> None:
    assert_becomes(TYPES + before, TYPES + after, *(passes or ("heap",)))


def stays(text: str, *passes: str) -> None:
    assert_stays(TYPES + text, *(passes or ("heap",)))


READ = "i{} = getfield_gc_i(p0, descr=Node.code)\n"
WATCHED = "quasiimmut_field(p0, descr=Node.code)\nguard_not_invalidated(origin=0) []\n"

FORWARDED = {
    "a load of what has been loaded": (
        "[p0]\ni1 = getfield_gc_i(p0, descr=Node.value)\ni2 = getfield_gc_i(p0, descr=Node.value)\njump(i1, i2)\n",
        "[p0]\ni1 = getfield_gc_i(p0, descr=Node.value)\njump(i1, i1)\n",
    ),
    "a load of what has been stored": (
        "[p0, i0]\nsetfield_gc(p0, i0, descr=Node.value)\ni2 = getfield_gc_i(p0, descr=Node.value)\njump(i2)\n",
        "[p0, i0]\nsetfield_gc(p0, i0, descr=Node.value)\njump(i0)\n",
    ),
    "behind a store to another field": (
        "[p0, p1, i0]\ni1 = getfield_gc_i(p0, descr=Node.value)\nsetfield_gc(p1, i0, descr=Leaf.weight)\n"
        "i2 = getfield_gc_i(p0, descr=Node.value)\njump(i1, i2)\n",
        "[p0, p1, i0]\ni1 = getfield_gc_i(p0, descr=Node.value)\nsetfield_gc(p1, i0, descr=Leaf.weight)\n"
        "jump(i1, i1)\n",
    ),
    "behind a store to the field by another descr of an unrelated class": (
        "[p0, p1]\ni1 = getfield_gc_i(p0, descr=Node.tag)\nsetfield_gc(p1, 3, descr=Leaf.tag)\n"
        "i2 = getfield_gc_i(p0, descr=Node.tag)\njump(i1, i2)\n",
        "[p0, p1]\ni1 = getfield_gc_i(p0, descr=Node.tag)\nsetfield_gc(p1, 3, descr=Leaf.tag)\njump(i1, i1)\n",
    ),
    "behind an event that writes another field": (
        "[p0]\ni1 = getfield_gc_i(p0, descr=Node.code)\ncall_n(p0, descr=poke)\n"
        "i2 = getfield_gc_i(p0, descr=Node.code)\njump(i1, i2)\n",
        "[p0]\ni1 = getfield_gc_i(p0, descr=Node.code)\ncall_n(p0, descr=poke)\njump(i1, i1)\n",
    ),
    "an immutable field behind any event": (
        "[p0]\ni1 = getfield_gc_i(p0, descr=Node.fixed)\nescape_n(p0)\n"
        "i2 = getfield_gc_i(p0, descr=Node.fixed)\njump(i1, i2)\n",
        "[p0]\ni1 = getfield_gc_i(p0, descr=Node.fixed)\nescape_n(p0)\njump(i1, i1)\n",
    ),
    "an item at another index than a store's": (
        "[p0]\ni1 = getarrayitem_gc_i(p0, 0, descr=Ints)\nsetarrayitem_gc(p0, 1, 5, descr=Ints)\n"
        "i2 = getarrayitem_gc_i(p0, 0, descr=Ints)\njump(i1, i2)\n",
        "[p0]\ni1 = getarrayitem_gc_i(p0, 0, descr=Ints)\nsetarrayitem_gc(p0, 1, 5, descr=Ints)\njump(i1, i1)\n",
    ),
    "an item at the same variable index": (
        "[p0, i0]\nsetarrayitem_gc(p0, i0, 5, descr=Ints)\ni2 = getarrayitem_gc_i(p0, i0, descr=Ints)\njump(i2)\n",
        "[p0, i0]\nsetarrayitem_gc(p0, i0, 5, descr=Ints)\njump(5)\n",
    ),
    "behind a store to another constant": (
        "[]\ni1 = getfield_gc_i(ConstPtr(a), descr=Node.value)\nsetfield_gc(ConstPtr(b), 5, descr=Node.value)\n"
        "i2 = getfield_gc_i(ConstPtr(a), descr=Node.value)\njump(i1, i2)\n",
        "[]\ni1 = getfield_gc_i(ConstPtr(a), descr=Node.value)\nsetfield_gc(ConstPtr(b), 5, descr=Node.value)\n"
        "jump(i1, i1)\n",
    ),
    "behind a store to a fresh object": (
        "[p0]\np2 = new(descr=Node)\ni1 = getfield_gc_i(p0, descr=Node.value)\nsetfield_gc(p2, 5, descr=Node.value)\n"
        "i2 = getfield_gc_i(p0, descr=Node.value)\njump(i1, i2, p2)\n",
        "[p0]\np2 = new(descr=Node)\ni1 = getfield_gc_i(p0, descr=Node.value)\nsetfield_gc(p2, 5, descr=Node.value)\n"
        "jump(i1, i1, p2)\n",
    ),
    "what a fresh object holds, behind an event and a store elsewhere": (
        "[p0]\np2 = new(descr=Node)\nescape_n()\nsetfield_gc(p0, 5, descr=Node.value)\n"
        "i1 = getfield_gc_i(p2, descr=Node.value)\njump(i1, p2)\n",
        "[p0]\np2 = new(descr=Node)\nescape_n()\nsetfield_gc(p0, 5, descr=Node.value)\njump(0, p2)\n",
    ),
    "a declared immutable field of a constant": (
        "[]\nescape_n()\ni1 = getfield_gc_i(ConstPtr(a), descr=Node.fixed)\njump(i1)\n",
        "[]\nescape_n()\njump(7)\n",
    ),
    "behind a store to an array of another length": (
        "[p0]\ni1 = getarrayitem_gc_i(ConstPtr(t), 0, descr=Ints)\np2 = new_array_clear(3, descr=Ints)\nescape_n(p2)\n"
        "p3 = escape_r()\ni4 = arraylen_gc(p3, descr=Ints)\nguard_value(i4, 3, origin=0) []\n"
        "i5 = getarrayitem_gc_i(ConstPtr(t), 0, descr=Ints)\nsetarrayitem_gc(p3, 0, 5, descr=Ints)\n"
        "i6 = getarrayitem_gc_i(ConstPtr(t), 0, descr=Ints)\njump(i5, i6)\n",
        "[p0]\ni1 = getarrayitem_gc_i(ConstPtr(t), 0, descr=Ints)\np2 = new_array_clear(3, descr=Ints)\nescape_n(p2)\n"
        "p3 = escape_r()\ni4 = arraylen_gc(p3, descr=Ints)\nguard_value(i4, 3, origin=0) []\n"
        "i5 = getarrayitem_gc_i(ConstPtr(t), 0, descr=Ints)\nsetarrayitem_gc(p3, 0, 5, descr=Ints)\njump(i5, i5)\n",
    ),
    "behind a store to an object with another immutable field": (
        "[p0, p1]\ni1 = getfield_gc_i(p0, descr=Node.fixed)\nguard_value(i1, 1, origin=0) []\n"
        "i2 = getfield_gc_i(p1, descr=Node.fixed)\nguard_value(i2, 2, origin=1) []\n"
        "i3 = getfield_gc_i(p0, descr=Node.value)\nsetfield_gc(p1, 5, descr=Node.value)\n"
        "i4 = getfield_gc_i(p0, descr=Node.value)\njump(i3, i4)\n",
        "[p0, p1]\ni1 = getfield_gc_i(p0, descr=Node.fixed)\nguard_value(i1, 1, origin=0) []\n"
        "i2 = getfield_gc_i(p1, descr=Node.fixed)\nguard_value(i2, 2, origin=1) []\n"
        "i3 = getfield_gc_i(p0, descr=Node.value)\nsetfield_gc(p1, 5, descr=Node.value)\njump(i3, i3)\n",
    ),
    "a quasi-immutable field behind an event that cannot invalidate": (
        "[p0]\nquasiimmut_field(p0, descr=Node.code)\nguard_not_invalidated(origin=0) []\n"
        "i1 = getfield_gc_i(p0, descr=Node.code)\ncall_n(descr=quiet)\n"
        "i2 = getfield_gc_i(p0, descr=Node.code)\njump(i1, i2)\n",
        "[p0]\nquasiimmut_field(p0, descr=Node.code)\nguard_not_invalidated(origin=0) []\n"
        "i1 = getfield_gc_i(p0, descr=Node.code)\ncall_n(descr=quiet)\njump(i1, i1)\n",
    ),
    "a quasi-immutable field watched behind the guard": (
        "[p0]\nguard_not_invalidated(origin=0) []\nquasiimmut_field(p0, descr=Node.code)\n"
        "i1 = getfield_gc_i(p0, descr=Node.code)\ncall_n(descr=quiet)\n"
        "i2 = getfield_gc_i(p0, descr=Node.code)\njump(i1, i2)\n",
        "[p0]\nguard_not_invalidated(origin=0) []\nquasiimmut_field(p0, descr=Node.code)\n"
        "i1 = getfield_gc_i(p0, descr=Node.code)\ncall_n(descr=quiet)\njump(i1, i1)\n",
    ),
    "a quasi-immutable field where a guard stands behind the event that can invalidate": (
        f"[p0]\n{WATCHED}{READ.format(1)}call_n(descr=spoil)\nescape_n()\nguard_not_invalidated(origin=1) []\n"
        f"call_n(descr=quiet)\n{READ.format(2)}jump(i1, i2)\n",
        f"[p0]\n{WATCHED}{READ.format(1)}call_n(descr=spoil)\nescape_n()\nguard_not_invalidated(origin=1) []\n"
        "call_n(descr=quiet)\njump(i1, i1)\n",
    ),
    "what the trace has stored to a watched field": (
        f"[p0]\n{WATCHED}{READ.format(1)}setfield_gc(p0, 5, descr=Node.code)\ncall_n(descr=spoil)\n"
        f"guard_not_invalidated(origin=1) []\n{READ.format(2)}jump(i1, i2)\n",
        f"[p0]\n{WATCHED}{READ.format(1)}setfield_gc(p0, 5, descr=Node.code)\ncall_n(descr=spoil)\n"
        "guard_not_invalidated(origin=1) []\njump(i1, 5)\n",
    ),
    "a declared quasi-immutable field of a constant behind an event": (
        "[]\nquasiimmut_field(ConstPtr(a), descr=Node.code)\nescape_n()\nguard_not_invalidated(origin=0) []\n"
        "i1 = getfield_gc_i(ConstPtr(a), descr=Node.code)\njump(i1)\n",
        "[]\nquasiimmut_field(ConstPtr(a), descr=Node.code)\nescape_n()\nguard_not_invalidated(origin=0) []\njump(2)\n",
    ),
    "a declared quasi-immutable field of a constant": (
        "[]\nquasiimmut_field(ConstPtr(a), descr=Node.code)\nguard_not_invalidated(origin=0) []\n"
        "i1 = getfield_gc_i(ConstPtr(a), descr=Node.code)\njump(i1)\n",
        "[]\nquasiimmut_field(ConstPtr(a), descr=Node.code)\nguard_not_invalidated(origin=0) []\njump(2)\n",
    ),
}
QUIET = '[call.quiet]\nresult = "void"\n+++\n'
TYPES = TYPES.removesuffix("+++\n") + QUIET


@pytest.mark.parametrize(("before", "after"), FORWARDED.values(), ids=FORWARDED)
def test_loads_are_forwarded(before: str, after: str) -> None:
    becomes(before, after, "heap", "guards")


STAY = {
    "behind a store to what may be the object": (
        "[p0, p1]\ni1 = getfield_gc_i(p0, descr=Node.value)\nsetfield_gc(p1, 5, descr=Node.value)\n"
        "i2 = getfield_gc_i(p0, descr=Node.value)\njump(i1, i2)\n"
    ),
    "behind a store by the descr of a parent": (
        "[p0, p1]\ni1 = getfield_gc_i(p0, descr=Node.tag)\nsetfield_gc(p1, 5, descr=Base.tag)\n"
        "i2 = getfield_gc_i(p0, descr=Node.tag)\njump(i1, i2)\n"
    ),
    "behind an event": (
        "[p0]\ni1 = getfield_gc_i(p0, descr=Node.value)\nescape_n()\n"
        "i2 = getfield_gc_i(p0, descr=Node.value)\njump(i1, i2)\n"
    ),
    "behind an event that writes the field": (
        "[p0]\ni1 = getfield_gc_i(p0, descr=Node.value)\ncall_n(descr=poke)\n"
        "i2 = getfield_gc_i(p0, descr=Node.value)\njump(i1, i2)\n"
    ),
    "an immutable field behind an event that names it": (
        "[p0]\nsetfield_gc(p0, 4, descr=Node.fixed)\ncall_n(descr=fix)\n"
        "i2 = getfield_gc_i(p0, descr=Node.fixed)\njump(i2)\n"
    ),
    "a declared constant's field behind an event that names it": (
        "[]\ncall_n(descr=fix)\ni2 = getfield_gc_i(ConstPtr(a), descr=Node.fixed)\njump(i2)\n"
    ),
    "a declared constant's field behind a store to what it may be": (
        "[p0]\nsetfield_gc(p0, 4, descr=Node.fixed)\ni2 = getfield_gc_i(ConstPtr(a), descr=Node.fixed)\njump(i2)\n"
    ),
    "an item behind a store at a variable index": (
        "[p0, i0]\ni1 = getarrayitem_gc_i(p0, 0, descr=Ints)\nsetarrayitem_gc(p0, i0, 5, descr=Ints)\n"
        "i2 = getarrayitem_gc_i(p0, 0, descr=Ints)\njump(i1, i2)\n"
    ),
    "an item of a fresh array behind a store at a variable index": (
        "[i0]\np0 = new_array_clear(3, descr=Ints)\nsetarrayitem_gc(p0, i0, 5, descr=Ints)\n"
        "i2 = getarrayitem_gc_i(p0, 0, descr=Ints)\njump(i2, p0)\n"
    ),
    "behind a store to a constant that is not declared": (
        "[]\ni1 = getfield_gc_i(ConstPtr(a), descr=Node.value)\nsetfield_gc(ConstPtr(z), 5, descr=Node.value)\n"
        "i2 = getfield_gc_i(ConstPtr(a), descr=Node.value)\njump(i1, i2)\n"
    ),
    "an undeclared field behind a store to another object": (
        "[p0, p1]\ni0 = getfield_gc_i(p0, descr=A.x)\ni1 = getfield_gc_i(p1, descr=B.y)\nsetfield_gc(p1, 5, "
        "descr=A.x)\ni2 = getfield_gc_i(p0, descr=A.x)\njump(i0, i1, i2)\n"
    ),
    "a fresh object that an event has seen, found again": (
        "[p0]\np1 = new(descr=Node)\nescape_n(p1)\np2 = getfield_gc_r(p0, descr=Node.next)\n"
        "i1 = getfield_gc_i(p1, descr=Node.value)\nsetfield_gc(p2, 5, descr=Node.value)\n"
        "i2 = getfield_gc_i(p1, descr=Node.value)\njump(i1, i2)\n"
    ),
    "a fresh object that is the result of the event that it is handed to": (
        "[]\np1 = new(descr=Node)\np2 = escape_r(p1)\ni1 = getfield_gc_i(p1, descr=Node.value)\n"
        "setfield_gc(p2, 5, descr=Node.value)\ni2 = getfield_gc_i(p1, descr=Node.value)\njump(i1, i2)\n"
    ),
    "a fresh object that was put into an array of the trace's own": (
        "[i0]\np1 = new(descr=Node)\np2 = new_array_clear(3, descr=Refs)\nsetarrayitem_gc(p2, i0, p1, descr=Refs)\n"
        "p3 = getarrayitem_gc_r(p2, 1, descr=Refs)\nsetfield_gc(p3, 5, descr=Node.value)\n"
        "i2 = getfield_gc_i(p1, descr=Node.value)\njump(i2)\n"
    ),
    "a quasi-immutable field behind an event that can invalidate": (
        "[p0]\nquasiimmut_field(p0, descr=Node.code)\nguard_not_invalidated(origin=0) []\n"
        "i1 = getfield_gc_i(p0, descr=Node.code)\ncall_n(descr=spoil)\n"
        "i2 = getfield_gc_i(p0, descr=Node.code)\njump(i1, i2)\n"
    ),
    "a quasi-immutable field that has not been watched": (
        "[p0]\nguard_not_invalidated(origin=0) []\ni1 = getfield_gc_i(p0, descr=Node.code)\ncall_n(descr=quiet)\n"
        "i2 = getfield_gc_i(p0, descr=Node.code)\njump(i1, i2)\n"
    ),
    "a quasi-immutable field watched without a guard": (
        "[p0]\nquasiimmut_field(p0, descr=Node.code)\ni1 = getfield_gc_i(p0, descr=Node.code)\ncall_n(descr=quiet)\n"
        "i2 = getfield_gc_i(p0, descr=Node.code)\njump(i1, i2)\n"
    ),
    "a quasi-immutable field watched behind the event only": (
        f"[p0]\nguard_not_invalidated(origin=0) []\n{READ.format(1)}call_n(descr=spoil)\n"
        f"{WATCHED.replace('=0', '=1')}{READ.format(2)}jump(i1, i2)\n"
    ),
    "a quasi-immutable field of another object": (
        f"[p0, p1]\n{WATCHED.replace('p0', 'p1')}{READ.format(1)}call_n(descr=spoil)\n"
        f"guard_not_invalidated(origin=1) []\n{READ.format(2)}jump(i1, i2)\n"
    ),
    "a watched field behind a store that may be to it": (
        f"[p0, p1]\n{WATCHED}{READ.format(1)}call_n(descr=spoil)\nsetfield_gc(p1, 5, descr=Node.code)\n"
        "call_n(descr=spoil)\n"
        f"guard_not_invalidated(origin=1) []\n{READ.format(2)}jump(i1, i2)\n"
    ),
    "a constant's quasi-immutable field that an event may have written before": (
        "[]\nescape_n()\nquasiimmut_field(ConstPtr(a), descr=Node.code)\nguard_not_invalidated(origin=0) []\n"
        "i1 = getfield_gc_i(ConstPtr(a), descr=Node.code)\njump(i1)\n"
    ),
    "a constant's quasi-immutable field that is not watched": (
        "[]\ni1 = getfield_gc_i(ConstPtr(a), descr=Node.code)\njump(i1)\n"
    ),
}


@pytest.mark.parametrize("text", STAY.values(), ids=STAY)
def test_loads_stay(text: str) -> None:
    stays(text, "heap", "references", "guards")


STORES = {
    "what was read is not written back": (
        "[p0]\ni1 = getfield_gc_i(p0, descr=Node.value)\nsetfield_gc(p0, i1, descr=Node.value)\njump(i1)\n",
        "[p0]\ni1 = getfield_gc_i(p0, descr=Node.value)\njump(i1)\n",
    ),
    "a store that is overwritten": (
        "[p0]\nsetfield_gc(p0, 1, descr=Node.value)\nsetfield_gc(p0, 2, descr=Node.value)\njump()\n",
        "[p0]\nsetfield_gc(p0, 2, descr=Node.value)\njump()\n",
    ),
    "a store that is overwritten behind a guard": (
        "[p0, i0]\nsetfield_gc(p0, 1, descr=Node.value)\nguard_true(i0) [p0]\n"
        "setfield_gc(p0, 2, descr=Node.value)\njump()\n",
        "[p0, i0]\nguard_true(i0, origin=0) [p0] {\n    setfield_gc(p0, 1, descr=Node.value)\n}\n"
        "setfield_gc(p0, 2, descr=Node.value)\njump()\n",
    ),
    "what was there before a store that is overwritten": (
        "[p0, i0]\ni1 = getfield_gc_i(p0, descr=Node.value)\nsetfield_gc(p0, 1, descr=Node.value)\n"
        "guard_true(i0) [p0]\nsetfield_gc(p0, i1, descr=Node.value)\njump(i1)\n",
        "[p0, i0]\ni1 = getfield_gc_i(p0, descr=Node.value)\nguard_true(i0, origin=0) [p0] {\n"
        "    setfield_gc(p0, 1, descr=Node.value)\n}\njump(i1)\n",
    ),
    "what was there before two stores that are overwritten": (
        "[p0]\ni1 = getfield_gc_i(p0, descr=Node.value)\nsetfield_gc(p0, 1, descr=Node.value)\n"
        "setfield_gc(p0, 2, descr=Node.value)\nsetfield_gc(p0, i1, descr=Node.value)\n"
        "i2 = getfield_gc_i(p0, descr=Node.value)\njump(i2)\n",
        "[p0]\ni1 = getfield_gc_i(p0, descr=Node.value)\njump(i1)\n",
    ),
    "a delayed store comes before the exit block that is there": (
        "[p0, i0]\nsetfield_gc(p0, 1, descr=Node.value)\nguard_true(i0) [p0] {\n"
        "    setfield_gc(p0, 3, descr=Node.value)\n}\nsetfield_gc(p0, 2, descr=Node.value)\njump()\n",
        "[p0, i0]\nguard_true(i0, origin=0) [p0] {\n    setfield_gc(p0, 1, descr=Node.value)\n"
        "    setfield_gc(p0, 3, descr=Node.value)\n}\nsetfield_gc(p0, 2, descr=Node.value)\njump()\n",
    ),
    "a store that is overwritten behind an event that does not see it": (
        "[p0]\nsetfield_gc(p0, 1, descr=n)\ncall_n(descr=poke)\nsetfield_gc(p0, 2, descr=n)\njump()\n",
        "[p0]\ncall_n(descr=poke)\nsetfield_gc(p0, 2, descr=n)\njump()\n",
    ),
    "a store of 0 into a cleared object": (
        "[]\np0 = new(descr=Node)\nsetfield_gc(p0, 0, descr=Node.value)\njump(p0)\n",
        "[]\np0 = new(descr=Node)\njump(p0)\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), STORES.values(), ids=STORES)
def test_stores_go(before: str, after: str) -> None:
    becomes(before, after)


def test_what_a_guard_finds_out_is_stored_in_the_exit_blocks_behind_it() -> None:
    block = "{{\n    setfield_gc(p0, {}, descr=Node.value)\n}}\n"
    becomes(
        "[p0, i0, i1]\nsetfield_gc(p0, i1, descr=Node.value)\n"
        "guard_value(i1, 5) [p0]\nguard_value(i0, 7) [p0]\njump()\n",
        f"[p0, i0, i1]\nguard_value(i1, 5, origin=0) [p0] {block.format('i1')}"
        f"guard_value(i0, 7, origin=1) [p0] {block.format(5)}setfield_gc(p0, 5, descr=Node.value)\njump()\n",
        *("guards", "heap"),
    )


STORES_STAY = {
    "what was read, behind another store": (
        "[p0, p1]\ni1 = getfield_gc_i(p0, descr=Node.value)\nsetfield_gc(p1, 5, descr=Node.value)\n"
        "setfield_gc(p0, i1, descr=Node.value)\njump(i1)\n"
    ),
    "what was read, behind an event that writes it": (
        "[p0]\ni1 = getfield_gc_i(p0, descr=Node.value)\ncall_n(descr=poke)\n"
        "setfield_gc(p0, i1, descr=Node.value)\njump(i1)\n"
    ),
    "what was read, before a store that another one may change": (
        "[p0, p1]\ni1 = getfield_gc_i(p0, descr=Node.value)\nsetfield_gc(p0, 1, descr=Node.value)\n"
        "setfield_gc(p1, 2, descr=Node.value)\nsetfield_gc(p0, i1, descr=Node.value)\njump(i1)\n"
    ),
    "what was read, before a store that an event sees": (
        "[p0]\ni1 = getfield_gc_i(p0, descr=Node.value)\nsetfield_gc(p0, 1, descr=Node.value)\n"
        "call_n(descr=poke)\nsetfield_gc(p0, i1, descr=Node.value)\njump(i1)\n"
    ),
    "one that an event reads": (
        "[p0]\nsetfield_gc(p0, 1, descr=Node.value)\ncall_n(descr=look)\nsetfield_gc(p0, 2, descr=Node.value)\njump()\n"
    ),
    "one that an event may write": (
        "[p0]\nsetfield_gc(p0, 1, descr=Node.value)\ncall_n(descr=poke)\nsetfield_gc(p0, 2, descr=Node.value)\njump()\n"
    ),
    "one that a load may read": (
        "[p0, p1]\nsetfield_gc(p0, 1, descr=Node.value)\ni1 = getfield_gc_i(p1, descr=Node.value)\n"
        "setfield_gc(p0, 2, descr=Node.value)\njump(i1)\n"
    ),
    "one that is overwritten, if two are the same": (
        "[p0, p1]\nsetfield_gc(p0, 1, descr=Node.value)\nsetfield_gc(p1, 2, descr=Node.value)\njump()\n"
    ),
    "0 into an array that is not cleared": (
        "[]\np0 = new_array(1, descr=Ints)\nsetarrayitem_gc(p0, 0, 0, descr=Ints)\njump(p0)\n"
    ),
}


@pytest.mark.parametrize("text", STORES_STAY.values(), ids=STORES_STAY)
def test_stores_stay(text: str) -> None:
    stays(text)


def test_a_guard_without_a_list_sees_memory_as_it_is() -> None:
    stays(
        "[p0, i0]\nsetfield_gc(p0, 1, descr=Node.value)\nguard_true(i0, origin=0)\n"
        "setfield_gc(p0, 2, descr=Node.value)\njump()\n"
    )


def test_so_many_stores_wait_and_no_more() -> None:
    stores = [f"setfield_gc(p0, {n}, descr=f{n})\n" for n in range(MOST_DELAYED + 2)]
    block = "".join(f"    {store}" for store in stores[2:])
    trace = parse(f"[p0, i0]\n{''.join(stores)}guard_true(i0) []\njump()\n")
    after = f"[p0, i0]\n{stores[0]}{stores[1]}guard_true(i0, origin=0) [] {{\n{block}}}\n{''.join(stores[2:])}jump()\n"
    assert format_trace(optimize(trace, ["heap"])) == format_trace(parse(after))


def test_a_constant_learned_from_a_load_folds_a_sum() -> None:
    becomes(
        "[p0]\nsetfield_gc(p0, 4, descr=Node.value)\ni1 = getfield_gc_i(p0, descr=Node.value)\n"
        "i2 = int_add(i1, 1)\njump(i2)\n",
        "[p0]\nsetfield_gc(p0, 4, descr=Node.value)\njump(5)\n",
        "heap",
        "fold",
    )


def test_a_narrow_field_has_its_range() -> None:
    becomes(
        "[p0]\ni1 = getfield_gc_i(p0, descr=Base.tag)\ni2 = int_lt(i1, 256)\nguard_true(i2) []\njump(i1)\n",
        "[p0]\ni1 = getfield_gc_i(p0, descr=Base.tag)\ni2 = int_lt(i1, 256)\njump(i1)\n".replace(
            "i2 = int_lt(i1, 256)\n", ""
        ),
        "guards",
        "dead-code",
    )


def test_unused_loads_and_objects_go() -> None:
    becomes(
        "[p0, p9]\ni1 = getfield_gc_i(p0, descr=Node.value)\np2 = new(descr=Node)\np3 = new(descr=Node)\n"
        "setfield_gc(p2, p3, descr=Node.next)\nsetfield_gc(p3, p2, descr=Node.next)\ni4 = ptr_eq(p0, p9)\njump(p9)\n",
        "[p0, p9]\njump(p9)\n",
        "dead-code",
    )


def test_an_object_that_another_one_holds_is_used() -> None:
    stays(
        "[p0]\np2 = new(descr=Node)\nsetfield_gc(p0, p2, descr=Node.next)\nsetfield_gc(p2, 4, descr=Node.value)\n"
        "jump()\n",
        "dead-code",
    )


FOUND = "p1 = new_with_vtable(descr=Node)\np2 = virtual_ref(p1, 0)\n"


@pytest.mark.parametrize(
    ("between", "known"),
    [
        ("", True),
        ("setfield_gc(p1, 3, descr=Node.tag)\n", True),
        ("setfield_gc(p0, 3, descr=Node.value)\n", True),
        ("p5 = getfield_gc_r(p0, descr=Node.next)\nsetfield_gc(p5, 3, descr=Node.value)\n", False),
        ("call_n(ConstClass(f), descr=look)\n", True),
        ("call_n(ConstClass(f), descr=poke)\n", False),
        ("escape_n()\n", False),
    ],
)
def test_an_object_that_others_may_find_holds_what_its_allocation_cleared(between: str, known: bool) -> None:
    text = f"{TYPES}[p0]\n{FOUND}{between}i9 = getfield_gc_i(p1, descr=Node.value)\nfinish(i9)\n"
    given = str(optimize(parse(text), ("heap",)).end.args[0])
    assert given == ("0" if known else "i9")


@pytest.mark.parametrize(
    ("between", "known"),
    [
        ("", True),
        ("setarrayitem_gc(p1, 2, p0, descr=Refs)\n", True),
        ("p5 = getarrayitem_gc_r(p1, i0, descr=Refs)\n", True),
        ("p5 = getfield_gc_r(p0, descr=Node.next)\nsetarrayitem_gc(p5, 2, p0, descr=Refs)\n", True),
        ("p5 = getfield_gc_r(p0, descr=Node.next)\nsetarrayitem_gc(p5, 1, p0, descr=Refs)\n", False),
        ("setarrayitem_gc(p1, i0, p0, descr=Refs)\n", False),
        ("call_n(ConstClass(f), descr=shift)\n", False),
        ("escape_n()\n", False),
    ],
)
def test_an_array_that_others_may_find_holds_what_its_allocation_cleared(between: str, known: bool) -> None:
    found = "p1 = new_array_clear(4, descr=Refs)\nsetarrayitem_gc(p1, 0, p0, descr=Refs)\np2 = new(descr=Node)\n"
    found += "setfield_gc(p2, p1, descr=Node.next)\np3 = virtual_ref(p2, 0)\n"
    load = "p9 = getarrayitem_gc_r(p1, 1, descr=Refs)\n"
    types = TYPES.replace("[call.spoil]", event("shift", writes="Refs") + "[call.spoil]")
    text = f"{types}[p0, i0]\n{found}{between}{load}finish(p9)\n"
    given = str(optimize(parse(text), ("heap",)).end.args[0])
    assert given == ("NULL" if known else "p9")


def test_an_index_that_turns_out_to_be_another_one() -> None:
    setup = "[p0, i0, i1]\nsetarrayitem_gc(p0, i0, 7, descr=Ints)\nguard_value(i0, {}) []\n"
    load = "i9 = getarrayitem_gc_i(p0, {}, descr=Ints)\nfinish(i9)\n"
    for other in ("3", "i1"):
        trace = parse(TYPES + setup.format(other) + load.format(other))
        assert str(optimize(trace).end.args[0]) == "7"


def test_items_at_different_distances_from_an_index_are_not_the_same() -> None:
    loads = "i8 = getarrayitem_gc_i(p0, i0, descr=Ints)\ni9 = getarrayitem_gc_i(p0, i1, descr=Ints)\n"
    becomes(
        f"[p0, i0]\ni1 = int_add(i0, 1)\ni2 = int_add(i0, 2)\n{loads}setarrayitem_gc(p0, i2, 7, descr=Ints)\n"
        f"{loads.replace('i8', 'i5').replace('i9', 'i6')}finish(i5, i6, i8, i9)\n",
        f"[p0, i0]\ni1 = int_add(i0, 1)\ni2 = int_add(i0, 2)\n{loads}setarrayitem_gc(p0, i2, 7, descr=Ints)\n"
        "finish(i8, i9, i8, i9)\n",
    )


def test_only_the_latest_objects_that_others_may_find_are_remembered() -> None:
    many = "".join(f"p{k} = new_with_vtable(descr=Node)\nq{k} = virtual_ref(p{k}, 0)\n" for k in range(MOST_CELLS + 1))
    read = f"i0 = getfield_gc_i(p0, descr=Node.value)\ni1 = getfield_gc_i(p{MOST_CELLS}, descr=Node.value)\n"
    optimized = optimize(parse(f"{TYPES}[]\n{many}{read}finish(i0, i1)\n"), ("heap",))
    assert [str(value) for value in optimized.end.args] == ["i0", "0"]
