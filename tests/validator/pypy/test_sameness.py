"""Constants of one trace that are one object, since it finds them in the same place."""

from __future__ import annotations

import pytest

from optimizer.ir.dialects.pypy_log import read_traces
from optimizer.ir.dialects.pypy_pairs import LogPair, pair_sections
from validator import Proved
from validator.pypy.inferred.sameness import Sameness
from validator.pypy.judge import judge
from validator.pypy.pair_text import translated
from validator.pypy.printed.lines import NULL, Line, Printed, read_printed
from validator.pypy.printed.rows import rows_of
from validator.pypy.printed.straight import AFTER, BEFORE, Sides, straight
from validator.pypy.study import study

MAP, LINK, ITEM = "descr=<FieldP Box.map 8>", "descr=<FieldP Cell.link 8>", "descr=<ArrayP 8>"
TWICE = f"""\
p1 = getfield_gc_r(p0, {MAP})
guard_value(p1, ConstPtr(ptr1), descr=<Guard0x1>) []
p2 = new_with_vtable(descr=<SizeDescr 16>)
setfield_gc(p2, ConstPtr(ptr2), {MAP})
p3 = getfield_gc_r(p0, {MAP})
guard_value(p3, ConstPtr(ptr3), descr=<Guard0x2>) []
finish(p2)"""
ONCE = f"""\
p1 = getfield_gc_r(p0, {MAP})
guard_value(p1, ConstPtr(ptr11), descr=<Guard0x1>) []
p2 = new_with_vtable(descr=<SizeDescr 16>)
setfield_gc(p2, ConstPtr(ptr12), {MAP})
finish(p2)"""
ITEMS = (
    TWICE.replace("getfield_gc_r(p0", "getarrayitem_gc_r(p0, 0")
    .replace("setfield_gc(p2", "setarrayitem_gc(p0, 1")
    .replace(MAP, ITEM)
)
GIVEN_AWAY = f"""\
p2 = new_with_vtable(descr=<SizeDescr 16>)
setfield_gc(p2, ConstPtr(ptr4), {MAP})
setfield_gc(p9, p2, {LINK})
call_n(ConstClass(work), descr=<Callv 0 EF=5>)
p0 = getfield_gc_r(p9, {LINK})
{TWICE.replace("p2 = new_with_vtable(descr=<SizeDescr 16>)", "", 1).replace(chr(10) * 2, chr(10))}"""
COPIED = TWICE.replace(
    "p3 =", "call_n(ConstClass(ll_arraycopy), p8, p8, 0, 1, 2, descr=<Callv 0 rriii EF=2 OS=1>)\np3 =", 1
).replace(f"setfield_gc(p2, ConstPtr(ptr2), {MAP})\n", "")

OF_ITEM = COPIED.replace("getfield_gc_r(p0", "getarrayitem_gc_r(p0, 0").replace(MAP, ITEM)
INTO_NEW = OF_ITEM.replace(
    "call_n(ConstClass(ll_arraycopy), p8, p8", f"p5 = new_array(2, {ITEM})\ncall_n(ConstClass(ll_arraycopy), p8, p5"
)

KEPT = f"""\
p2 = new_with_vtable(descr=<SizeDescr 16>)
setfield_gc(p2, ConstPtr(ptr1), {MAP})
p5 = new_array(3, {ITEM})
setarrayitem_gc(p5, 0, p2, {ITEM})
call_n(ConstClass(work), descr=<Callv 0 EF=7>)
p7 = getarrayitem_gc_r(p5, 0, {ITEM})
p3 = getfield_gc_r(p7, {MAP})
guard_value(p3, ConstPtr(ptr3), descr=<Guard0x1>) []
finish(p5)"""

THROUGH = f"setarrayitem_gc(p6, i4, p8, {ITEM})"


def counted(back: int) -> str:
    """The same, with a store that counts from the end of the array."""
    end = f"i6 = arraylen_gc(p5, {ITEM})\ni7 = int_add(i6, -{back})"
    return KEPT.replace("setarrayitem_gc(p5, 0,", f"{end}\nsetarrayitem_gc(p5, i7,")


def with_line(line: str) -> str:
    return KEPT.replace("call_n(", f"{line}\ncall_n(")


def through(*lines: str) -> str:
    """The same, with a store to an array that these lines load, in place of the call."""
    return KEPT.replace("call_n(ConstClass(work), descr=<Callv 0 EF=7>)", "\n".join((*lines, THROUGH)))


def pair(recorded: str, optimized: str) -> LogPair:
    inputs = ", ".join(text for text in ("p0", "p8", "p9", "i4") if f"{text} =" not in recorded)
    log = f"""\
[1] {{jit-log-noopt
# Traced loop or bridge with {len(recorded.splitlines())} ops
[{inputs}]
{recorded}
[2] jit-log-noopt}}
[3] {{jit-log-opt-loop
# Loop 1 (f;a.py:4-9~#40 FOR_ITER) : entry bridge with {len(optimized.splitlines())} ops
[{inputs}]
{optimized}
[4] jit-log-opt-loop}}
"""
    found = next(iter(pair_sections(read_traces(log.splitlines()))))
    assert isinstance(found, LogPair)
    return found


def is_one(recorded: str) -> bool:
    one = pair(recorded, recorded)
    sides: Sides = translated(one, "log", study([one], "log")).sides
    sameness = Sameness(rows_of(sides), study([one], "log").leaves)
    return sameness.of(BEFORE, "ConstPtr(ptr1)") == sameness.of(BEFORE, "ConstPtr(ptr3)")


@pytest.mark.parametrize(
    "recorded",
    [
        *(TWICE, ITEMS, COPIED, INTO_NEW, KEPT, counted(3)),
        with_line(f"p6 = getarrayitem_gc_r(p5, 0, {ITEM})\nguard_nonnull(p6) []"),
        through(f"p6 = getfield_gc_r(p9, {LINK})"),
    ],
)
def test_what_is_stored_elsewhere_leaves_a_place_as_it_is(recorded: str) -> None:
    assert is_one(recorded)


@pytest.mark.parametrize(
    ("into", "given", "is_one"),
    [("p5", "", True), ("p8", "", False), ("p5", f"setfield_gc(p9, p5, {LINK})\n", False)],
)
def test_what_stands_behind_copies_into_a_new_array_is_the_same_without_them(
    into: str, given: str, *, is_one: bool
) -> None:
    """What is in raw memory, and the items of other arrays."""
    new = f"p5 = new_array(2, {ITEM})\n{given}"
    behind = f"""\
p4 = call_r(ConstClass(find), descr=<Callr 8 EF=7>)
i6 = getfield_raw_i(1000, descr=<FieldS flags.value 0>)
p7 = getarrayitem_gc_r(p4, 0, {ITEM})
i8 = getfield_gc_i(p7, descr=<FieldS Box.size 16>)
i9 = int_add(i6, i8)
finish(i9)"""
    copy = f"call_n(ConstClass(ll_arraycopy), p8, {into}, 0, 1, 99, descr=<Callv 0 rriii EF=2 OS=1>)\n"
    one = pair(new + 2 * copy + behind, new + behind)
    sides: Sides = translated(one, "log", study([one], "log")).sides
    sameness = Sameness(rows_of(sides), study([one], "log").leaves)
    for text in ("i6", "p7"):
        assert (sameness.of(BEFORE, text) == sameness.of(AFTER, text)) == is_one


def test_a_long_chain_is_the_same_twice() -> None:
    """Each object is numbered by the one in front, however many there are."""

    def walked(first: int) -> str:
        loads = (f"p{at + 1} = getfield_gc_r(p{at if at > first else 0}, {LINK})\n" for at in range(first, first + 40))
        return "".join(loads)

    once, again = (
        f"guard_value(p{last}, ConstPtr(ptr{name}), descr=<Guard0x1>) []" for last, name in ((50, 1), (99, 3))
    )
    assert is_one(f"{walked(10)}{once}\n{walked(59)}{again}\nfinish(p0)")


@pytest.mark.parametrize(
    "recorded",
    [
        pytest.param(TWICE.replace("setfield_gc(p2", "setfield_gc(p9"), id="an input, which may be the object"),
        pytest.param(GIVEN_AWAY, id="a new object that may have been loaded again"),
        pytest.param(ITEMS.replace("p0, 1", "p0, i4"), id="an item of any number"),
        pytest.param(ITEMS.replace("p0, 1", "p0, 0"), id="the same item"),
        pytest.param(ITEMS.replace("setarrayitem_gc(p0, 1", "setarrayitem_gc(p9, 0"), id="the item of another array"),
        pytest.param(with_line(f"setfield_gc(p9, p2, {LINK})"), id="a new object that is stored"),
        pytest.param(with_line(f"setfield_gc(p9, p5, {LINK})"), id="what a new object holds that is stored"),
        pytest.param(
            with_line(f"p6 = new_array(1, {ITEM})\nsetarrayitem_gc(p6, 0, p2, {ITEM})\nsetfield_gc(p9, p6, {LINK})"),
            id="what a new object holds, too",
        ),
        pytest.param(
            with_line(f"p6 = getarrayitem_gc_r(p5, i4, {ITEM})\nsetfield_gc(p9, p6, {LINK})"),
            id="a new object by another name",
        ),
        pytest.param(
            with_line("p6 = same_as_r(p2)\ngc_store(p9, 8, p6, 8)"), id="an operation of which nothing is known"
        ),
        pytest.param(
            with_line("p6 = gc_load_r(p5, 16, 8)\ncall_n(ConstClass(work), p6, descr=<Callv 0 r EF=5>)"), id="raw"
        ),
        pytest.param(through(f"setfield_gc(p8, p5, {LINK})", f"p6 = getfield_gc_r(p9, {LINK})"), id="a stored array"),
        pytest.param(through("p6 = same_as_r(p5)"), id="the array by another name"),
        pytest.param(
            through(
                f"p10 = new_array(2, {ITEM})",
                f"setarrayitem_gc(p10, 0, p5, {ITEM})",
                f"p6 = getarrayitem_gc_r(p10, i4, {ITEM})",
            ),
            id="the array from one that nothing else reaches",
        ),
        pytest.param(
            through(
                f"p10 = new_array(2, {ITEM})",
                f"setarrayitem_gc(p10, 0, p5, {ITEM})",
                f"p11 = new_array(2, {ITEM})",
                "call_n(ConstClass(ll_arraycopy), p10, p11, 0, 0, 2, descr=<Callv 0 rriii EF=2 OS=1>)",
                f"p6 = getarrayitem_gc_r(p11, i4, {ITEM})",
            ),
            id="the array from a copy of one that nothing else reaches",
        ),
        pytest.param(counted(2), id="another item, counted from the end"),
        pytest.param(KEPT.replace("(work), descr=<Callv 0", "(work), p2, descr=<Callv 0 r"), id="an argument"),
        pytest.param(KEPT.replace("(work), descr=<Callv 0", "(work), p5, descr=<Callv 0 r"), id="held by an argument"),
        pytest.param(COPIED.replace("EF=2 OS=1", "EF=2 OS=2"), id="another call"),
        pytest.param(OF_ITEM, id="an item"),
        pytest.param(INTO_NEW.replace("p8, p5", "p5, p8"), id="an item of what is copied to"),
    ],
)
def test_what_may_be_stored_to_the_place(recorded: str) -> None:
    assert not is_one(recorded)


def test_guards_that_hold_since_a_place_is_as_it_was_are_proved() -> None:
    def is_proved(recorded: str, optimized: str) -> bool:
        one = pair(recorded, optimized)
        return isinstance(judge(one, "log", study([one], "log")).verdict, Proved)

    def without_guard(recorded: str) -> str:
        return "".join(
            line for line in recorded.splitlines(keepends=True) if not line.startswith(("p3", "p7", "guard"))
        )

    assert is_proved(KEPT, without_guard(KEPT))
    given = with_line(f"setfield_gc(p9, p2, {LINK})")
    assert not is_proved(given, without_guard(given))
    assert is_proved(TWICE, ONCE)
    assert not is_proved(TWICE, ONCE.replace("guard_value(p1, ConstPtr(ptr11), descr=<Guard0x1>) []\n", ""))
    assert not is_proved(TWICE.replace("setfield_gc(p2", "setfield_gc(p9"), ONCE.replace("gc(p2", "gc(p9"))


def test_calls_that_do_nothing_are_not_told_by_their_order() -> None:
    force, end = "cond_call(i4, ConstClass(force), {}, descr=<Callv 0 r EF=2 OS=121>)", "finish(p9)"
    new = "p2 = new_with_vtable(descr=<SizeDescr 16>)"
    one = pair("\n".join((new, force.format("p2"), force.format("p0"), end)), "\n".join((force.format("p0"), end)))
    sides = translated(one, "log", study([one], "log")).sides
    sameness = Sameness(rows_of(sides))
    assert sameness.of(BEFORE, "p2") != sameness.of(BEFORE, "p0")


@pytest.mark.parametrize(
    ("steps", "is_same"),
    [
        (("int_sub(i0, 3)", "int_add({}, 3)"), True),
        (("int_add(2, i0)", "int_sub({}, 1)", "int_add({}, -1)"), True),
        (("int_sub(i0, 3)", "int_add({}, 2)"), False),
        (("int_sub(3, i0)", "int_sub({}, 3)"), False),
        (("int_sub(i0, 1)", "int_mul({}, 1)", "int_add({}, 2)"), False),
    ],
)
def test_sums_of_numbers_that_are_nothing(steps: tuple[str, ...], *, is_same: bool) -> None:
    names = [f"i{number}" for number in range(len(steps) + 1)]
    made = (f"{name} = {step.format(at)}" for at, name, step in zip(names, names[1:], steps, strict=False))
    one = pair("\n".join(("i0 = strlen(p9)", *made, "finish()")), "i7 = strlen(p9)\ni8 = int_neg(i7)\nfinish()")
    sameness = Sameness(rows_of(translated(one, "log", study([one], "log")).sides))
    assert (sameness.of(BEFORE, names[-1]) == sameness.of(AFTER, "i7")) == is_same


def test_sums_are_told_by_what_is_added_in_all() -> None:
    before = "i0 = strlen(p9)\ni1 = int_add(i0, 5)\ni2 = int_sub(i1, 7)\nfinish()"
    one = pair(before, "i7 = strlen(p9)\ni8 = int_sub(i7, 2)\nfinish()")
    sameness = Sameness(rows_of(translated(one, "log", study([one], "log")).sides))
    assert sameness.of(BEFORE, "i2") == sameness.of(AFTER, "i8") != sameness.of(AFTER, "i7")


IN_TURN = f"""\
p2 = new_with_vtable(descr=<SizeDescr 16>)
setfield_gc(p2, ConstPtr(ptr1), {MAP})
setfield_gc(p9, p2, {LINK})
call_n(ConstClass(work), descr=<Callv 0 EF=7>)
setfield_gc(p9, ConstPtr(null), {LINK})
finish(p9)"""


@pytest.mark.parametrize(
    ("right", "wrong", "is_same"),
    [
        ("", "", True),
        (f"setfield_gc(p9, p2, {LINK})", f"setfield_gc(p8, p2, {LINK})", False),
        (f"(p9, p2, {LINK})", f"(p9, p2, {LINK})\nsetfield_gc(p9, p2, {LINK})\nsetfield_gc(p9, p8, {LINK})", False),
    ],
)
def test_what_is_stored_to_one_place_in_turn_is_the_same_if_it_is_as_often(
    right: str, wrong: str, *, is_same: bool
) -> None:
    one = pair(IN_TURN, IN_TURN.replace("ptr1", "ptr11").replace(right, wrong))
    sameness = Sameness(rows_of(translated(one, "log", study([one], "log")).sides))
    assert (sameness.of(BEFORE, "ConstPtr(ptr1)") == sameness.of(AFTER, "ConstPtr(ptr11)")) is is_same
    assert isinstance(judge(one, "log", study([one], "log")).verdict, Proved) is is_same


@pytest.mark.parametrize(("object", "is_right"), [("p1", True), ("p9", False)])
def test_what_both_traces_catch_is_one_exception(object: str, *, is_right: bool) -> None:
    recorded = f"""\
p1 = guard_exception(ConstClass(Error), descr=<Guard0x1>) []
p2 = getfield_gc_r(p1, {MAP})
i3 = instance_ptr_eq(ConstPtr(ptr1), p2)
guard_true(i3, descr=<Guard0x2>) []
finish(p9)"""
    optimized = recorded.replace("ptr1", "ptr11").replace("r(p1", f"r({object}")
    for name in (1, 2, 3):
        optimized = optimized.replace(f"p{name}", f"p1{name}").replace(f"i{name}", f"i1{name}")
    one = pair(recorded, optimized)
    assert isinstance(judge(one, "log", study([one], "log")).verdict, Proved) is is_right


SLICE = """\
i5 = int_add(i4, 2)
p1 = call_r(ConstClass(slice), p0, i4, i5, descr=<Callr 8 rii EF=3 OS=23>)
i6 = {}
i7 = getarrayitem_gc_pure_i(ConstPtr(ptr1), i6, descr=<ArrayU 2>)
finish()"""
WHOLE = """\
i6 = {}
i7 = getarrayitem_gc_pure_i(ConstPtr(ptr2), i6, descr=<ArrayU 2>)
finish()"""


@pytest.mark.parametrize(
    ("of_slice", "of_whole", "expected"),
    [
        ("strgetitem(p1, 0)", "strgetitem(p0, i4)", True),
        ("strgetitem(p1, 1)", "strgetitem(p0, i4)", False),
        ("strgetitem(p1, 0)", "strgetitem(p0, 0)", False),
        ("strlen(p1)", "int_add(2, 0)", True),
        ("strlen(p1)", "strlen(p0)", False),
        ("strhash(p1)", "strhash(p0)", False),
    ],
)
def test_a_range_of_a_string_has_its_characters(of_slice: str, of_whole: str, *, expected: bool) -> None:
    one = pair(SLICE.format(of_slice), WHOLE.format(of_whole))
    sides = straight(read_printed(one.recorded, "log"), read_printed(one.optimized, "log"))
    sameness = Sameness(rows_of(sides))
    assert (sameness.of(BEFORE, "ConstPtr(ptr1)") == sameness.of(AFTER, "ConstPtr(ptr2)")) is expected


def test_a_load_of_what_the_optimized_trace_has_is_not_the_one_that_it_does() -> None:
    """The recorded trace loads from two constants in turn, and finds out what the first one holds: the load that is
    left is that from the second one."""
    first = f"p1 = getfield_gc_r(ConstPtr(ptr1), {LINK})\ni2 = ptr_eq(p1, p0)\nguard_true(i2)\n"
    key = "descr=<FieldS Cell.key 16>"
    loaded = f"p3 = getfield_gc_r(ConstPtr({{}}), {LINK})\ni5 = getfield_gc_i(p3, {key})"
    second = f"{loaded}\nsetfield_gc(p0, 1, {key})\nfinish()"
    for front in ("", first):
        one = pair(front + second.format("ptr2"), second.format("ptr3"))
        sides = straight(read_printed(one.recorded, "log"), read_printed(one.optimized, "log"))
        sameness = Sameness(rows_of(sides))
        assert sameness.of(AFTER, "ConstPtr(ptr3)") == sameness.of(BEFORE, "ConstPtr(ptr2)")


def met(recorded: str, optimized: str, one: str, other: str) -> bool:
    pair_ = pair(recorded, optimized)
    sameness = Sameness(rows_of(straight(read_printed(pair_.recorded, "log"), read_printed(pair_.optimized, "log"))))
    return sameness.of(BEFORE, f"ConstPtr({one})") == sameness.of(AFTER, f"ConstPtr({other})")


CELL = f"""\
p1 = getfield_gc_r(ConstPtr(ptr1), {LINK})
p2 = new_with_vtable(descr=<SizeDescr 16>)
setfield_gc(p2, i4, descr=<FieldS Cell.key 16>)
setfield_gc(ConstPtr({{}}), p2, {LINK})
finish(p1)"""


@pytest.mark.parametrize(("key", "is_met"), [("i4", True), ("5", False)])
def test_a_constant_that_is_stored_to_may_have_two_names_in_the_optimized_trace(key: str, *, is_met: bool) -> None:
    """The recorded trace loads from it and stores to it under one name."""
    optimized = CELL.format("ptr12").replace("ptr1)", "ptr11)").replace("i4, descr", f"{key}, descr")
    assert met(CELL.format("ptr1"), optimized, "ptr1", "ptr11")
    assert met(CELL.format("ptr1"), optimized, "ptr1", "ptr12") is is_met


def test_a_constant_that_is_stored_to_is_told_by_which_store_it_is() -> None:
    """The first store is to the constant that both traces load from, and the optimized trace names that anew."""
    second = f"setfield_gc(ConstPtr({{}}), p9, {LINK})\nfinish(p1)"
    recorded = CELL.format("ptr1").replace("finish(p1)", second.format("ptr2"))
    optimized = CELL.format("ptr11").replace("ptr1)", "ptr11)").replace("finish(p1)", second.format("ptr12"))
    assert met(recorded, optimized, "ptr2", "ptr12")
    assert not met(recorded, optimized, "ptr1", "ptr12")


def test_a_store_is_put_off_up_to_the_next_guard() -> None:
    """To where the recorded trace stores something else behind that guard, which asks about what a constant holds."""
    point, store = "debug_merge_point(0, 0, 'f;a.py:4-{0}~#{0} LOAD_FAST')", f"setfield_gc(p0, ConstPtr({{}}), {LINK})"
    asks = "i5 = getarrayitem_gc_pure_i(ConstPtr({}), i4, descr=<ArrayU 2>)\nguard_true(i5)"
    recorded = [point.format(5), store.format("ptr1"), point.format(6), asks.format("ptr4"), store.format("ptr2")]
    recorded += [point.format(7), store.format("ptr3"), "finish()"]
    optimized = [point.format(5), point.format(6), store.format("ptr11"), asks.format("ptr14"), point.format(7)]
    optimized += [store.format("ptr13"), "finish()"]
    for number in (1, 3, 4):
        assert met("\n".join(recorded), "\n".join(optimized), f"ptr{number}", f"ptr1{number}")


def test_guards_on_what_is_null_are_not_told_from_one_another() -> None:
    point, store = "debug_merge_point(0, 0, 'f;a.py:4-{0}~#{0} LOAD_FAST')", f"setfield_gc(p0, ConstPtr({{}}), {LINK})"
    asks = [f"p{n} = getfield_gc_r(p9, descr=<FieldP Cell.other{n} {8 * n}>)\nguard_isnull(p{n})" for n in (5, 6)]
    recorded = [point.format(5), store.format("ptr1"), asks[0], point.format(6), store.format("ptr2"), asks[1]]
    optimized = [point.format(5), point.format(6), store.format("ptr12"), asks[1]]
    last = [point.format(7), store.format("ptr{}4"), "finish()"]
    texts = ["\n".join(lines + last).format(tens) for lines, tens in ((recorded, ""), (optimized, 1))]
    assert met(*texts, "ptr2", "ptr12")


def test_constants_are_one_where_both_traces_store_to_one_what_one_of_them_alone_has() -> None:
    """A constant that has another name, or a string that the optimized trace puts together by itself."""
    stores = f"setfield_gc(ConstPtr({{}}), ConstPtr({{}}), {LINK})\nfinish()"
    recorded, optimized = stores.format("ptr1", "ptr2"), stores.format("ptr11", "ptr12")
    assert met(recorded, optimized, "ptr1", "ptr11")
    assert met(recorded, optimized, "ptr2", "ptr12")
    assert not met(recorded, optimized.replace("LINK", "MAP").replace("Cell.link", "Cell.last"), "ptr1", "ptr11")
    joined = "p1 = call_r(ConstClass(concat), p8, p9, descr=<Callr 8 rr EF=3 OS=22>)"
    built = "i1 = strlen(p8)\np2 = newstr(i1)"
    store = f"setfield_gc(ConstPtr({{}}), {{}}, {LINK})\nfinish()"
    recorded, optimized = f"{joined}\n{store.format('ptr1', 'p1')}", f"{built}\n{store.format('ptr11', 'p2')}"
    assert met(recorded, optimized, "ptr1", "ptr11")
    assert not met(recorded, optimized.replace(", p2", ", p9"), "ptr1", "ptr11")  # what both have


def test_a_store_to_a_constant_that_both_traces_have_is_that_of_no_other_one() -> None:
    """The recorded trace stores to another constant first, which the optimized one does last."""
    made = [f"p{n} = call_r(ConstClass(concat), p8, i{n}, descr=<Callr 8 ri EF=3 OS=22>)" for n in (1, 2)]
    numbers = [f"i{n} = int_add(i4, {n})" for n in (1, 2)]
    stores = [f"setfield_gc(ConstPtr({{}}), p{n}, {LINK})" for n in (1, 2)]
    loaded = f"p6 = getfield_gc_r(ConstPtr({{}}), {LINK})"
    recorded = "\n".join(
        [loaded.format("ptr1"), *numbers, *made, stores[0].format("ptr2"), stores[1].format("ptr1"), "finish(p6)"]
    )
    built = ["i7 = strlen(p8)", "p1 = newstr(i7)", "p2 = newstr(i7)"]
    optimized = "\n".join(
        [loaded.format("ptr11"), *built, stores[1].format("ptr11"), stores[0].format("ptr12"), "finish(p6)"]
    )
    assert met(recorded, optimized, "ptr1", "ptr11")
    assert met(recorded, optimized, "ptr2", "ptr12")
    assert not met(recorded, optimized, "ptr1", "ptr12")


def test_what_one_trace_knows_to_be_null_is_nothing_that_the_other_one_has_in_its_place() -> None:
    inputs, show = ("p0", "p1", "p2"), MAP.removeprefix("descr=")
    recorded = Line(None, "setfield_gc", ("p0", "p1"), show)
    found, stored = Line(None, "guard_isnull", ("p2",)), Line(None, "setfield_gc", ("p0", "p2"), show)
    sameness = Sameness(rows_of(Sides(Printed(inputs, (recorded,)), Printed(inputs, (found, stored)))))
    assert sameness.of(AFTER, "p2") == ("", NULL)
    assert sameness.of(BEFORE, "p1") == (BEFORE, "p1")
