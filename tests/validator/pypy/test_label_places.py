"""What a bridge hands to a label, in the place of what the recorded one hands to the start of the loop."""

from __future__ import annotations

import pytest

from tests.pypy_logs import bridge, judged, loop, recorded
from validator import Proved, Unknown

COUNT, VALUE = "<FieldS Counter.count 8>", "<FieldS W_Int.inst_value 8>"
STEP = (
    "i{a} = getfield_gc_i(p0, descr={c})",
    "i{b} = int_lt(i{a}, 9)",
    "guard_true(i{b}{g})",
    "i{d} = int_add(i{a}, 1)",
    "setfield_gc(p0, i{d}, descr={c})",
)
CALLED = "call_n(ConstClass(work), p{}, descr=<Callv 0 r EF=2>)"


def made(name: int, value: str, descr: str = VALUE, size: int = 16) -> tuple[str, str]:
    """A new object that holds the value."""
    return f"p{name} = new_with_vtable(descr=<SizeDescr {size}>)", f"setfield_gc(p{name}, {value}, descr={descr})"


def verdict(
    ends: tuple[tuple[str, ...], str], taken: str, back: tuple[tuple[str, ...], str], there: tuple[tuple[str, ...], str]
) -> object:
    """The verdict on a bridge. The loop counts, makes something, and goes round with these; the label takes `taken`
    (`i3` is the number, `i13` in the body) and guards of the body list it. The bridge is recorded as `back`, and
    optimized as `there`: what it makes, and what it hands on."""
    lines = [line.format(a=2, b=4, d=3, c=COUNT, g="") for line in STEP]
    first = [line.format(a=2, b=4, d=3, c=COUNT, g=", descr=<Guard0x7f01>") for line in STEP]
    body = [line.format(a=12, b=14, d=13, c=COUNT, g=", descr=<Guard0x7f10>") for line in STEP]
    inputs = "[p0, p1, p2]"
    log = recorded(inputs, *lines, *ends[0], f"jump(p0, {ends[1]}, descr=<Loop-1>)") + loop(
        inputs,
        "+1: label(p0, p1, p2, descr=TargetToken(140))",
        *(f"+1: {line}" + f" {inputs}" * ("guard" in line) for line in first),
        f"+1: label(p0{taken}, descr=TargetToken(141))",
        *(f"+1: {line}" + f" [p0{taken}]" * ("guard" in line) for line in body),
        f"+1: jump(p0{taken.replace('i3', 'i13')}, descr=TargetToken(141))",
    )
    log += recorded("[p0, i1, p7]", *back[0], f"jump(p0, {back[1]}, descr=<Loop1>)")
    log += bridge(
        "[p0, i1, p7]", *(f"+1: {line}" for line in there[0]), f"+1: jump(p0{there[1]}, descr=TargetToken(141))"
    )
    return judged(log)[1].verdict


NULL = "ConstPtr(null)"
BOX = ((*made(5, "i3"),), f"p5, {NULL}")
BOXES = ((*made(5, "i3"), *made(6, "7")), "p5, p6")
DOUBLED = ("i3 = int_mul(i1, 2)",)


@pytest.mark.parametrize(
    ("ends", "taken", "back", "there", "is_right"),
    [
        (BOX, ", i3", ((*DOUBLED, *made(5, "i3")), f"p5, {NULL}"), (DOUBLED, ", i3"), True),
        (BOX, ", i3", ((*DOUBLED, *made(5, "i3")), f"p5, {NULL}"), (DOUBLED, ", i1"), False),
        (
            BOX,
            ", i3",
            ((*DOUBLED, *made(5, "i3")), "p5, p7"),
            (DOUBLED, ", i3"),
            False,
        ),  # NULL, for which there is none
        (BOX, ", i3", ((*DOUBLED, *made(5, "i3", size=32)), f"p5, {NULL}"), (DOUBLED, ", i3"), False),
        (BOX, ", i3", ((), f"p7, {NULL}"), ((f"i3 = getfield_gc_i(p7, descr={VALUE})",), ", i3"), False),
        (BOXES, ", i3", ((*made(5, "i1"), *made(6, "7")), "p5, p6"), ((), ", i1"), True),
        (BOXES, ", i3", ((*made(5, "i1"), *made(6, "8")), "p5, p6"), ((), ", i1"), False),  # the constant in it
        (BOXES, ", i3", ((*made(5, "i1"), *made(6, "7", COUNT)), "p5, p6"), ((), ", i1"), False),
        (BOX, ", i3", ((*made(5, "i1"), made(5, "4")[1]), f"p5, {NULL}"), ((), ", i1"), False),  # it held that before
        (
            BOX,
            ", i3",
            ((*made(5, "i1"), CALLED.format(5)), f"p5, {NULL}"),
            ((*made(5, "i1"), CALLED.format(5)), ", i1"),
            False,
        ),
    ],
)
def test_a_value_for_which_there_is_no_object(
    ends: tuple[tuple[str, ...], str],
    taken: str,
    back: tuple[tuple[str, ...], str],
    there: tuple[tuple[str, ...], str],
    *,
    is_right: bool,
) -> None:
    found = verdict(ends, taken, back, there)
    assert isinstance(found, Proved if is_right else Unknown), found


@pytest.mark.parametrize("handed", ["i5", "i1"])
def test_a_value_that_the_preamble_hands_to_nobody(handed: str) -> None:
    """The body may compute it, for what it lists; nothing says so."""
    ends = (("i8 = int_add(i3, 5)", *made(5, "i8"), *made(6, "i3")), "p5, p6")
    back = ("i5 = int_add(i1, 5)", *made(5, handed), *made(6, "i1"))
    assert isinstance(verdict(ends, ", i3", (back, "p5, p6"), ((), ", i1")), Unknown)


NUMBERS = "i6 = int_and(i2, 1)", "guard_false(i6{})", "i7 = int_lt(i1, 9)", "guard_true(i7{})", "i3 = int_add(i1, 2)"


@pytest.mark.parametrize(("more", "is_right"), [(0, True), (2, False)])
def test_one_argument_for_two_values(more: int, *, is_right: bool) -> None:
    lines, guards = [line.format("") for line in NUMBERS], iter("1234")
    first = [
        line.format(f", descr=<Guard0x7f0{next(guards)}>") + " [p0, i1, i2]" if "guard" in line else line
        for line in NUMBERS
    ]
    body = [
        line.replace("i2", "i3_").replace("i1", "i3_").replace("i3 ", "i13 ").replace("i6", "i16") for line in first
    ]
    body = [line.replace("i7", "i17").replace("i3_", "i3").replace("[p0, i3, i3]", "[p0, i3]") for line in body]
    log = recorded("[p0, i1, i2]", *lines, "jump(p0, i3, i3, descr=<Loop-1>)") + loop(
        "[p0, i1, i2]",
        "+1: label(p0, i1, i2, descr=TargetToken(140))",
        *(f"+1: {line}" for line in first),
        "+1: label(p0, i3, descr=TargetToken(141))",
        *(f"+1: {line}" for line in body),
        "+1: jump(p0, i13, descr=TargetToken(141))",
    )
    back = ("i4 = int_lshift(i1, 1)", f"i5 = int_add(i4, {more})", "jump(p0, i4, i5, descr=<Loop1>)")
    log += recorded("[p0, i1]", *back)
    log += bridge("[p0, i1]", "+1: i4 = int_lshift(i1, 1)", "+1: jump(p0, i4, descr=TargetToken(141))")
    found = judged(log)[1].verdict
    assert isinstance(found, Proved if is_right else Unknown), found
