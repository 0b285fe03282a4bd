"""Constant lists of which a step loads the strategy, and then the storage, are one; where it is about two, none are."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from optimizer.ir.dialects.pypy_log import read_traces
from optimizer.ir.dialects.pypy_pairs import LogPair, pair_sections
from optimizer.ir.immutable import replace
from tests.pypy_logs import bridge, judged_bridge, recorded
from validator import Proved
from validator.pypy.inferred.constants.storages import OF_ONE_STEP, of_one_step
from validator.pypy.printed.lines import Line
from validator.pypy.printed.straight import Sides, sides_of

LIST = "<FieldP pypy.objspace.std.listobject.W_ListObject.inst_{} {}>"
STRATEGY, STORAGE = LIST.format("strategy", 16), LIST.format("lstorage", 8)
AT = "debug_merge_point(0, 0, 'f;f.py:1-9~#{} CALL_METHOD')"
JUMP_BACK = "i9 = getfield_raw_i(1234, descr=<FieldS pypysig_long_struct.c_value 0>)"
LENGTH = "i{} = getfield_gc_i(p{}, descr=<FieldS list.length 8>)"


def asked(number: int, of: str, guard: str = ")") -> tuple[str, str]:
    return f"p{number} = getfield_gc_r({of}, descr={STRATEGY})", f"guard_class(p{number}, ConstClass(Ints){guard}"


def kept(number: int, of: str) -> str:
    return f"p{number} = getfield_gc_r({of}, descr={STORAGE})"


def c(number: int) -> str:
    return f"ConstPtr(ptr{number})"


FIRST = (AT.format(1), *asked(1, c(1)), kept(2, c(2)))
SECOND = (AT.format(2), *asked(3, c(3)), kept(4, c(4)))


def sides(*lines: str) -> Sides:
    places = (line for line in lines if line.startswith("debug_merge_point"))
    log = recorded("[p0, p9]", *lines, "finish()") + bridge("[p0, p9]", *places, "+1: finish()")
    (pair,) = pair_sections(read_traces(log.splitlines()))
    assert isinstance(pair, LogPair)
    return sides_of(pair, "log")


@pytest.mark.parametrize(
    ("lines", "numbers"),
    [
        pytest.param((*FIRST, *SECOND), [(1, 2), (3, 4)], id="two steps, each of one list"),
        pytest.param((*FIRST, *asked(5, c(5)), *SECOND), [(3, 4)], id="two strategies in a step"),
        pytest.param((*FIRST, kept(5, c(5)), *SECOND), [(3, 4)], id="two storages in a step"),
        pytest.param((*FIRST[:-1], AT.format(3), FIRST[-1]), [], id="the storage in another step"),
        pytest.param((*FIRST, AT.format(3), *asked(5, "p0"), kept(6, "p0")), [(1, 2)], id="a list that is no constant"),
        pytest.param((*FIRST, AT.format(3), *asked(5, "p0"), kept(6, "p9")), [], id="a step about two lists"),
    ],
)
def test_a_list_is_known_by_the_step(lines: Sequence[str], numbers: list[tuple[int, int]]) -> None:
    assert of_one_step(sides(*lines)) == [(c(one), c(other)) for one, other in numbers]


def test_what_is_said_in_a_step_does_not_end_it() -> None:
    """Two lists are in it, one of the storages behind what is known of a constant."""
    told = sides(*asked(1, c(1)), kept(2, c(2)), kept(4, c(4)))
    said = Line("p9", "getfield_gc_r", (c(9),), "<FieldP Cell.other 8>")
    lines = told.before.lines
    for place in range(len(lines)):
        more = told.before.with_lines((*lines[:place], said, *lines[place:]))
        assert of_one_step(replace(told, before=more)) == []


def test_a_strategy_is_not_asked_for_again() -> None:
    """What is stored for the first list is used for the second."""
    total, put = "i7 = int_add(i6, i5)", f"setfield_gc({{}}, p0, descr={STORAGE})"
    before = (
        *FIRST,
        LENGTH.format(5, 2),
        put.format(c(2)),
        JUMP_BACK,
        *SECOND,
        LENGTH.format(6, 4),
        total,
        "finish(i7)",
    )
    after = [AT.format(1), *asked(1, c(11), ", descr=<Guard0x7f>) []"), kept(2, c(12)), LENGTH.format(5, 2)]
    after += [put.format(c(12)), JUMP_BACK, AT.format(2), LENGTH.format(6, 0), total, "finish(i7)"]
    one = judged_bridge(before, after)
    assert isinstance(one.verdict, Proved), one.verdict
    assert one.texts is not None
    assert OF_ONE_STEP in one.texts.assumes
