"""Pairs on the heap that were found by looking for what could be wrong: each says what is to come out, and why."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator, Sequence

import pytest
from pairs import judge, not_proved, proved, refuted

from optimizer.ir.faults import InputError
from optimizer.ir.run.runs import Seen, World
from optimizer.ir.text import parse
from validator import Options, validate
from validator.search.counterexample import State
from validator.tell.report import verdict_name

TYPES = """+++
[struct.Node]
vtable = "node_vt"
fields = { value = "int", next = "ref" }
[struct.Plain]
fields = { value = "int" }
[struct.Box]
fields = { content = { type = "ref", immutable = true } }
[array.Refs]
item = "ref"
[array.Ints]
item = "int"
[call.wrap]
result = "ref"
reads = []
writes = []
+++
"""


@pytest.fixture(autouse=True)
def _comes_to_an_end() -> Iterator[None]:
    """What does not end fails after a minute."""

    def give_up(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def text(lines: Sequence[str], header: str = "[p0, p1, i0]") -> str:
    return TYPES + "\n".join([header, *lines]) + "\n"


# Partners.


@pytest.mark.parametrize(
    "uses",
    [
        ("escape_n(p2)", "escape_n(p3)", "finish()"),
        ("setfield_gc(p3, p2, descr=Node.next)", "finish(p3)"),
    ],
)
def test_names_that_have_changed_places_do_not_decide_who_is_whose_partner(uses: Sequence[str]) -> None:
    made = ("p2 = new(descr=Node)", "p3 = new(descr=Node)", "setfield_gc(p2, i0, descr=Node.value)")
    before = text([*made, *uses])
    proved(before, before.replace("p2", "q").replace("p3", "p2").replace("q", "p3"))


def test_what_cannot_be_partners_does_not_speak_against_names() -> None:
    """An event that sees no memory stands between the two stores of one trace, and ahead of both in the other."""
    made = [
        "p2 = new_array(2, descr=refs)",
        "p3 = new_array(0, descr=refs)",
        "setfield_gc(p0, p3, descr=b)",
        "escape_n()",
    ]
    store, event, end = "setfield_gc(p0, p2, descr=b)", "leave_portal_frame(0)", "finish(p3)"
    before = [*made, store, event, "guard_true(i0) []", end]
    after = [*made, event, "guard_true(i0) [] {", store, "}", store, end]
    proved(text(before, "[p0, i0]"), text(after, "[p0, i0]"))


def test_a_partner_that_must_be_refused_does_not_keep_the_search_going() -> None:
    before = ["p2 = new(descr=Node)", "escape_n(p2)", "finish(p2)"]
    after = ["escape_n(NULL)", "p2 = new(descr=Node)", "p3 = new(descr=Node)", "finish(p2)"]
    refuted(text(before), text(after), "event 0: argument 0")


COMPARED = ["i2 = ptr_eq(p0, p1)", "guard_true(i2) []"]


@pytest.mark.parametrize("more", [[], ["p8 = new(descr=Plain)"]])
def test_what_an_exit_block_was_recorded_to_allocate_was_not_seen_by_an_event_ahead(more: Sequence[str]) -> None:
    """The optimized trace makes it ahead of the event, which may find it as far as one can see; it does not, since both
    inputs are one object."""
    fails = ["i3 = int_eq(i0, 3)", "guard_false(i3) [p9]"]
    before = [
        *COMPARED,
        *more,
        "setfield_gc(p0, NULL, descr=Node.next)",
        "escape_n()",
        *fails[:-1],
        fails[-1] + " {",
        "    p9 = new(descr=Node)",
        "}",
        "finish()",
    ]
    after = [
        *COMPARED,
        "p9 = new(descr=Node)",
        "setfield_gc(p9, 6, descr=Node.value)",
        "setfield_gc(p0, p9, descr=Node.next)",
        "setfield_gc(p1, NULL, descr=Node.next)",
        "escape_n()",
        *fails,
        "finish()",
    ]
    not_proved(text(before), text(after))


def test_what_lies_in_an_item_that_was_not_written_is_judged_alike_with_and_without_running() -> None:
    """An event can find it and give it out: the same object has another number in the two runs."""
    ahead, behind = ["p2 = new_array(1, descr=Refs)"], ["escape_n(p2)", "p3 = new(descr=Node)", "p4 = escape_r(p3)"]
    stored = ["p5 = new(descr=Node)", "setarrayitem_gc(p2, 0, p5, descr=Refs)"]
    end = ["i6 = ptr_eq(p4, p3)", "finish(i6, i8)"]
    square = ["i7 = int_mul(i0, i0)", "i8 = int_add(i7, i0)"]
    other = ["i7 = int_add(i0, 1)", "i8 = int_mul(i7, i0)"]
    before, plain = text([*square, *ahead, *behind, *end], "[i0]"), [*ahead, *stored, *behind, *end]
    example = State((3,), World(results=(0, Seen(1))), None)
    by_structure = judge(before, text([*square, *plain], "[i0]"))
    by_running = validate(parse(before), parse(text([*other, *plain], "[i0]")), Options(), examples=[example])
    assert {verdict_name(by_structure), verdict_name(by_running)} != {"proved", "refuted"}


# What an event allocates.


@pytest.mark.parametrize(
    ("event", "load"),
    [
        ("p3 = escape_r(p2)", "p4 = getfield_gc_r(p3, descr=Box.content)"),
        ("p3 = call_r(1, p2, descr=wrap)", "p4 = getfield_gc_r(p3, descr=Node.next)"),
    ],
)
def test_an_object_that_an_event_makes_may_hold_what_the_event_was_given(event: str, load: str) -> None:
    """Also in memory that the event may not change."""
    made = ["p2 = new(descr=Node)", event, load]
    not_proved(text([*made, "i5 = ptr_eq(p4, p2)", "finish(i5)"]), text([*made, "finish(0)"]))


# Classes.


def test_a_class_that_is_not_declared_may_have_subclasses() -> None:
    subclass, exact = "guard_subclass(p0, ConstClass(Foo)) []", "guard_class(p0, ConstClass(Foo)) []"
    not_proved(text([subclass, "finish()"]), text([exact, "finish()"]))
    not_proved(text([subclass, exact, "finish()"]), text([subclass, "finish()"]))
    proved(text([exact, subclass, "finish()"]), text([exact, "finish()"]))


def test_the_name_of_a_struct_is_not_that_of_its_vtable() -> None:
    subclass, exact = (f"guard_{how}class(p0, ConstClass(Node)) []" for how in ("sub", ""))
    not_proved(text([subclass, "finish()"]), text([subclass, exact, "finish()"]))


def test_a_declared_struct_may_have_more_than_one_subclass_that_is_not_declared() -> None:
    lines = [
        "i1 = getfield_gc_i(p0, descr=Plain.value)",
        "i2 = getfield_gc_i(p1, descr=Plain.value)",
        "guard_class(p2, ConstClass(Plain)) []",
        "guard_gc_type(p2, 4) []",
        "guard_gc_type(p0, 5) []",
        "guard_gc_type(p1, 6) []",
    ]
    one, other = (text([*lines, f"finish({n})"], "[p0, p1, p2]") for n in (1, 2))
    not_proved(one, other)


def test_brackets_in_a_name_do_not_make_it_an_array() -> None:
    array = "p2 = new_array(3, descr=U)"
    not_proved(text([array, "guard_nonnull_class(p2, ConstClass(U[])) []", "finish()"]), text([array, "finish()"]))
    struct = "p2 = new(descr=Foo[])"
    not_proved(
        text([struct, "guard_is_object(p2) []", "finish()"]),
        text([struct, "guard_always_fails(origin=0) []", "finish()"]),
    )


def test_a_subclass_that_is_not_declared_can_be_allocated() -> None:
    lines = ["p2 = new(descr=Node+)", "i3 = getfield_gc_i(p2, descr=Node.value)"]
    proved(text([*lines, "finish(i3)"]), text(["finish(0)"]))


# Models that the interpreter cannot follow.


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["i1 = int_eq(ConstClass(f), 5)", "finish(i1)"], ["finish(0)"]),
        (
            ["guard_gc_type(ConstPtr(a), 1) []", "guard_gc_type(ConstPtr(b), 2) []", "finish()"],
            ["guard_gc_type(ConstPtr(a), 1, origin=0) []", "guard_always_fails(origin=1) []", "finish()"],
        ),
        (
            ["guard_class(ConstPtr(a), ConstClass(A)) []", "guard_class(ConstPtr(a), ConstClass(B)) []", "finish()"],
            ["guard_class(ConstPtr(a), ConstClass(A), origin=0) []", "guard_always_fails(origin=1) []", "finish()"],
        ),
    ],
)
def test_what_only_names_constants_is_no_fault_of_the_tool(before: Sequence[str], after: Sequence[str]) -> None:
    not_proved(text(before, "[i0]"), text(after, "[i0]"))


# Large traces.


def _takes_less_than(seconds: float, trace: str) -> None:
    start = time.perf_counter()
    verdict = judge(trace, trace)
    assert verdict_name(verdict) in ("proved", "unknown"), verdict
    assert time.perf_counter() - start < seconds


def test_a_walk_along_a_list_behind_stores_is_not_exponential() -> None:
    stores = [f"setfield_gc(p{k}, p{k + 1}, descr=Node.next)" for k in (1, 3, 5)]
    loads = [f"p{k + 1} = getfield_gc_r(p{k}, descr=Node.next)" for k in range(10, 24)]
    header = "[" + ", ".join(f"p{k}" for k in range(7)) + "]"
    start = ["p10 = getfield_gc_r(p0, descr=Node.next)"]
    _takes_less_than(20, text([*stores, *start, *loads, "finish(p24)"], header))


def test_a_deep_nest_of_choices_is_no_fault() -> None:
    count = 1500
    loads = [f"p{k + 10} = getarrayitem_gc_r(p0, {k}, descr=Refs)" for k in range(count)]
    stores = [f"setfield_gc(p{k + 10}, p{k + 11}, descr=Node.next)" for k in range(count - 1)]
    end = ["p1 = getfield_gc_r(p10, descr=Node.next)", "i1 = getfield_gc_i(p1, descr=Node.value)", "finish(i1)"]
    _takes_less_than(60, text([*loads, *stores, *end], "[p0]"))


def test_indices_that_come_out_of_an_array_do_not_take_for_ever() -> None:
    lines = [
        line
        for k in range(200)
        for line in (
            f"setarrayitem_gc(p0, i{k}, {k}, descr=Ints)",
            f"i{k + 1} = getarrayitem_gc_i(p1, i{k}, descr=Ints)",
        )
    ]
    _takes_less_than(20, text([*lines, "finish(i200)"], "[p0, p1, i0]"))


# Declarations.


def test_a_declared_content_fits_the_word() -> None:
    types = """+++
word = 16
[struct.S]
fields = { t = { type = "int", immutable = true } }
[const.k]
struct = "S"
fields = { t = 100000 }
+++
[i0]
"""
    before = "i1 = getfield_gc_i(ConstPtr(k), descr=S.t)\nfinish(i1)\n"
    with pytest.raises(InputError):
        parse(types + before)


# Names are only a first guess.


def test_an_allocation_that_was_moved_into_an_exit_block_under_its_name_and_behind_it_under_another_one() -> None:
    def made(name: str) -> list[str]:
        return [f"{name} = new(descr=Node)", f"setfield_gc({name}, 7, descr=Node.value)"]

    before = [*made("p1"), "guard_true(i0) [p1]", "escape_n(p1)", "finish()"]
    after = ["guard_true(i0) [p1] {", *made("p1"), "}", *made("p5"), "escape_n(p5)", "finish()"]
    proved(text(before, "[i0]"), text(after, "[i0]"))


def test_a_name_that_is_used_for_another_object() -> None:
    def body(one: str, other: str) -> str:
        lines = [f"{one} = new(descr=Node)", f"{other} = new(descr=Node)"]
        lines += [f"setfield_gc({other}, 3, descr=Node.value)", f"escape_n({other})", f"escape_n({one})", "finish()"]
        return text(lines, "[i0]")

    proved(body("p1", "p2"), body("p2", "p1"))
    proved(body("p1", "p2"), body("p3", "p1"))


def test_one_identity_that_reveals_the_next_is_no_fault() -> None:
    count = 400
    header = "[" + ", ".join(f"p{k}" for k in range(count + 2)) + "]"
    lines = []
    for k in range(count):
        lines += [f"i{k} = ptr_ne(p{k}, p{k + 1})", f"j{k} = ptr_eq(p{k + 1}, p{k + 2})"]
        lines += [f"k{k} = int_or(i{k}, j{k})", f"guard_true(k{k}) []"]
    _takes_less_than(50, text([*lines, "guard_value(p0, p1) []", f"l = ptr_eq(p0, p{count})", "finish(l)"], header))
