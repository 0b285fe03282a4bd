"""Casts between references and words, and addresses in objects."""

from __future__ import annotations

import pytest

from optimizer import optimize
from optimizer.ir.addresses import address_of
from optimizer.ir.faults import Unspecified
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.interpreter import Finished, Undefined, run
from optimizer.ir.run.objects import NULL, Ref
from optimizer.ir.text import format_trace, parse
from optimizer.ir.text.heap_reader import parse_heap
from optimizer.ir.types.trace_layout import layout_of
from validator import Proved, Refuted, Unknown, Unsupported, Verdict, validate

CAST = "i3 = cast_ptr_to_int(p0)\n"
PLACE = "i3 = load_effective_address({}, i2, 24, 3)\nfinish(i3)"
SUM = "i4 = int_lshift(i2, 3)\ni5 = int_add(i4, {})\ni6 = int_add(i5, 24)\nfinish(i6)"
NEW = "p4 = new(descr=S)\n"
READ_TWICE = (
    f"{NEW}p5 = cast_int_to_ptr(i2)\ni7 = getfield_gc_i(p5, descr=x)\nescape_n(p4, i7)\n"
    "i8 = getfield_gc_i(p5, descr=x)\nsetfield_gc(p4, 1, descr=x)\n"
)
IS_ONE = "i6 = ptr_eq(p5, p4)\nfinish(i6)"
SEEN = f"{NEW}i7 = escape_i(p4)\np5 = cast_int_to_ptr(i7)\nsetfield_gc(p4, 1, descr=x)\nsetfield_gc(p5, 2, descr=x)\n"


def judged(before: str, after: str) -> Verdict:
    header = "[p0, p1, i2]\n"
    return validate(parse(header + before), parse(header + after))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"{CAST}finish(i3)", f"{CAST}finish(i3)"),
        (f"{CAST}escape_n(i3)\ni4 = cast_ptr_to_int(p0)\nfinish(i4)", f"{CAST}escape_n(i3)\nfinish(i3)"),
        (f"guard_value(p0, p1) []\n{CAST}finish(i3)", "guard_value(p0, p1) []\ni3 = cast_ptr_to_int(p1)\nfinish(i3)"),
        (f"{CAST}p4 = cast_int_to_ptr(i3)\nfinish(p4)", "finish(p0)"),
        ("p4 = cast_int_to_ptr(i2)\ni5 = cast_ptr_to_int(p4)\nfinish(i5)", "finish(i2)"),
        ("p4 = cast_int_to_ptr(i2)\nfinish(p4)", "p4 = cast_int_to_ptr(i2)\nfinish(p4)"),
        ("p4 = cast_int_to_ptr(0)\ni5 = cast_ptr_to_int(NULL)\nfinish(p4, i5)", "finish(NULL, 0)"),
        (
            f"{NEW}escape_n(p4)\np5 = cast_int_to_ptr(i2)\n{IS_ONE}",
            f"{NEW}p5 = cast_int_to_ptr(i2)\nescape_n(p4)\n{IS_ONE}",
        ),
        (PLACE.format("i2"), SUM.format("i2")),
        (PLACE.format("p0"), CAST.replace("i3", "i7") + SUM.format("i7")),
    ],
)
def test_proved(before: str, after: str) -> None:
    assert isinstance(judged(before, after), Proved)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"{CAST}finish(i3)", "i3 = cast_ptr_to_int(p1)\nfinish(i3)"),
        (f"{CAST}finish(i3)", "finish(0)"),
        (f"{CAST}p4 = cast_int_to_ptr(i3)\nfinish(p4)", "finish(p1)"),
        (PLACE.format("i2"), SUM.format("i2").replace("24", "25")),
        (PLACE.format("i2"), SUM.format("i2").replace("3)", "2)")),
    ],
)
def test_refuted(before: str, after: str) -> None:
    assert isinstance(judged(before, after), Refuted)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"{NEW}i5 = cast_ptr_to_int(p4)\nfinish(i5)", f"{NEW}i5 = cast_ptr_to_int(p4)\nfinish(i5)"),
        (f"{NEW}i5 = cast_ptr_to_int(p4)\nfinish(i5)", "finish(0)"),
        # what is at an address may be what an event has seen
        (f"{SEEN}i6 = getfield_gc_i(p4, descr=x)\nfinish(i6)", f"{SEEN}finish(1)"),
        ("p4 = cast_int_to_ptr(i2)\nfinish(p4)", "finish(NULL)"),
        # or what one sees behind that: a cast may stand anywhere
        (f"{NEW}p5 = cast_int_to_ptr(i2)\nescape_n(p4)\n{IS_ONE}", f"{NEW}escape_n(p4)\nfinish(0)"),
        (f"{READ_TWICE}i9 = getfield_gc_i(p5, descr=x)\nfinish(i8, i9)", f"{READ_TWICE}finish(i8, i8)"),
    ],
)
def test_neither(before: str, after: str) -> None:
    assert isinstance(judged(before, after), Unknown | Unsupported)


@pytest.mark.parametrize(
    ("address", "told"),
    [
        (CAST, True),
        ("i3 = load_effective_address(p0, 0, 16, 0)\n", True),
        ("i3 = load_effective_address(i2, 0, 16, 0)\n", False),
    ],
)
def test_that_raw_memory_is_none_of_an_object_is_told(address: str, told: bool) -> None:
    body = f"setfield_gc(p0, 1, descr=x)\n{address}{{}}i4 = getfield_gc_i(p0, descr=x)\nfinish(i3, i4)"
    for raw, is_told in (("raw_store(i3, 0, 2, descr=<ArrayS 8>)\n", told), ("escape_n(i3)\n", False)):
        verdict = judged(body.format(raw), body.format(raw))
        assert isinstance(verdict, Proved)
        assert bool(verdict.evidence.assumes) is is_told


def test_runs_know_the_addresses_of_old_objects() -> None:
    trace = parse(
        "[p0]\ni1 = cast_ptr_to_int(p0)\np2 = cast_int_to_ptr(i1)\np3 = cast_int_to_ptr(0)\nfinish(i1, p2, p3)\n"
    )
    heap = parse_heap("p0 = Node()\nq = Node()", layout_of(trace))
    assert run(trace, [Ref("p0")], heap=heap).outcome == Finished((address_of("address of p0", 64), Ref("p0"), NULL))
    place = parse("[p0, i1]\ni2 = load_effective_address(p0, i1, 24, 3)\nfinish(i2)\n")
    heap = parse_heap("p0 = Node()", layout_of(place))
    assert run(place, [Ref("p0"), 2], heap=heap).outcome == Finished((address_of("address of p0", 64) + 40,))
    large = parse("[i1]\ni2 = load_effective_address(i1, i1, 24, 64)\nfinish(i2)\n")
    assert run(large, [2]).outcome == Undefined(0, "the amount is outside [0, WORD)")


@pytest.mark.parametrize("line", ["p1 = new(descr=S)\ni2 = cast_ptr_to_int(p1)", "p1 = cast_int_to_ptr(5)"])
def test_runs_do_not_know_others(line: str) -> None:
    trace = parse(f"[]\n{line}\nfinish()\n")
    with pytest.raises(Unspecified):
        run(trace, [], heap=Heap(layout_of(trace)))


def test_the_optimizer_takes_what_has_an_address_for_known_to_others() -> None:
    before = parse(
        f"[i0]\n{NEW}setfield_gc(p4, 1, descr=x)\ni3 = cast_ptr_to_int(p4)\np5 = cast_int_to_ptr(i3)\n"
        "setfield_gc(p5, 2, descr=x)\ni6 = getfield_gc_i(p4, descr=x)\nfinish(i6)\n"
    )
    assert "i6 = getfield_gc_i" in format_trace(optimize(before))
    twice = parse("[p0]\ni1 = cast_ptr_to_int(p0)\nescape_n()\ni2 = cast_ptr_to_int(p0)\nfinish(i1, i2)\n")
    assert len(optimize(twice).ops) == 3
