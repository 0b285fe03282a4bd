"""Constants from which a trace loads in turn are two; behind what makes it forget nothing is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest

from validator.pypy.inferred.constants.apart import Two, told_by_loads, told_while_recorded
from validator.pypy.inferred.sameness import Sameness
from validator.pypy.printed.lines import Line, Printed
from validator.pypy.printed.rows import Position, rows_of
from validator.pypy.printed.straight import AFTER, BEFORE, Sides

COUNT, OTHER = "<FieldS Cell.inst_intvalue 8>", "<FieldP Cell.inst_w_value 8>"


def load(number: int, of: str | None = None, memory: str = COUNT) -> Line:
    return Line(f"i{number}", "getfield_gc_i", (of or f"ConstPtr(ptr{number})",), memory, passed=0)


def store(of: str) -> Line:
    return Line(None, "setfield_gc", (of, "i9"), COUNT, passed=0)


CALL = Line(None, "call_n", ("ConstClass(work)",), "<Callv 0 EF=5>", passed=0)
ASKED = Line(None, "guard_true", ("i9",), passed=0)
SIGNAL = Line("i8", "getfield_raw_i", ("1234",), "<FieldS pypysig_long_struct.c_value 0>", passed=0)
ONE, TWO, THREE = map(load, (1, 2, 3))


def told(tell: Callable[[tuple[Line, ...], list[Position]], Iterator[Two]], lines: Sequence[Line]) -> list[str]:
    return [f"{one[12:-1]}{other[12:-1]}" for one, other in tell(tuple(lines), [(0, 0)] * len(lines))]


@pytest.mark.parametrize(
    ("lines", "while_recorded", "by_loads"),
    [
        ((ONE, TWO), ["12"], ["12"]),
        ((ONE, ASKED, TWO, THREE), ["12", "23"], ["12", "13", "23"]),
        ((store("ConstPtr(ptr1)"), TWO), ["12"], ["12"]),
        ((ONE, store("ConstPtr(ptr2)"), THREE), ["23"], ["23"]),  # nobody knows what was in the first one
        ((ONE, store("p0"), TWO), [], []),
        ((ONE, load(2, memory=OTHER)), [], []),
        ((ONE, load(2, "p0"), TWO), ["12"], ["12"]),
        ((ONE, CALL, TWO), [], []),
        ((ONE, SIGNAL, TWO), [], []),
        ((ONE, Line("i2", "getfield_gc_i", ("ConstPtr(ptr2)",), COUNT)), [], ["12"]),  # said, and not recorded
    ],
)
def test_constants_that_are_two(lines: Sequence[Line], while_recorded: list[str], by_loads: list[str]) -> None:
    assert told(told_while_recorded, lines) == while_recorded
    assert told(told_by_loads, lines) == by_loads


@pytest.mark.parametrize("tell", [told_while_recorded, told_by_loads])
def test_the_next_iteration_begins_anew(tell: Callable[[tuple[Line, ...], list[Position]], Iterator[Two]]) -> None:
    assert [*tell((ONE, TWO), [(0, 1), (1, 1)])] == []


@pytest.mark.parametrize("trace", [BEFORE, AFTER])
def test_they_are_never_made_one(trace: str) -> None:
    printed = [Printed(("p0",), ()), Printed(("p0",), ())]
    printed[trace == AFTER] = Printed(("p0",), (ONE, TWO))
    sameness = Sameness(rows_of(Sides(*printed)))
    sameness.join(trace, "ConstPtr(ptr1)", "ConstPtr(ptr2)")
    assert sameness.are_apart(trace, "ConstPtr(ptr1)", "ConstPtr(ptr2)")
    assert sameness.of(trace, "ConstPtr(ptr1)") != sameness.of(trace, "ConstPtr(ptr2)")
