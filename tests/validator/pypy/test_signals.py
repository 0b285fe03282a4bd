"""The number in raw memory that a signal changes: what one load of it gives says nothing of the next one."""

from __future__ import annotations

import pytest

from tests.pypy_logs import WORK, judged_bridge
from validator import Proved, Unsupported
from validator.pypy.printed.lines import Line, Printed
from validator.pypy.printed.signals import SIGNALS, with_ticks
from validator.pypy.printed.straight import Sides

LAST = "setfield_gc(p0, {}, descr=<FieldS F.inst_last 8>)"
DONE = "setfield_gc(p0, 7, descr=<FieldS F.inst_done 16>)"  # a guard behind it resumes behind it
CALLED = WORK.format("p0"), "guard_no_exception({})"


def asked(number: int, guard: str = "") -> tuple[str, ...]:
    ticks = f"i{number} = getfield_raw_i(140463277919584, descr=<FieldS pypysig_long_struct.c_value 0>)"
    return ticks, f"i{number + 1} = int_lt(i{number}, 0)", f"guard_false(i{number + 1}{guard and f', {guard}'})"


BEFORE = (*(line.format("") for line in CALLED), *asked(1), DONE, LAST.format(4), *asked(3), LAST.format(9))
GUARDS = [f"descr=<Guard0x7f2{number}>" for number in range(3)]


def after(*kept: str) -> tuple[str, ...]:
    called = (line.format(GUARDS[0]) for line in CALLED)
    lines = (*called, *asked(1, GUARDS[1]), DONE, *kept, *asked(3, GUARDS[2]), LAST.format(9))
    return tuple(f"{line} [p0]" if line.startswith("guard") else line for line in lines)


@pytest.mark.parametrize(("kept", "is_right"), [((LAST.format(4),), True), ((), False)])
def test_a_signal_may_come_between_two_loads(kept: tuple[str, ...], *, is_right: bool) -> None:
    one = judged_bridge(BEFORE, after(*kept))
    assert isinstance(one.verdict, Proved) is is_right, one.verdict


@pytest.mark.parametrize(
    "store", ["setfield_raw({}, 1, descr=<FieldS P.c 0>)", "raw_store({}, 0, 1, descr=<ArrayS 8>)"]
)
def test_nothing_is_stored_there_but_by_signals(store: str) -> None:
    kept = (LAST.format(4), store.format(140463277919584))
    one = judged_bridge(BEFORE, after(*kept))
    assert isinstance(one.verdict, Unsupported)


def test_each_trace_asks_as_often() -> None:
    lines = [line for line in after(LAST.format(4)) if "i3" not in line and "i4" not in line]
    assert not isinstance(judged_bridge(BEFORE, lines).verdict, Proved)


TICK = Line("i1", "getfield_raw_i", ("1000",), "<FieldS pypysig_long_struct.c_value 0>")
CALL = Line(None, "call_n", ("ConstClass(work)", "p0"), "<Callv 0 r EF=5>")
FORCE = Line(None, "cond_call", ("i1", "ConstClass(force)", "p0"), "<Callv 0 r EF=2 OS=121>")
END = Line(None, "jump", ("p0",))


def peeled(*lines: Line) -> Sides:
    label = Line(None, "label", ("p0",))
    return Sides(Printed(("p0",), (*lines, END)), Printed(("p0",), (*lines, label, *lines, END)))


@pytest.mark.parametrize(
    ("lines", "is_assumed"),
    [((TICK,), True), ((TICK, FORCE), True), ((TICK, CALL), False), ((CALL,), False), ((), False)],
)
def test_it_is_told_where_no_call_comes_between_two_iterations(lines: tuple[Line, ...], *, is_assumed: bool) -> None:
    assert with_ticks(peeled(*lines))[1] == (SIGNALS,) * is_assumed
    empty = Printed(("p0",), (END,))
    assert with_ticks(Sides(empty, empty, peeled(*lines)))[1] == (SIGNALS,) * is_assumed


def test_each_part_of_a_loop_counts_anew_and_no_bridge_goes_as_far() -> None:
    def places(printed: Printed) -> list[int]:
        return [int(line.args[0]) for line in printed.lines if line.result]

    own = Printed(("p0",), (TICK, TICK, END))
    told, _ = with_ticks(Sides(own, own, peeled(TICK, TICK)))
    assert told.target is not None
    assert places(told.before) == places(told.after) == [1000, 1000 + (1 << 48)]
    first, second = places(told.target.before)
    assert (second - first, places(told.target.after)) == (1 << 48, [first, second] * 2)
    assert first > 1000 + (1 << 48)


@pytest.mark.parametrize("wrong", [(8, 0), (8, -8), (0, -8), (1 << 48, -(1 << 48))])
def test_what_is_loaded_from_another_address_is_another_number(wrong: tuple[int, int]) -> None:
    """Be it that addresses are the places of other loads, of which none is the one that stands there."""
    first, second = (f"i{{}} = getfield_raw_i({140463277919584 + by}, descr=" for by in wrong)
    lines = list(after(LAST.format(4)))
    for number, load in ((1, first), (3, second)):
        at = next(at for at, line in enumerate(lines) if line.startswith(f"i{number} ="))
        lines[at] = load.format(number) + lines[at].partition("descr=")[2]
    assert not isinstance(judged_bridge(BEFORE, lines).verdict, Proved)
