"""Pairs on the heap: what each optimization may do and what it may not, with the cautions of the plan, one by one.

Each pair is judged with all rungs and by the solver alone.
"""

from __future__ import annotations

import pytest
from declared_calls import event
from pairs import judge, not_proved, proved, refuted
from reference_heap import DECLARATIONS

from validator import Unknown
from validator.tell.report import verdict_name

pytestmark = pytest.mark.usefixtures("rungs")

CALLS = (
    event("touch", reads="Node.value", writes="Node.value")
    + event("tick")
    + event("set_fixed", writes="Base.fixed")
    + """[call.calm]
result = "void"
can_invalidate = false
[struct.Cell]
fields = { live = { type = "int", quasi_immutable = true } }
[const.seven]
struct = "Base"
fields = { fixed = 7 }
[const.eight]
struct = "Base"
fields = { fixed = 8 }
[const.also_seven]
same_as = "seven"
[const.cell]
struct = "Cell"
fields = { live = 7 }
[const.three_chars]
array = "Chars"
length = 3
+++
"""
)
TYPES = DECLARATIONS.rstrip().removesuffix("+++") + 'touchdescr = "touch"\n' + CALLS
HEADER = "[p0, p1, i0]\n"


def text(body: str, header: str = HEADER) -> str:
    """A trace: `.F` stands for `, descr=F`, `C(x)` for the class of that name."""
    return f"{TYPES}{header}{body}\n"


def ok(before: str, after: str, **options: object) -> None:
    proved(text(before), text(after), **options)


def bad(before: str, after: str, obligation: str = "", **options: object) -> None:
    refuted(text(before), text(after), obligation, **options)


# Loads and stores.


def test_a_load_again_is_the_same_until_a_store_that_may_meet_it() -> None:
    load = "i1 = getfield_gc_i(p0, descr=Node.value)\n"
    again = "i2 = getfield_gc_i(p0, descr=Node.value)\nfinish(i1, i2)"
    ok(load + again, load + "finish(i1, i1)")
    for store in ("setfield_gc(p1, i0, descr=Other.value)", "setfield_gc(p1, 3, descr=Base.tag)"):
        ok(f"{load}{store}\n{again}", f"{load}{store}\nfinish(i1, i1)")
    store = "setfield_gc(p1, i0, descr=Node.value)"
    bad(f"{load}{store}\n{again}", f"{load}{store}\nfinish(i1, i1)", "end: argument 1")


def test_a_stored_value_is_loaded() -> None:
    store = "setfield_gc(p0, i0, descr=Node.value)\n"
    ok(f"{store}i1 = getfield_gc_i(p0, descr=Node.value)\nfinish(i1)", f"{store}finish(i0)")
    ok(f"{store}i1 = getfield_gc_i(p0, descr=valuedescr)\nfinish(i1)", f"{store}finish(i0)")


def test_a_lost_store() -> None:
    bad("setfield_gc(p0, i0, descr=Node.value)\nfinish()", "finish()", "end: heap Node.value")
    bad("setarrayitem_gc(p0, i0, 3, descr=Chars)\nfinish()", "finish()", "end: heap Chars[]")


def test_a_store_of_what_is_there() -> None:
    load, back = "i1 = getfield_gc_i(p0, descr=Node.value)\n", "setfield_gc(p0, i1, descr=Node.value)\n"
    ok(f"{load}{back}finish()", f"{load}finish()")
    between = "setfield_gc(p1, i0, descr=Node.value)\n"
    bad(f"{load}{between}{back}finish()", f"{load}{between}finish()", "end: heap Node.value")


def test_a_dead_store() -> None:
    dead, live = "setfield_gc(p0, 1, descr=Node.value)\n", "setfield_gc(p0, i0, descr=Node.value)\n"
    ok(f"{dead}{live}finish()", f"{live}finish()")
    read = "i1 = getfield_gc_i(p1, descr=Node.value)\n"
    bad(f"{dead}{read}{live}finish(i1)", f"{read}{live}finish(i1)", "end: argument 0")


def test_a_dead_store_across_a_guard() -> None:
    dead, live = "setfield_gc(p0, 1, descr=Node.value)\n", "setfield_gc(p0, i0, descr=Node.value)\nfinish()"
    guard = "i1 = int_lt(i0, 5)\nguard_true(i1) [p0]"
    bad(f"{dead}{guard}\n{live}", f"{guard}\n{live}", "guard 0: heap Node.value")
    block = " {\nsetfield_gc(p0, %s, descr=Node.value)\n}\n"
    ok(f"{dead}{guard}\n{live}", f"{guard}{block % 1}{live}")
    bad(f"{dead}{guard}\n{live}", f"{guard}{block % 2}{live}", "guard 0: heap Node.value")


def test_a_store_before_an_event_that_does_not_touch_its_field() -> None:
    dead, live = "setfield_gc(p0, 1, descr=Node.value)\n", "setfield_gc(p0, i0, descr=Node.value)\nfinish()"
    ok(f"{dead}call_n(0, descr=tick)\n{live}", f"call_n(0, descr=tick)\n{live}")
    bad(f"{dead}call_n(0, descr=touch)\n{live}", f"call_n(0, descr=touch)\n{live}", "event 0: heap Node.value")
    bad(f"{dead}escape_n()\n{live}", f"escape_n()\n{live}", "event 0: heap Node.value")


def test_writes_that_an_event_may_or_may_not_do() -> None:
    store, line = "setfield_gc(p0, 1, descr=Node.value)\n", "call_n(0, descr=touch)\n"
    load = "i1 = getfield_gc_i(p0, descr=Node.value)\n"
    bad(f"{store}{line}finish()", f"{line}finish()", "event 0: heap")
    bad(f"{store}{line}{load}finish(i1)", f"{store}{line}finish(1)", "end: argument 0")
    ok(
        f"{load}call_n(0, descr=tick)\ni2 = getfield_gc_i(p0, descr=Node.value)\nfinish(i2)",
        f"{load}call_n(0, descr=tick)\nfinish(i1)",
    )


def test_stores_to_constants() -> None:
    load = "i1 = getfield_gc_i(ConstPtr({}), descr=Base.tag)\n"
    again = "i2 = getfield_gc_i(ConstPtr({}), descr=Base.tag)\nfinish(i1, i2)"
    store = "setfield_gc(ConstPtr({}), 5, descr=Base.tag)\n"
    for one, other, same in (("seven", "eight", False), ("seven", "also_seven", True), ("mine", "yours", True)):
        before = load.format(one) + store.format(other) + again.format(one)
        after = load.format(one) + store.format(other) + "finish(i1, i1)"
        if same:
            bad(before, after, "end: argument 1")
        else:
            ok(before, after)
    bad(store.format("seven") + "finish()", "finish()", "end: heap Base.tag")


def test_nothing_is_distinct_by_an_undeclared_field() -> None:
    known = "i1 = getfield_gc_i(p0, descr=Node.value)\n"
    for field, distinct in (("Other.value", True), ("loose", False), ("Base.tag", False)):
        same = f"{known}i2 = getfield_gc_i(p1, descr={field})\ni3 = ptr_eq(p0, p1)\nfinish(i3)"
        (ok if distinct else bad)(same, f"{known}i2 = getfield_gc_i(p1, descr={field})\nfinish(0)")


# What distinguishes objects.


def test_objects_that_differ_in_length_or_in_an_immutable_field() -> None:
    lengths = "i1 = arraylen_gc(p0, descr=Chars)\ni2 = arraylen_gc(p1, descr=Chars)\nguard_value(i1, 3) []\n"
    other = "guard_value(i2, {}) []\n"
    ok(f"{lengths}{other.format(4)}i3 = ptr_eq(p0, p1)\nfinish(i3)", f"{lengths}{other.format(4)}finish(0)")
    bad(f"{lengths}{other.format(3)}i3 = ptr_eq(p0, p1)\nfinish(i3)", f"{lengths}{other.format(3)}finish(0)")
    fixed = (
        "i1 = getfield_gc_i(p0, descr=Base.fixed)\ni2 = getfield_gc_i(p1, descr=Base.fixed)\nguard_value(i1, 3) []\n"
    )
    ok(f"{fixed}{other.format(4)}i3 = ptr_eq(p0, p1)\nfinish(i3)", f"{fixed}{other.format(4)}finish(0)")
    changed = fixed.replace("i2 =", "setfield_gc(p0, 4, descr=Node.value)\ni2 =").replace("Base.fixed", "Node.value")
    bad(f"{changed}{other.format(4)}i3 = ptr_eq(p0, p1)\nfinish(i3)", f"{changed}{other.format(4)}finish(0)")


def test_a_constant_index_says_that_the_array_is_longer() -> None:
    short = "i1 = arraylen_gc(p0, descr=Chars)\nguard_value(i1, 2) []\n"
    load = "i2 = getarrayitem_gc_i(p1, {}, descr=Chars)\n"
    ok(f"{short}{load.format(2)}i3 = ptr_eq(p0, p1)\nfinish(i3)", f"{short}{load.format(2)}finish(0)")
    bad(f"{short}{load.format(1)}i3 = ptr_eq(p0, p1)\nfinish(i3)", f"{short}{load.format(1)}finish(0)")


def test_array_items_meet_where_their_indices_may_be_equal() -> None:
    load, store = "i1 = getarrayitem_gc_i(p0, {}, descr=Chars)\n", "setarrayitem_gc(p1, {}, 5, descr=Chars)\n"
    again = "i2 = getarrayitem_gc_i(p0, {}, descr=Chars)\nfinish(i1, i2)"
    for mine, theirs, meet in ((1, 0, False), (1, 1, True), ("i0", 0, True)):
        before = load.format(mine) + store.format(theirs) + again.format(mine)
        (bad if meet else ok)(before, load.format(mine) + store.format(theirs) + "finish(i1, i1)")


def test_a_fresh_object_found_through_an_array_of_the_trace() -> None:
    made = "p2 = new(descr=Node)\nsetfield_gc(p2, 1, descr=Node.value)\np3 = new_array_clear(2, descr=Refs)\n"
    put = "setarrayitem_gc(p3, i0, p2, descr=Refs)\np4 = getarrayitem_gc_r(p3, 1, descr=Refs)\n"
    change = "guard_nonnull(p4) []\nsetfield_gc(p4, 2, descr=Node.value)\n"
    before = made + put + change + "i2 = getfield_gc_i(p2, descr=Node.value)\nfinish(i2)"
    bad(before, made + put + change + "finish(1)", "end: argument 0")
    ok(before, made + put + change + "finish(2)")


# Fresh objects.


def test_allocations_are_matched_by_flow() -> None:
    two = "p2 = new(descr=Node)\np3 = new(descr=Node)\nsetfield_gc(p2, i0, descr=Node.value)\nfinish(p2, p3)"
    ok(two, "p9 = new(descr=Node)\np8 = new(descr=Node)\nsetfield_gc(p8, i0, descr=Node.value)\nfinish(p8, p9)")
    bad(two, "p2 = new(descr=Node)\nsetfield_gc(p2, i0, descr=Node.value)\nfinish(p2, p2)", "end: argument 1")
    bad(two, "p2 = new(descr=Node)\np3 = new(descr=Node)\nfinish(p2, p3)", "end: heap Node.value")
    once = "p2 = new(descr=Node)\nfinish(p2, p2)"
    bad(once, "p2 = new(descr=Node)\np3 = new(descr=Node)\nfinish(p2, p3)", "end: argument 1")
    ok("p2 = new(descr=Node)\nfinish()", "finish()")
    ok("finish()", "p2 = new(descr=Node)\nfinish()")


def test_cycles_are_matched() -> None:
    cycle = "p2 = new(descr=Node)\np3 = new(descr=Node)\nsetfield_gc(p2, p3, descr=Node.next)\n"
    back = "setfield_gc(p3, p2, descr=Node.next)\nfinish(p2)"
    ok(
        cycle + back,
        "p3 = new(descr=Node)\np2 = new(descr=Node)\n"
        + back.replace("\nf", "\n").split("\n")[0]
        + "\nsetfield_gc(p2, p3, descr=Node.next)\nfinish(p2)",
    )
    bad(cycle + back, cycle + back.replace("(p3, p2", "(p3, p3"), "end: heap Node.next")
    bad(cycle + back, cycle + "finish(p2)", "end: heap Node.next")


def test_classes_lengths_and_clearedness_of_fresh_objects() -> None:
    bad("p2 = new(descr=Node)\nfinish(p2)", "p2 = new(descr=Base)\nfinish(p2)", "end: heap class")
    array = "p2 = new_array{}({}, descr=Chars)\nsetarrayitem_gc(p2, 0, 5, descr=Chars)\nfinish(p2)"
    ok(array.format("", 3), array.format("_clear", 3))
    bad(array.format("_clear", 3), array.format("", 3), "end: heap Chars[]")
    bad(array.format("_clear", 3), array.format("_clear", 4), "end: heap length")
    bad(array.format("_clear", "i0"), array.format("_clear", 3), "")
    zero = "setarrayitem_gc(p2, 0, 0, descr=Chars)\n"
    ok(array.format("", 3).replace("finish", zero + "finish"), "p2 = new_array_clear(3, descr=Chars)\nfinish(p2)")
    bad(array.format("", 3), "p2 = new_array_clear(3, descr=Chars)\nfinish(p2)", "end: heap Chars[]")
    read = "i3 = getarrayitem_gc_i(p2, 1, descr=Chars)\nescape_n(i3)\nfinish(p2)"
    one = zero.replace("0, 0", "1, 0")
    ok(f"p2 = new_array(2, descr=Chars)\n{one}{read}", f"p2 = new_array_clear(2, descr=Chars)\n{read}")
    three = "guard_value(i0, 3) []\n"
    ok(three + array.format("_clear", "i0"), three + array.format("_clear", 3))


def test_an_object_that_is_removed() -> None:
    made = "p2 = new(descr=Node)\nsetfield_gc(p2, i0, descr=Node.value)\n"
    ok(f"{made}i1 = getfield_gc_i(p2, descr=Node.value)\nfinish(i1)", "finish(i0)")
    ok("p2 = new(descr=Node)\ni1 = getfield_gc_i(p2, descr=Node.value)\nfinish(i1)", "finish(0)")
    ok(f"{made}escape_n(p0)\ni1 = getfield_gc_i(p2, descr=Node.value)\nfinish(i1)", "escape_n(p0)\nfinish(i0)")
    guard = "i1 = int_lt(i0, 5)\nguard_true(i1) [p2]"
    block = " {\np2 = new(descr=Node)\nsetfield_gc(p2, %s, descr=Node.value)\n}\nfinish()"
    ok(f"{made}{guard}\nfinish()", guard + block % "i0")
    bad(f"{made}{guard}\nfinish()", guard + block % "i1", "guard 0: heap Node.value")
    bad(f"{made}{guard}\nfinish()", f"{guard} {{\np2 = new(descr=Node)\n}}\nfinish()", "guard 0: heap Node.value")


def test_nested_objects_in_exit_blocks() -> None:
    made = "p2 = new(descr=Node)\np3 = new(descr=Node)\nsetfield_gc(p2, p3, descr=Node.next)\n"
    linked = "setfield_gc(p3, p2, descr=Node.left)\nsetfield_gc(p3, i0, descr=Node.value)\n"
    guards = "i1 = int_lt(i0, 5)\nguard_true(i1) [p2, p3]"
    exit_ = (
        f"{guards.replace('[p2, p3]', '[p4, p5]')} {{\n{(made + linked).replace('p2', 'p4').replace('p3', 'p5')}}}\n"
    )
    ok(f"{made}{linked}{guards}\nfinish()", f"{exit_}finish()")
    bad(f"{made}{linked}{guards}\nfinish()", f"{exit_.replace('[p4, p5]', '[p5, p4]')}finish()")
    wrong = exit_.replace("setfield_gc(p5, p4, descr=Node.left)\n", "")
    bad(f"{made}{linked}{guards}\nfinish()", f"{wrong}finish()", "guard 0: heap Base.left")


def test_an_escaped_object_replaced_in_an_exit_block() -> None:
    made, guard = "p2 = new(descr=Node)\nescape_n(p2)\ni1 = int_lt(i0, 5)\n", "guard_true(i1) [{}]"
    again = f"{guard.format('p3')} {{\np3 = new(descr=Node)\n}}\nfinish()"
    bad(f"{made}{guard.format('p2')}\nfinish()", made + again, "guard 0: failarg 0")


def test_an_object_that_is_no_longer_linked() -> None:
    seen = "p2 = new(descr=Node)\nsetfield_gc(p0, p2, descr=Node.next)\nescape_n()\n"
    unlinked = "setfield_gc(p0, NULL, descr=Node.next)\n"
    late = "setfield_gc(p2, 7, descr=Node.value)\n"
    bad(f"{seen}{unlinked}{late}finish()", f"{seen}{unlinked}finish()", "end: heap Node.value")
    hidden = "p2 = new(descr=Node)\nsetfield_gc(p0, p2, descr=Node.next)\n"
    ok(f"{hidden}{unlinked}{late}finish()", f"{unlinked}finish()")


def test_an_object_that_may_be_visible_and_is_not() -> None:
    """Whether it is depends on aliases that are known only by a guard: it must be equal all the same."""
    same = "i3 = ptr_eq(p0, p1)\nguard_true(i3) []\n"
    made = "p3 = new(descr=Node)\nsetfield_gc(p3, {}, descr=Node.value)\n"
    link, unlink = "setfield_gc(p0, p3, descr=Node.next)\n", "setfield_gc(p1, NULL, descr=Node.next)\n"
    before = f"{same}{made.format(5)}{link}{unlink}escape_n()\nfinish(p3)"
    ok(before, before)
    not_proved(text(before), text(f"{same}{made.format(6)}{unlink}escape_n()\nfinish(p3)"))
    not_proved(text(before), text(f"{same}{unlink}escape_n()\np3 = new(descr=Node)\nfinish(p3)"))


# Events.


def test_events_change_what_they_can_see() -> None:
    load = "i1 = getfield_gc_i({}, descr=Node.value)\n"
    again = "i2 = getfield_gc_i({}, descr=Node.value)\nfinish(i1, i2)"
    old = load.format("p0") + "escape_n()\n"
    bad(old + again.format("p0"), old + "finish(i1, i1)", "end: argument 1")
    made = "p2 = new(descr=Node)\nsetfield_gc(p2, i0, descr=Node.value)\n" + load.format("p2")
    for line, seen in (("escape_n(p0)", False), ("escape_n(p2)", True), ("call_n(0, p2, descr=tick)", False)):
        before = f"{made}{line}\n{again.format('p2')}"
        (bad if seen else ok)(before, f"{made}{line}\nfinish(i1, i1)")


def test_an_object_is_reached_only_through_what_the_event_may_see() -> None:
    made = "p2 = new(descr=Node)\nsetfield_gc(p0, p2, descr=Node.next)\nsetfield_gc(p2, 5, descr=Node.value)\n"
    load = "i1 = getfield_gc_i(p2, descr=Node.value)\nfinish(i1)"
    ok(f"{made}call_n(0, descr=touch)\n{load}", f"{made}call_n(0, descr=touch)\nfinish(5)")
    bad(f"{made}escape_n()\n{load}", f"{made}escape_n()\nfinish(5)", "end: argument 0")


def test_the_result_of_an_event_may_be_what_it_has_seen() -> None:
    made = "p2 = new(descr=Node)\n{}guard_nonnull(p3) []\nsetfield_gc(p2, 1, descr=Node.value)\n"
    change = "setfield_gc(p3, 2, descr=Node.value)\n"
    load = "i2 = getfield_gc_i(p2, descr=Node.value)\nfinish(i2)"
    for line, seen in (
        ("p3 = escape_r(p2)\n", True),
        ("p3 = escape_r()\n", False),
        ("p3 = escape_r()\nescape_n(p2)\n", False),
    ):
        start = made.format(line)
        (bad if seen else ok)(start + change + load, start + change + "finish(1)")


def test_a_materialized_object_lacks_a_field_at_an_event() -> None:
    made = "p2 = new(descr=Node)\nsetfield_gc(p2, i0, descr=Node.value)\n"
    bad(f"{made}escape_n(p2)\nfinish()", "p2 = new(descr=Node)\nescape_n(p2)\nfinish()", "event 0: heap Node.value")
    bad(
        f"{made}setfield_gc(p0, p2, descr=Node.next)\nescape_n()\nfinish()",
        "p2 = new(descr=Node)\nsetfield_gc(p0, p2, descr=Node.next)\nescape_n()\nfinish()",
        "event 0: heap Node.value",
    )


def test_a_call_is_the_same_by_any_of_its_names() -> None:
    ok("call_n(0, p0, descr=touch)\nfinish()", "call_n(0, p0, descr=touchdescr)\nfinish()")
    bad("call_n(0, p0, descr=touch)\nfinish()", "call_n(0, p0, descr=tick)\nfinish()", "event 0: kind")


def test_immutable_memory_behind_events() -> None:
    load, again = "i1 = getfield_gc_i(p0, descr=Base.fixed)\n", "i2 = getfield_gc_i(p0, descr=Base.fixed)\nfinish(i2)"
    for line in ("escape_n(p0)", "call_n(0, p0, descr=set_fixed)"):
        ok(f"{load}{line}\n{again}", f"{load}{line}\nfinish(i1)")
    early = "escape_n(p0)\ni2 = getfield_gc_i(p0, descr=Base.fixed)\nfinish(i2)"
    safe = "i9 = getfield_gc_i(p0, descr=Base.tag)\n"
    ok(safe + early, f"{safe}i2 = getfield_gc_i(p0, descr=Base.fixed)\nescape_n(p0)\nfinish(i2)")
    named = early.replace("escape_n(p0)", "call_n(0, p0, descr=set_fixed)")
    hoisted = f"{safe}i2 = getfield_gc_i(p0, descr=Base.fixed)\ncall_n(0, p0, descr=set_fixed)\nfinish(i2)"
    bad(safe + named, hoisted, "end: argument 0")


def test_a_boxed_integer_read_again_behind_an_event() -> None:
    made = "p2 = new(descr=Base)\nsetfield_gc(p2, i0, descr=Base.fixed)\nescape_n(p2)\n"
    ok(f"{made}i1 = getfield_gc_i(p2, descr=Base.fixed)\nfinish(i1)", f"{made}finish(i0)")
    named = made.replace("escape_n(p2)", "call_n(0, p2, descr=set_fixed)")
    bad(f"{named}i1 = getfield_gc_i(p2, descr=Base.fixed)\nfinish(i1)", f"{named}finish(i0)", "end: argument 0")


def test_known_contents_of_constants() -> None:
    for name, value in (("seven", 7), ("also_seven", 7), ("eight", 8)):
        ok(f"i1 = getfield_gc_i(ConstPtr({name}), descr=Base.fixed)\nfinish(i1)", f"finish({value})")
    ok("i1 = arraylen_gc(ConstPtr(three_chars), descr=Chars)\nfinish(i1)", "finish(3)")
    bad("i1 = getfield_gc_i(ConstPtr(seven), descr=Base.tag)\nfinish(i1)", "finish(7)")


def test_quasi_immutable_fields() -> None:
    watched = "quasiimmut_field(p0, descr=Cell.live)\nguard_not_invalidated() []\n"
    load = "i1 = getfield_gc_i(p0, descr=Cell.live)\n"
    again = "i2 = getfield_gc_i(p0, descr=Cell.live)\nfinish(i2)"
    calm, escape = "call_n(0, p0, descr=calm)\n", "escape_n(p0)\n"
    ok(f"{watched}{load}{calm}{again}", f"{watched}{load}{calm}finish(i1)")
    bad(f"{watched}{load}{escape}{again}", f"{watched}{load}{escape}finish(i1)")
    bad(f"{load}{calm}{again}", f"{load}{calm}finish(i1)")
    known = watched.replace("p0", "ConstPtr(cell)") + "i1 = getfield_gc_i(ConstPtr(cell), descr=Cell.live)\nfinish(i1)"
    ok(known, "guard_not_invalidated() []\nfinish(7)")
    bad("i1 = getfield_gc_i(ConstPtr(cell), descr=Cell.live)\nfinish(i1)", "finish(7)")
    twice = "guard_not_invalidated() []\n{}guard_not_invalidated() []\nfinish()"
    ok(twice.format(""), "guard_not_invalidated() []\nfinish()")
    ok(twice.format(calm), f"guard_not_invalidated() []\n{calm}finish()")
    bad(twice.format(escape), f"guard_not_invalidated() []\n{escape}finish()", "guard 1: left")


# Guards, and what they and accesses say of references.


def test_guards_that_accesses_make_superfluous() -> None:
    load = "i1 = getfield_gc_i(p0, descr=Node.value)\n"
    guard = "{}(p0{}) []\n"
    ok(f"{load}{guard.format('guard_nonnull', '')}finish()", f"{load}finish()")
    ok(f"{load}{guard.format('guard_is_object', '')}finish()", f"{load}finish()")
    ok(f"{load}{guard.format('guard_subclass', ', ConstClass(base_vt)')}finish()", f"{load}finish()")
    bad(f"{load}{guard.format('guard_class', ', ConstClass(node_vt)')}finish()", f"{load}finish()", "guard 0: left")
    bad(f"{guard.format('guard_nonnull', '')}{load}finish(i1)", f"{load}finish(i1)", "op 0: defined")
    fact = "record_exact_class(p0, ConstClass(node_vt))\n"
    ok(f"{fact}{guard.format('guard_class', ', ConstClass(node_vt)')}finish()", "finish()")


def test_an_access_that_is_made_earlier() -> None:
    load, guard = "i1 = getfield_gc_i(p0, descr=Node.value)\n", "guard_nonnull_class(p0, ConstClass(node_vt)) []\n"
    bad(f"{guard}{load}finish(i1)", f"{load}{guard}finish(i1)", "op 0: defined")
    bad(f"escape_n()\n{load}finish(i1)", f"{load}escape_n()\nfinish(i1)")
    bad(f"call_n(0, descr=tick)\n{load}finish(i1)", f"{load}call_n(0, descr=tick)\nfinish(i1)", "op 0: defined")
    tag = "i9 = getfield_gc_i(p0, descr=Node.flag)\n"
    ok(f"{tag}call_n(0, descr=tick)\n{load}finish(i1)", f"{tag}{load}call_n(0, descr=tick)\nfinish(i1)")


def test_a_shift_whose_own_definedness_would_prove_the_guard_before_it() -> None:
    bad(
        "i1 = int_lt(i0, 10)\nguard_true(i1) [i0]\ni2 = int_lshift(1, i0)\nfinish(i2)",
        "i2 = int_lshift(1, i0)\nfinish(i2)",
    )
    bad(
        "guard_nonnull(p0) [i0]\ni2 = getfield_gc_i(p0, descr=Node.value)\nfinish(i2)",
        "i2 = getfield_gc_i(p0, descr=Node.value)\nfinish(i2)",
    )


MERGED = "guard_nonnull(p0) [i0]\n{}guard_class(p0, ConstClass(node_vt)) [i0, i0]\nfinish()"


def test_merged_guards() -> None:
    one = "guard_nonnull_class(p0, ConstClass(node_vt), origin=0) [i0]\n"
    early = proved(text(MERGED.format("")), text(f"{one}finish()"))
    assert early.evidence.early == (0,)
    bad(MERGED.format(""), f"{one}finish()", "guard 0: condition", guards="same")
    ok(MERGED.format("escape_n()\n"), f"{one}escape_n()\nfinish()")
    bad(MERGED.format("escape_n()\n"), f"escape_n()\n{one}finish()")
    bad(MERGED.format(""), f"{one.replace('[i0]', '[i0, i0]')}finish()", "guard 0: failargs")
    bad(MERGED.format(""), f"{one.replace('origin=0', 'origin=1').replace('[i0]', '[i0, i0]')}finish()", "")
    bad(MERGED.format(""), f"{one.replace('node_vt', 'base_vt')}finish()")


def test_a_class_guard_merged_with_a_value_guard() -> None:
    before = "guard_class(p0, ConstClass(base_vt)) [i0]\nguard_value(p0, ConstPtr(seven)) [i0]\nfinish()"
    assert verdict_name(judge(text(before), text(before))) == "proved"
    ok(before, "guard_value(p0, ConstPtr(seven), origin=0) [i0]\nfinish()")
    bad(before, "guard_value(p0, ConstPtr(eight), origin=0) [i0]\nfinish()")


def test_references_that_guards_make_equal() -> None:
    same = "guard_value(p0, p1) []\nsetfield_gc(p0, i0, descr=Node.value)\n"
    ok(f"{same}i2 = getfield_gc_i(p1, descr=Node.value)\nfinish(i2)", f"{same}finish(i0)")
    apart = "i1 = ptr_eq(p0, p1)\nguard_false(i1) []\nsetfield_gc(p0, i0, descr=Node.value)\n"
    other = "setfield_gc(p1, 5, descr=Node.value)\ni2 = getfield_gc_i(p0, descr=Node.value)\nfinish(i2)"
    ok(apart + other, f"{apart}setfield_gc(p1, 5, descr=Node.value)\nfinish(i0)")
    ok("guard_isnull(p0) []\nfinish(p0)", "guard_isnull(p0) []\nfinish(NULL)")


def test_narrow_memory_is_bounded() -> None:
    load = "i1 = getfield_gc_i(p0, descr=Base.tag)\n"
    ok(f"{load}i2 = int_lt(i1, 256)\nguard_true(i2) []\nfinish(i1)", f"{load}finish(i1)")
    bad(f"{load}i2 = int_lt(i1, 255)\nguard_true(i2) []\nfinish(i1)", f"{load}finish(i1)")
    ok(
        "i1 = arraylen_gc(p0, descr=Chars)\ni2 = int_ge(i1, 0)\nfinish(i2)",
        "i1 = arraylen_gc(p0, descr=Chars)\nfinish(1)",
    )


def test_what_two_undeclared_classes_are_is_not_known() -> None:
    before = "guard_class(p0, ConstClass(one)) []\nguard_class(p0, ConstClass(two)) []\nfinish()"
    after = "guard_class(p0, ConstClass(one)) []\nguard_always_fails(origin=1) []\nfinish()"
    verdict = judge(text(before), text(after))
    assert isinstance(verdict, Unknown), verdict
