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


TEXT, OTHER = "<FieldP W_Str.inst_text 8>", "p20 = getfield_gc_r(p0, descr=<FieldP Counter.inst_other 24>)"


def copied(name: int, source: str, number: int, box: int) -> tuple[str, ...]:
    """An object that holds a copy of a string, of whatever length."""
    length, makes = f"i{number} = strlen({source})", f"p{name} = newstr(i{number})"
    return length, makes, f"copystrcontent({source}, p{name}, 0, 0, i{number})", *made(box, f"p{name}", TEXT)


def test_what_has_been_copied_to_a_new_string_is_not_known() -> None:
    """The label takes neither the string nor its length."""
    ends, there = (copied(5, "p2", 9, 6), "p6, p2"), (OTHER, "guard_nonnull(p20, descr=<Guard0x92>) [p0, p7]")
    back = (OTHER, "guard_nonnull(p20)", *copied(8, "p20", 10, 11))
    assert isinstance(verdict(ends, ", p2", (back, "p11, p7"), (there, ", p7")), Unknown)


def array(name: int, index: str, value: str, makes: str = "new_array_clear") -> tuple[str, ...]:
    """An array with an item."""
    store = f"setarrayitem_gc(p{name}, {index}, {value}, descr=<ArrayS 8>)"
    return f"p{name} = {makes}(3, descr=<ArrayS 8>)", store


@pytest.mark.parametrize("index", ["i1", "i9"])
def test_nor_what_has_been_stored_at_an_index_that_varies(index: str) -> None:
    asks = ("i8 = uint_lt({}, 3)", "guard_true(i8{})")
    ends = ((asks[0].format("i3"), asks[1].format(""), *array(5, "i3", "7"), *made(6, "i3")), "p5, p6")
    other = ("i9 = int_sub(2, i1)", asks[0].format(index), asks[1].format(""), *array(8, index, "7"), *made(9, "i1"))
    there = (*other[:2], asks[1].format(", descr=<Guard0x92>") + " [p0, i1]")
    assert isinstance(verdict(ends, ", i3", (other, "p8, p9"), (there, ", i1")), Unknown)


@pytest.mark.parametrize("length", ["i1", "i9"])
def test_nor_an_array_of_a_length_that_varies(length: str) -> None:
    asks, makes = ("i8 = uint_lt({}, 9)", "guard_true(i8{})"), "p{} = new_array_clear({}, descr=<ArrayS 8>)"
    ends = ((asks[0].format("i3"), asks[1].format(""), makes.format(5, "i3"), *made(6, "i3")), "p5, p6")
    other = ("i9 = int_add(i1, 1)", asks[0].format(length), asks[1].format(""), makes.format(8, length), *made(9, "i1"))
    there = (*other[:2], asks[1].format(", descr=<Guard0x92>") + " [p0, i1]")
    assert isinstance(verdict(ends, ", i3", (other, "p8, p9"), (there, ", i1")), Unknown)


def test_nor_an_array_that_somebody_else_may_have_filled() -> None:
    makes, gives = "p{} = new_array_clear(3, descr=<ArrayS 8>)", f"setfield_gc(p0, p8, descr={TEXT})"
    back = (makes.format(8), gives, CALLED.format(0))
    right = (makes.format(8), CALLED.format(0))
    ends = ((makes.format(5),), f"p5, {NULL}")
    assert isinstance(verdict(ends, ", i3", (right, f"p8, {NULL}"), ((CALLED.format(0),), ", i1")), Unknown)
    ends = ((makes.format(5), *made(6, "i3")), "p5, p6")
    right, wrong = ((*lines, *made(9, "i1")) for lines in (right, back))
    assert isinstance(verdict(ends, ", i3", (right, "p8, p9"), ((CALLED.format(0),), ", i1")), Proved)
    assert isinstance(verdict(ends, ", i3", (wrong, "p8, p9"), (back, ", i1")), Unknown)


def test_nor_an_object_that_is_stored_to_by_another_name() -> None:
    """The item of an array at an index that varies is one of two new objects."""
    asks = ("i21 = uint_lt(i1, 2)", "guard_true(i21{})")
    items = [f"setarrayitem_gc(p20, {at}, p{at + 5}, descr=<ArrayP 8>)" for at in (0, 1)]
    held = ("p20 = new_array_clear(2, descr=<ArrayP 8>)", *items, "p22 = getarrayitem_gc_r(p20, i1, descr=<ArrayP 8>)")
    both, store = (*made(5, "i1"), *made(6, "7")), f"setfield_gc(p22, 5, descr={COUNT})"
    there = (asks[0], asks[1].format(", descr=<Guard0x92>") + " [p0, i1]")
    for more, kind in (((), Proved), ((store,), Unknown)):
        back = (asks[0], asks[1].format(""), *both, *held, *more)
        assert isinstance(verdict(BOXES, ", i3", (back, "p5, p6"), (there, ", i1")), kind)


@pytest.mark.parametrize(
    ("back", "is_right"),
    [
        (array(8, "1", "i1"), True),
        (array(8, "2", "i1"), False),
        (array(8, "1", "i1", "new_array"), False),  # whose other items may be anything
        ((*array(8, "1", "i1"), array(8, "2", "0")[1]), False),
        (
            (*array(8, "1", "i1"), f"setfield_gc(p0, p8, descr={TEXT})", CALLED.format(0)),
            False,
        ),  # it may be changed there
        ((*array(8, "1", "7"), array(8, "1", "i1")[1]), True),
    ],
)
def test_an_array_for_which_there_are_its_items(back: tuple[str, ...], *, is_right: bool) -> None:
    kept = [line for line in back if "p8" not in line or "setfield" in line]
    made_there = array(8, "1", "i1") if any("setfield" in line for line in kept) else ()
    found = verdict((array(5, "1", "i3"), "p5, p2"), ", i3, p2", (back, "p8, p7"), ((*made_there, *kept), ", i1, p7"))
    assert isinstance(found, Proved if is_right else Unknown), found


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


@pytest.mark.parametrize(("handed", "is_right"), [("i1", True), ("i4", False)])
def test_a_value_that_the_label_takes_twice(handed: str, *, is_right: bool) -> None:
    """The second one is for what a guard lists, the first one for what it asks."""
    step = ("i7 = int_lt(i1, 9)", "guard_true(i7)", "i3 = int_add(i1, 2)")
    log = recorded("[p0, i1]", *step, "jump(p0, i3, descr=<Loop-1>)") + loop(
        "[p0, i1]",
        "+1: label(p0, i1, descr=TargetToken(140))",
        "+1: i7 = int_lt(i1, 9)",
        "+1: guard_true(i7, descr=<Guard0x7f01>) [p0, i1]",
        "+1: i3 = int_add(i1, 2)",
        "+1: i6 = int_add(2, i1)",
        "+1: label(p0, i3, i6, descr=TargetToken(141))",
        "+1: i17 = int_lt(i3, 9)",
        "+1: guard_true(i17, descr=<Guard0x7f10>) [p0, i6]",
        "+1: i13 = int_add(i3, 2)",
        "+1: jump(p0, i13, i13, descr=TargetToken(141))",
    )
    log += recorded("[p0, i1]", "jump(p0, i1, descr=<Loop1>)")
    there = ("+1: i4 = int_add(i1, 1)", f"+1: jump(p0, i1, {handed}, descr=TargetToken(141))")
    found = judged(log + bridge("[p0, i1]", *there))[1].verdict
    assert isinstance(found, Proved if is_right else Unknown), found


@pytest.mark.parametrize(
    ("listed", "computed", "handed", "is_right"),
    [
        ("i6", (), "i8", True),
        ("i6", (), "5", False),  # which it is only where the guard passes
        ("i15", ("i15 = int_add(i6, 9)",), "i8", True),
        ("i15", ("i15 = int_add(i6, 9)",), "5", False),
    ],
)
def test_a_number_that_the_preamble_has_loaded(
    listed: str, computed: tuple[str, ...], handed: str, *, is_right: bool
) -> None:
    """The body loads it anew for what it asks, and lists the other one, or what it computes with that."""
    load = f"i{{}} = getfield_gc_i(p0, descr={COUNT})"
    log = recorded("[p0, i1]", load.format(2), "i4 = int_eq(i2, 5)", "guard_true(i4)", "jump(p0, i1, descr=<Loop-1>)")
    log += loop(
        "[p0, i1]",
        "+1: label(p0, i1, descr=TargetToken(140))",
        f"+1: {load.format(6)}",
        "+1: i4 = int_eq(i6, 5)",
        "+1: guard_true(i4, descr=<Guard0x7f01>) [p0, i1]",
        "+1: label(p0, i1, i6, descr=TargetToken(141))",
        *(f"+1: {line}" for line in computed),
        f"+1: {load.format(12)}",
        "+1: i14 = int_eq(i12, 5)",
        f"+1: guard_true(i14, descr=<Guard0x7f10>) [p0, i1, {listed}]",
        "+1: jump(p0, i1, i12, descr=TargetToken(141))",
    )
    log += recorded("[p0, i1]", "jump(p0, i1, descr=<Loop1>)")
    log += bridge("[p0, i1]", f"+1: {load.format(8)}", f"+1: jump(p0, i1, {handed}, descr=TargetToken(141))")
    found = judged(log)[1].verdict
    assert isinstance(found, Proved if is_right else Unknown), found
