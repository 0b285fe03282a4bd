"""Whoever comes to the label of a loop vouches for what memory holds there: it has that in hand, or its parents had, or
it was so at the label, and nobody has written there since."""

from __future__ import annotations

import pytest

from optimizer.ir.dialects.pypy_pairs import LogPair
from tests.pypy_logs import pairs_of
from tests.validator.pypy.test_parents import VALUE, pair, without_blanks
from validator.pypy.printed.lines import Line
from validator.pypy.printed.targets import Comers, Targets

LABEL = Line(None, "label", ("p0", "i2"), "1")
WRITES, READS = (f"call_n(ConstClass({name}), p0, descr=<Callv 0 r EF=5>)" for name in ("writes", "reads"))
LEFT = "guard_true(i1, descr=<Guard0x7f20>) [p0, i1]"
STORES = f"setfield_gc(p0, i1, descr={VALUE})"
NEW = ("p5 = new_with_vtable(descr=<SizeDescr 16>)", f"setfield_gc(p5, 7, descr={VALUE})")
LOADED = "p6 = getfield_gc_r(p0, descr=<FieldP m.A.inst_next 24>)"
STORES_THERE = f"setfield_gc(p6, i1, descr={VALUE})"


def works(called: str, memory: str) -> bool:
    """Does the function leave that memory? One of the two does."""
    return called == Line(None, "call_n", ("ConstClass(reads)",), "<Callv 0 r EF=5>").function


def comers(*bridges: str, preamble: str = "", body: str = "", prologue: str = "", last: str = "") -> Comers:
    """Those of a loop to whose label these bridges come."""
    log = pair(
        "[p0, i1]\njump(p0, i1, descr=<Loop-1>)",
        without_blanks(f"""
            [p0, i1]
            {prologue}
            label(p0, i1, descr=TargetToken(140))
            {preamble}
            guard_true(i1, descr=<Guard0x7f00>) [p0, i1]
            i2 = int_add(i1, 1)
            setfield_gc(p0, i2, descr={VALUE})
            {last}
            label(p0, i2, descr=TargetToken(141))
            {body}
            guard_true(i2, descr=<Guard0x7f01>) [p0, i2]
            setfield_gc(p0, i2, descr={VALUE})
            jump(p0, i2, descr=TargetToken(141))"""),
    )
    targets = Targets()
    for item in pairs_of(log + "".join(bridges)):
        targets.add(item, "log")
    return targets.comers


def may_change(*bridges: str, value: str = "i2", memory: str = VALUE, **parts: str) -> bool:
    """May a field that the preamble stores to hold something else at its label, where these bridges come there?"""
    return comers(*bridges, **parts).may_change(LABEL, (memory, "p0"), value, works)


def bridge(guard: str, *lines: str, jump: str | None = "p0, i1") -> str:
    end = "finish(i1)" if jump is None else "jump({}, descr={})"
    recorded, optimized = (end.format(jump, target) for target in ("<Loop-1>", "TargetToken(141)"))
    return pair(f"[p0, i1]\n{recorded}", "\n".join(["[p0, i1]", *lines, optimized]), guard)


@pytest.mark.parametrize(
    ("lines", "jump", "changes"),
    [
        ((STORES,), "p0, i1", False),
        ((STORES,), "p0, 7", True),
        ((STORES, READS), "p0, i1", False),
        ((STORES, WRITES), "p0, i1", True),
        ((WRITES, STORES), "p0, i1", False),
        ((STORES, f"setfield_gc(p0, 7, descr={VALUE})"), "p0, i1", True),
        ((f"i3 = getfield_gc_i(p0, descr={VALUE})",), "p0, i3", False),
        ((f"i3 = getfield_gc_i(p0, descr={VALUE})", "guard_value(i3, 7, descr=<Guard0x7f09>) []"), "p0, 7", False),
        ((), "p0, i1", True),
        ((STORES, *NEW), "p0, i1", False),
        ((LOADED, STORES_THERE, *NEW), "p6, i1", False),
        ((NEW[0], LOADED, STORES_THERE, NEW[1]), "p6, i1", True),  # it may be the new one
        ((*NEW, f"setfield_gc(p5, i1, descr={VALUE})"), "p5, i1", False),
        ((STORES, NEW[0], "p7 = same_as_r(p5)", NEW[1].replace("p5", "p7")), "p0, i1", True),
    ],
)
def test_a_bridge_has_it_in_hand(lines: tuple[str, ...], jump: str, *, changes: bool) -> None:
    assert may_change(bridge("7f00", *lines, jump=jump)) is changes


@pytest.mark.parametrize(
    ("parent", "own", "jump", "changes"),
    [
        ((STORES, "{}"), (), "p0, i1", False),
        ((WRITES, STORES, READS, "{}"), (READS,), "p0, i1", False),
        ((STORES, WRITES, "{}"), (), "p0, i1", True),
        ((STORES, "{}"), (WRITES,), "p0, i1", True),
        ((STORES, "{}"), (), "p0, 7", True),
        (("{}", STORES), (), "p0, i1", True),
    ],
)
def test_its_parent_has_had_it(parent: tuple[str, ...], own: tuple[str, ...], jump: str, *, changes: bool) -> None:
    first = bridge("7f00", *(line.format(LEFT) for line in parent), jump=None)
    assert may_change(first, bridge("7f20", *own, jump=jump)) is changes


@pytest.mark.parametrize(
    ("guard", "lines", "jump", "changes"),
    [
        ("7f01", (), "p0, i1", False),
        ("7f01", (READS,), "p0, i1", False),
        ("7f01", (WRITES,), "p0, i1", True),
        ("7f01", (), "p0, 7", True),
        ("7f01", NEW, "p0, i1", False),
        ("7f01", NEW, "p5, i1", True),
        ("7f01", (STORES_THERE,), "p0, i1", True),
        ("7f00", (), "p0, i1", True),
        ("7f99", (), "p0, i1", True),
    ],
)
def test_it_was_so_at_the_label(guard: str, lines: tuple[str, ...], jump: str, *, changes: bool) -> None:
    assert may_change(bridge(guard, *lines, jump=jump), preamble=WRITES) is changes


def another(asks: str = "", stored: str = "i2", handed: str = "i2") -> str:
    """Another loop that stores to the field in front of its label, and in its body does not."""
    optimized = f"""
        [p0, i2]
        label(p0, i2, descr=TargetToken(150))
        {asks}
        setfield_gc(p0, {stored}, descr={VALUE})
        label(p0, i2, descr=TargetToken(151))
        i3 = int_add(i2, 1)
        guard_true(i3, descr=<Guard0x7f31>) [p0, {handed}]
        jump(p0, i2, descr=TargetToken(151))"""
    return pair("[p0, i2]\njump(p0, i2, descr=<Loop-1>)", without_blanks(optimized))


def to_other(*lines: str, guard: str = "7f00") -> str:
    return bridge(guard, *lines).replace("(141)", "(151)")


def test_what_was_so_at_another_label_its_preamble_vouches_for_and_who_comes_there() -> None:
    """They may come from one another."""
    other, back = another(), bridge("7f31")
    assert not may_change(other, back)
    assert may_change(another(stored="7"), back)
    assert may_change(another(handed="i3"), back)
    assert may_change(other, to_other(), back)
    assert not may_change(other, to_other(STORES), back)
    assert not may_change(other, to_other(guard="7f01"), back)
    assert may_change(other, to_other(guard="7f01"), back, bridge("7f00"))


def test_what_a_bridge_has_computed_itself_was_not_at_the_label() -> None:
    assert may_change(bridge("7f01", "i2 = int_add(i1, 1)", jump="p0, i2"))


def test_the_body_has_written_there_in_front_of_the_guard() -> None:
    assert may_change(bridge("7f01"), body=WRITES)
    assert may_change(bridge("7f01"), body=f"setfield_gc(p0, 7, descr={VALUE})")
    assert not may_change(bridge("7f01"), body=f"setfield_gc(p0, i2, descr={VALUE})")


def test_what_is_new_in_the_body_is_none_of_what_the_label_takes() -> None:
    assert not may_change(bridge("7f01"), preamble=WRITES, body="\n".join(NEW))
    assert may_change(bridge("7f01"), preamble=f"{WRITES}\n{NEW[0]}", body=NEW[1])


def test_each_of_them_has_to_vouch() -> None:
    assert may_change(bridge("7f00", STORES), bridge("7f00"))
    assert not may_change()


def test_a_value_that_the_label_does_not_take_nobody_hands_over() -> None:
    """Be it one that has the name of what the label takes, in the trace itself."""
    assert may_change(bridge("7f00", STORES), value="i1")
    label, statement = Line(None, "label", ("p7", "i8"), "1"), Line(None, "assert_not_none", ("p0",))
    found = comers(bridge("7f00", STORES))
    assert not found.has_found(label, statement)
    assert found.has_found(label, Line(None, "assert_not_none", ("p7",)))


def test_what_comes_to_a_label_rests_on_all_that_come_there() -> None:
    found = comers(another(), to_other(), bridge("7f31"), bridge("7f00"))
    assert found.behind({1}) == {1, 2, 3, 4, 5}
    assert found.behind({2}) == found.behind({3}) == {1, 2, 3, 4, 5}
    assert comers(bridge("7f00")).behind({9}) == {9}


def test_constants_of_two_traces_of_one_number_are_not_one() -> None:
    first = bridge("7f00", f"setfield_gc(p0, ConstPtr(ptr3), descr={VALUE})", LEFT, jump=None)
    assert may_change(first, bridge("7f20", jump="p0, ConstPtr(ptr3)"))


def test_what_a_prologue_has_in_hand_others_need_not_have_at_the_start() -> None:
    loads = f"i8 = getfield_gc_i(p0, descr={VALUE})\nguard_value(i8, 7, descr=<Guard0x7f08>) []"
    assert not may_change(bridge("7f00", jump="p0, 7"), preamble=loads)
    assert may_change(bridge("7f00", jump="p0, 7"), prologue=loads)


def test_a_label_in_a_bridge_is_no_start_of_a_loop() -> None:
    again = "label(p0, i1, descr=TargetToken(150))", LEFT
    assert may_change(bridge("7f00", STORES, *again, jump=None), bridge("7f20"))
    asks = f"i8 = getfield_gc_i(p0, descr={VALUE})\nguard_value(i8, 7, descr=<Guard0x7f08>) []"
    assert may_change(bridge("7f00", *again, jump=None), bridge("7f20", jump="p0, 7"), preamble=asks)
    items = pairs_of(bridge("7f00", *again, jump=None) + bridge("7f20").replace("(141)", "(150)"))
    targets = Targets()
    for item in items:
        targets.add(item, "log")
    assert [one.is_target_lost for one in targets.given(items) if isinstance(one, LogPair)] == [False, True]


def test_a_store_at_an_offset_may_be_to_any_field() -> None:
    assert may_change(bridge("7f00", STORES, "gc_store(p0, 16, 7, 8)"))
    assert may_change(bridge("7f01", "gc_store_indexed(p0, i1, 7, 8, 16, 8)"))


def test_of_a_trace_of_which_nothing_is_used_nothing_is_known() -> None:
    unused = "[p0]\np1 = getfield_gc_r(p0, descr=<FieldP B.c 8>)"
    assert not comers(pair("[p0]\nfinish()", unused, "7f99")).is_whole


def test_a_damaged_trace_takes_its_guards_with_it() -> None:
    first, damaged = (bridge("7f00", line, LEFT, jump=None) for line in (STORES, "int_lt()"))
    assert not may_change(first, bridge("7f20"))
    assert may_change(first, damaged, bridge("7f20"))


def test_nothing_is_known_behind_two_guards_of_one_address() -> None:
    assert may_change(bridge("7f00", LEFT, STORES, LEFT, jump=None), bridge("7f20"))


def test_a_jump_with_too_few_values_vouches_for_nothing() -> None:
    assert may_change(bridge("7f00", STORES, jump="p0"))
    label, statement = Line(None, "label", ("p0", "i2", "i3"), "1"), Line(None, "assert_not_none", ("p0",))
    assert not comers(bridge("7f00", STORES)).has_found(label, statement)


OTHER = "<FieldP Box.other 40>"
WRITER = bridge("7f55", f"setfield_gc(p0, i1, descr={OTHER})", jump=None)
"""A trace that writes the field, elsewhere."""


@pytest.mark.parametrize(
    ("asks", "value", "changes"),
    [
        ("guard_value(i8, ConstPtr(ptr9), descr=<Guard0x7f08>) []", "ConstPtr(ptr5_known_1)", False),
        ("guard_value(i8, ConstPtr(ptr9), descr=<Guard0x7f08>) []", "ConstPtr(null)", True),
        ("guard_isnull(i8, descr=<Guard0x7f08>) []", "ConstPtr(ptr5_known_1)", True),
        ("guard_isnull(i8, descr=<Guard0x7f08>) []", "ConstPtr(null)", False),
        ("guard_value(i8, 7, descr=<Guard0x7f08>) []", "ConstPtr(ptr5_known_1)", True),
    ],
)
def test_constant_objects_have_other_names_in_other_traces(asks: str, value: str, *, changes: bool) -> None:
    asked = f"i8 = getfield_gc_i(p0, descr={OTHER})\n{asks}"
    bridges = bridge("7f00", *asked.split("\n")), WRITER
    assert may_change(*bridges, value=value, memory=OTHER, last=asked) is changes
    in_loop = changes or value != "ConstPtr(null)"  # not that of another number
    load = f"i8 = getfield_gc_i(p0, descr={VALUE})"
    assert may_change(bridge("7f00"), preamble=f"{load}\n{asks}", value=value) is in_loop
    if not changes:
        own = value.replace("ptr5", "ptr9")
        assert not may_change(bridge("7f00"), preamble=f"{load}\n{asks}", value=own)


@pytest.mark.parametrize(
    "last",
    [
        "",
        f"setfield_gc(p0, ConstPtr(ptr9), descr={OTHER})",
        f"""i7 = getfield_gc_i(p0, descr={OTHER})
            p7 = getfield_gc_r(p0, descr=<FieldP Box.third 48>)
            guard_value(p7, ConstPtr(ptr9), descr=<Guard0x7f07>) []
            setfield_gc(p0, p7, descr={OTHER})""",
    ],
)
def test_a_constant_for_which_the_loop_does_not_ask_may_be_another(last: str) -> None:
    asks = f"i8 = getfield_gc_i(p0, descr={OTHER})", "guard_value(i8, ConstPtr(ptr4), descr=<Guard0x7f08>) []"
    assert may_change(bridge("7f00", *asks), WRITER, value="ConstPtr(ptr9_known_1)", memory=OTHER, last=last)


def test_stores_to_new_objects_leave_a_field_that_never_changes() -> None:
    found = comers(bridge("7f01", WRITES, LOADED, STORES_THERE))
    assert found.may_change(LABEL, (VALUE, "p0"), "i2", works)
    assert not found.may_change(LABEL, (VALUE, "p0"), "i2", works, is_fixed=True)


CLASS, NUMBER = "record_exact_class", "record_exact_value_i"


@pytest.mark.parametrize(
    ("lines", "jump", "statement", "is_found"),
    [
        (("guard_class(p0, ConstClass(A), descr=<Guard0x7f09>) []",), "p0, i1", (CLASS, "p0", "ConstClass(A)"), True),
        (("guard_class(p0, ConstClass(B), descr=<Guard0x7f09>) []",), "p0, i1", (CLASS, "p0", "ConstClass(A)"), False),
        (("guard_nonnull(p0, descr=<Guard0x7f09>) []",), "p0, i1", (CLASS, "p0", "ConstClass(A)"), False),
        (("p5 = new_with_vtable(descr=<SizeDescr 16>)",), "p5, i1", (CLASS, "p0", "ConstClass(A)"), True),
        (("p5 = new_array(1, descr=<ArrayP 8>)",), "p5, i1", (CLASS, "p0", "ConstClass(A)"), False),
        (("p5 = new_array(1, descr=<ArrayP 8>)",), "p5, i1", ("assert_not_none", "p0"), True),
        ((), "ConstPtr(ptr3), i1", (CLASS, "p0", "ConstClass(A)"), True),
        (
            (
                "p5 = new_with_vtable(descr=<SizeDescr 16>)",
                "guard_class(p5, ConstClass(B), descr=<Guard0x7f09>) []",
            ),
            *("p5, i1", (CLASS, "p0", "ConstClass(A)"), False),
        ),
        ((), "ConstPtr(null), i1", (CLASS, "p0", "ConstClass(A)"), False),
        ((), "p0, i1", (CLASS, "p0", "ConstClass(A)"), False),
        ((STORES,), "p0, i1", ("assert_not_none", "p0"), True),
        ((), "p0, i1", ("assert_not_none", "p0"), False),
        (("guard_isnull(p0, descr=<Guard0x7f09>) []",), "p0, i1", ("assert_not_none", "p0"), False),
        ((STORES,), "p0, i1", ("assert_not_none", "p9"), False),
        ((), "p0, 7", (NUMBER, "i2", "7"), True),
        (("guard_value(i1, 7, descr=<Guard0x7f09>) []",), "p0, i1", (NUMBER, "i2", "7"), True),
        (("guard_value(i1, 8, descr=<Guard0x7f09>) []",), "p0, i1", (NUMBER, "i2", "7"), False),
    ],
)
def test_each_of_them_has_found_what_is_known_of_values(
    lines: tuple[str, ...], jump: str, statement: tuple[str, ...], *, is_found: bool
) -> None:
    name, *args = statement
    assert comers(bridge("7f00", *lines, jump=jump)).has_found(LABEL, Line(None, name, tuple(args))) is is_found


def test_or_its_parent_has_or_it_was_so_at_the_label() -> None:
    asks, statement = (
        "guard_class(p0, ConstClass(A), descr=<Guard0x7f08>) []",
        Line(None, CLASS, ("p0", "ConstClass(A)")),
    )
    assert comers(bridge("7f00"), preamble=asks).has_found(LABEL, statement)
    assert comers(bridge("7f01")).has_found(LABEL, statement)
    assert not comers(bridge("7f01", "p5 = getfield_gc_r(p0, descr=<FieldP Box.next 32>)", jump="p5, i1")).has_found(
        LABEL, statement
    )
    assert not comers(bridge("7f00"), body=asks).has_found(LABEL, statement)
    assert comers().has_found(LABEL, statement)
    other, back = another(asks.replace("7f08", "7f38")), bridge("7f31")
    assert comers(other, back).has_found(LABEL, statement)
    assert not comers(other, to_other(), back).has_found(LABEL, statement)
