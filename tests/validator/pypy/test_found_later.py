"""Constants that a guard finds to be one which was recorded of another value: of the iteration before, or in a loop
behind a bridge."""

from __future__ import annotations

import pytest

from optimizer.ir.dialects.pypy_log import read_traces
from optimizer.ir.dialects.pypy_pairs import LogPair, pair_sections
from optimizer.ir.immutable import replace
from tests.pypy_logs import bridge, judged, loop, recorded
from validator import Proved
from validator.pypy.inferred.sameness import FOUND_LATER, Sameness
from validator.pypy.judge import judge
from validator.pypy.printed.lines import Line, Printed
from validator.pypy.printed.rows import rows_of
from validator.pypy.printed.straight import BEFORE, Sides
from validator.pypy.study import study

MAP, VALUE = "<FieldP Instance.inst_map 16>", "<FieldS Instance.inst_value 8>"
MADE = (
    "i3 = int_add(i1, 1)",
    "p4 = new_with_vtable(descr=<SizeDescr 24>)",
    f"setfield_gc(p4, ConstPtr(ptr5), descr={MAP})",
    f"setfield_gc(p4, i3, descr={VALUE})",
)
AT = "debug_merge_point(0, 0, 'f;a.py:4-9~#{} LOAD_ATTR')"
ASKED = (AT.format(1), f"p5 = getfield_gc_r(p2, descr={MAP})", AT.format(2), "guard_value(p5, ConstPtr(ptr{}){})")
LOG = recorded(
    "[p0, i1, p2]",
    *(line.format(1, "") for line in ASKED),
    *MADE,
    "jump(p0, i3, p4, descr=<Loop-1>)",
) + loop(
    "[p0, i1, p2]",
    "+1: label(p0, i1, p2, descr=TargetToken(140))",
    *(line.format(2, ", descr=<Guard0x7f20>) [p0, i1, p2]").replace("])", "]") for line in ASKED),
    f"+1: {MADE[0]}",
    "+1: label(p0, i3, descr=TargetToken(141))",
    AT.format(1),
    AT.format(2),
    "+1: i13 = int_add(i3, 1)",
    "+1: jump(p0, i13, descr=TargetToken(141))",
)
OUT = recorded("[p0, i1, p2]", "finish(i1)") + bridge("[p0, i1, p2]", "+1: finish(i1)").replace("0x7f10", "0x7f20")


def test_the_map_of_a_new_object_is_the_one_that_the_loop_was_recorded_with() -> None:
    (one,) = judged(LOG)
    assert isinstance(one.verdict, Proved), one.verdict
    assert one.texts is not None
    assert FOUND_LATER in one.texts.assumes


def test_it_may_be_another_one_where_a_bridge_starts_at_that_guard() -> None:
    assert not isinstance(judged(LOG + OUT)[0].verdict, Proved)


def test_a_bridge_out_of_another_guard_says_nothing() -> None:
    assert isinstance(judged(LOG + OUT.replace("0x7f20", "0x7f21"))[0].verdict, Proved)


def test_it_is_inferred_and_not_certain() -> None:
    items = list(pair_sections(read_traces(LOG.splitlines())))
    knowledge = study(items, "log").certain()
    (pair,) = (item for item in knowledge.given(items) if isinstance(item, LogPair))
    assert not isinstance(judge(pair, "log", knowledge).verdict, Proved)


COMPARED = ("i5 = ptr_eq(p2, ConstPtr(ptr{}))", "guard_true(i5{})")


def test_that_a_comparison_was_true_does_not_say_so_of_the_next_iteration() -> None:
    """Not of `if x is None: x = 5`."""
    log = recorded(
        "[p0, i1, p2]",
        *(line.format(1 if "ptr" in line else "") for line in COMPARED),
        MADE[0],
        "jump(p0, i3, ConstPtr(ptr5), descr=<Loop-1>)",
    ) + loop(
        "[p0, i1, p2]",
        "+1: label(p0, i1, p2, descr=TargetToken(140))",
        f"+1: {COMPARED[0].format(2)}",
        f"+1: {COMPARED[1].format(', descr=<Guard0x7f20>')} [p0, i1, p2]",
        f"+1: {MADE[0]}",
        "+1: label(p0, i3, descr=TargetToken(141))",
        "+1: i13 = int_add(i3, 1)",
        "+1: jump(p0, i13, descr=TargetToken(141))",
    )
    assert not isinstance(judged(log)[0].verdict, Proved)


def bridged(*points: int, finds: tuple[str, ...] = (), asks_at: int = 2) -> bool:
    """Is a bridge to that label proved that stores the map of its own new object behind these points, in front of which
    it finds out something? It starts at a guard that the loop has at that point."""
    here, there = ((AT.format(3),), ())[:: 1 if asks_at == 3 else -1]
    asks, counts = ("i7 = int_lt(i1, 9)", "guard_true(i7{})"), "i3 = int_add(i1, 1)"
    own = [line.replace("i3", "i8").replace("i1", "i3").replace("ptr5", "ptr9") for line in MADE]
    log = recorded(
        *("[p0, i1, p2]", *(line.format(1, "") for line in ASKED), *here, asks[0], asks[1].format(""), *there, *MADE),
        "jump(p0, i3, p4, descr=<Loop-1>)",
    ) + loop(
        *("[p0, i1, p2]", "+1: label(p0, i1, p2, descr=TargetToken(140))"),
        *(line.format(2, ", descr=<Guard0x7f20>) [p0, i1, p2]").replace("])", "]") for line in ASKED),
        *(*here, asks[0], asks[1].format(", descr=<Guard0x7f21>") + " [p0, i1, p2]", *there, counts),
        *("+1: label(p0, i3, descr=TargetToken(141))", AT.format(1), AT.format(2)),
        *(*here, "i17 = int_lt(i3, 9)", "guard_true(i17, descr=<Guard0x7f31>) [p0, i3]", *there),
        *("i13 = int_add(i3, 1)", "jump(p0, i13, descr=TargetToken(141))"),
    )
    passed = [AT.format(point) for point in points]
    log += recorded("[p0, i3]", AT.format(2), *finds, *passed, *own, "jump(p0, i8, p4, descr=<Loop1>)")
    found = [f"{line[:-1]}, descr=<Guard0x7f41>) [p0, i3]" if "guard" in line else line for line in finds]
    log += bridge("[p0, i3]", AT.format(2), *found, *passed, own[0], "jump(p0, i8, descr=TargetToken(141))")
    whole, one = judged(log.replace("0x7f10", "0x7f31"))
    assert isinstance(whole.verdict, Proved), whole.verdict
    return isinstance(one.verdict, Proved)


def test_a_bridge_that_makes_an_object_where_the_loop_does_makes_one_with_its_map() -> None:
    assert bridged(3)


def test_one_that_comes_there_by_a_place_that_the_loop_does_not_pass() -> None:
    """Of `(A if x else B)()` both fill the object at one place."""
    assert bridged(2, 3)
    assert not bridged(7, 3)


def test_one_that_starts_at_a_guard_at_that_place_has_gone_another_way() -> None:
    assert not bridged(3, asks_at=3)


@pytest.mark.parametrize(
    ("guard", "is_right"), [("class(p7, ConstClass(A))", True), ("value(p7, ConstPtr(ptr8))", False)]
)
def test_one_that_finds_another_constant_where_the_loop_finds_one_may_make_another_object(
    guard: str, *, is_right: bool
) -> None:
    """Of `type(x)()`, say."""
    load = "p7 = getfield_gc_r(p0, descr=<FieldP Pick.inst_class 8>)"
    assert bridged(3, finds=(load, f"guard_{guard}")) is is_right


def test_one_that_makes_it_elsewhere_may_make_one_of_another_class() -> None:
    assert not bridged(7)


def test_a_guard_says_so_of_a_bridge_where_the_optimized_loop_asks_only_later() -> None:
    """It asks behind a call, and the bridge knows the constant in front of the loop."""
    load = Line("p1", "getfield_gc_r", ("p0",), MAP, passed=1)
    call = Line(None, "call_n", ("ConstClass(work)",), "<Callv 0  EF=5>@work", passed=2)
    found = Line(None, "guard_value", ("p1", "ConstPtr(ptr1)"), passed=1)
    again = (replace(load, result="p2", passed=3), Line(None, "guard_value", ("p2", "ConstPtr(ptr2)"), passed=3))
    recorded = Printed(("p0",), (load, found, call, *again, Line(None, "jump", ("p0",))))
    label = Line(None, "label", ("p0",), "<TargetToken>", passed=4)
    asks = Line("p6", "getfield_gc_r", ("p0",), MAP), Line(None, "guard_value", ("p6", "ConstPtr(ptr6)"))
    end = Line(None, "jump", ("p0",))
    known = (Line("p9", "getfield_gc_r", ("p0",), MAP), Line(None, "record_exact_value_r", ("p9", "ConstPtr(ptr9)")))

    def is_one(asked: int) -> bool:
        body = (replace(call, passed=6), *(replace(line, passed=asked) for line in asks))
        preamble = (load, replace(found, args=("p1", "ConstPtr(ptr3)")), call, *again)
        optimized = Printed(("p0",), (*preamble, label, *body, end))
        bridge = Sides(Printed(("p0",), (*known, end)), Printed(("p0",), (end,)), Sides(recorded, optimized))
        sameness = Sameness(rows_of(bridge), denied=frozenset())
        return sameness.of(BEFORE, "ConstPtr(ptr9)") == sameness.of(BEFORE, "ConstPtr(ptr1)")

    assert is_one(7)
    assert not is_one(5)  # in the position of the guard, or in front of it
    assert not is_one(4)
