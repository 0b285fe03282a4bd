"""Constants that are one, since what is stored to the one is used for what is loaded from the other."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from optimizer.ir.dialects.pypy_log import read_traces
from optimizer.ir.dialects.pypy_pairs import LogPair, pair_sections
from tests.pypy_logs import WORK, bridge, judged_bridge, recorded
from validator import Proved
from validator.pypy.forwarded import FORWARDED
from validator.pypy.judge import judge
from validator.pypy.study import study

CELL, KEY, OTHER = "<FieldP Cell.inst_w_value 8>", "<FieldS Node.inst_key 16>", "<FieldP Node.inst_other 24>"
STORE, LOAD = f"setfield_gc(ConstPtr(ptr{{}}), p0, descr={CELL})", f"p2 = getfield_gc_r(ConstPtr(ptr2), descr={CELL})"
KEYS, KEPT = "i3 = getfield_gc_i(p{}, descr=<FieldS Node.inst_key 16>)", f"setfield_gc(p0, p{{}}, descr={OTHER})"
CLASS, SAME = "guard_class(p{}, ConstClass(Node){})", "i4 = ptr_eq({}, {})"
IS = "guard_value(p{}, ConstPtr(ptr{}){})"
GUARD = ", descr=<Guard0x7f20>"
STORED = (STORE.format(1), LOAD)
USED = ("guard_nonnull(p2)", CLASS.format(2, ""), KEYS.format(2))
FOUND = (STORE.format(11), f"guard_nonnull_class(p0, ConstClass(Node){GUARD}) [p0]", KEYS.format(0))
END = "finish(i3)"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            (*STORED, *USED[:2], "finish(5)"),
            (*FOUND[:2], "finish(5)"),
            id="the class of the one is asked for that of the other",
        ),
        pytest.param((*STORED, *USED, END), (*FOUND, END), id="a field of the one is loaded for that of the other"),
        pytest.param(
            (*STORED, KEPT.format(2), "finish()"), (STORE.format(11), KEPT.format(0), "finish()"), id="both are stored"
        ),
    ],
)
def test_constants_are_one_where_a_store_is_forwarded(before: Sequence[str], after: Sequence[str]) -> None:
    one = judged_bridge(before, after)
    assert isinstance(one.verdict, Proved), one.verdict
    assert one.texts is not None
    assert FORWARDED in one.texts.assumes


TOLD_APART = (SAME.format("ConstPtr(ptr1)", "ConstPtr(ptr2)"), "guard_false(i4)")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            (STORED[0], WORK.format("p0"), "guard_no_exception()", LOAD, *USED, END),
            (FOUND[0], WORK.format("p0"), f"guard_no_exception({GUARD[2:]}) [p0]", *FOUND[1:], END),
            id="a call between",
        ),
        pytest.param((*STORED, *USED[:2], "finish(5)"), (FOUND[0], "finish(5)"), id="a guard that is gone"),
        pytest.param(
            (CLASS.format(0, ""), KEYS.format(0), *STORED, *(line.replace("i3", "i5") for line in USED), "finish(i5)"),
            (CLASS.format(0, GUARD) + " [p0]", KEYS.format(0), STORE.format(11), END),
            id="a use that is recorded of the stored value, too",
        ),
        pytest.param(
            (*STORED, SAME.format("p0", "p2"), "guard_true(i4)", "finish()"),
            (STORE.format(11), "finish()"),
            id="values that the recorded trace finds to be one",
        ),
        pytest.param(
            (*STORED, IS.format(0, 3, ""), IS.format(2, 4, ""), "finish()"),
            (STORE.format(11), IS.format(0, 13, GUARD) + " [p0]", "finish()"),
            id="values that are the same constant",
        ),
        pytest.param(
            (*STORED, IS.format(0, 3, ""), IS.format(2, 4, ""), KEPT.format(2), "finish()"),
            (STORE.format(11), IS.format(0, 13, GUARD) + " [p0]", KEPT.format(0), "finish()"),
            id="values that are the same constant, which is stored",
        ),
        pytest.param(
            (*STORED, *USED, END),
            (*FOUND[:2], LOAD.replace("ptr2", "ptr12"), KEYS.format(2), END),
            id="a load that is left",
        ),
        pytest.param((*TOLD_APART, *STORED, *USED, END), (*FOUND, END), id="constants that are told apart"),
    ],
)
def test_others_are_not(before: Sequence[str], after: Sequence[str]) -> None:
    one = judged_bridge(before, after)
    assert not isinstance(one.verdict, Proved)
    assert one.texts is None or FORWARDED not in one.texts.assumes


def test_it_is_inferred_and_not_certain() -> None:
    log = recorded("[p0]", *STORED, *USED, END) + bridge("[p0]", *(f"+1: {line}" for line in (*FOUND, END)))
    items = list(pair_sections(read_traces(log.splitlines())))
    knowledge = study(items, "log").certain()
    (pair,) = (item for item in knowledge.given(items) if isinstance(item, LogPair))
    assert not isinstance(judge(pair, "log", knowledge).verdict, Proved)
