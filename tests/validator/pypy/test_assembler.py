"""Calls of other loops."""

from __future__ import annotations

from optimizer.ir.dialects.pypy_log import read_traces
from optimizer.ir.dialects.pypy_pairs import LogPair, pair_sections
from tests.pypy_logs import loop, recorded
from validator import Proved
from validator.pypy.judge import judge
from validator.pypy.study import study

LINES = (
    "i2 = call_assembler_i(p0, descr=<Loop-1>)",
    "guard_not_forced() [p0]",
    "p3 = call_assembler_r(p0, i2, descr=<Loop-1>)",
    "guard_not_forced() [p0]",
    "jump(p3, descr=T)",
)


def test_loops_without_a_number_give_values_of_several_types() -> None:
    before = [line.replace(" [p0]", "") for line in LINES]
    log = recorded("[p0]", *before) + loop("[p0]", "label(p0, descr=T)", *LINES)
    items = list(pair_sections(read_traces(log.splitlines())))
    (pair,) = (item for item in items if isinstance(item, LogPair))
    assert isinstance(judge(pair, "a.log", study(items, "a.log")).verdict, Proved)
