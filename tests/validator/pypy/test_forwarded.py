"""Constants that are one, since what is stored to the one is used for what is loaded from the other."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from optimizer.ir.dialects.pypy_log import read_traces
from optimizer.ir.dialects.pypy_pairs import LogPair, pair_sections
from tests.pypy_logs import WORK, bridge, judged, judged_bridge, loop, recorded
from tests.validator.pypy.test_quotients import quotient, reciprocal
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
BETWEEN = f"p9 = getfield_gc_r(ConstPtr(ptr{{}}), descr={CELL})"
SHOWN = "setfield_gc(p0, p9, descr=<FieldP Node.inst_third 32>)"
STORED = (STORE.format(1), BETWEEN.format(5), SHOWN, LOAD)
USED = ("guard_nonnull(p2)", CLASS.format(2, ""), KEYS.format(2))
FOUND = (
    STORE.format(11),
    BETWEEN.format(15),
    SHOWN,
    f"guard_nonnull_class(p0, ConstClass(Node){GUARD}) [p0]",
    KEYS.format(0),
)
END = "finish(i3)"
NEW = (
    f"i7 = getfield_gc_i(p0, descr={OTHER.replace('FieldP', 'FieldS')})",
    "p5 = new_with_vtable(descr=<SizeDescr 32>)",
    f"setfield_gc(p5, i7, descr={KEY})",
)
MADE_USED = (KEYS.format(2), "i6 = int_add(i3, 7)", "finish(i6)")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            (*STORED, *USED[:2], "finish(5)"),
            (*FOUND[:4], "finish(5)"),
            id="the class of the one is asked for that of the other",
        ),
        pytest.param((*STORED, *USED, END), (*FOUND, END), id="a field of the one is loaded for that of the other"),
        pytest.param(
            (*STORED, KEPT.format(2), "finish()"), (*FOUND[:3], KEPT.format(0), "finish()"), id="both are stored"
        ),
        pytest.param(
            (KEYS.format(0).replace("i3", "i5"), *STORED, KEYS.format(2), "i6 = int_add(i3, 7)", "finish(i6)"),
            (KEYS.format(0).replace("i3", "i5"), *FOUND[:3], "i6 = int_add(i5, 7)", "finish(i6)"),
            id="a field of the one is used for that of the other",
        ),
        pytest.param(
            (*NEW, STORE.format(1).replace("p0", "p5"), *STORED[1:], *MADE_USED),
            (*NEW, STORE.format(11).replace("p0", "p5"), *FOUND[1:3], "i6 = int_add(i7, 7)", "finish(i6)"),
            id="what was stored to a new object is used for what the other one has there",
        ),
        pytest.param(
            (*STORED, KEYS.format(2), "i6 = int_mul(i3, i3)", "finish(i6)"),
            (*FOUND[:3], KEYS.format(0), "i6 = int_mul(i3, i3)", "finish(i6)"),
            id="a square of the one is used for that of the other",
        ),
    ],
)
def test_constants_are_one_where_a_store_is_forwarded(before: Sequence[str], after: Sequence[str]) -> None:
    one = judged_bridge(before, after)
    assert isinstance(one.verdict, Proved), one.verdict
    assert one.texts is not None
    assert FORWARDED in one.texts.assumes


COUNT = "<FieldS Cell.inst_intvalue 8>"
SET, GET = (
    f"setfield_gc(ConstPtr(ptr{{}}), i1, descr={COUNT})",
    f"i{{}} = getfield_gc_i(ConstPtr(ptr{{}}), descr={COUNT})",
)
MOD = "i3 = call_pure_i(ConstClass(mod), i2, {}, descr=<Calli 8 ii EF=0 OS=14>)"
AT = "debug_merge_point(0, 0, 'f;f.py:1-9~#{} LOAD_NAME')"
TOTAL = "i4 = int_add(i3, i22)"
TOTAL_OF = "i7 = int_add(i6, i22)"
GET_TWO = (GET.format(22, 5), GET.format(2, 2))
POSITIVE = (
    f"i11 = uint_mul_high(i20, {reciprocal(7)[0]})",
    f"i12 = uint_rshift(i11, {reciprocal(7)[1]})",
    "i13 = int_mul(i12, 7)",
    "i3 = int_sub(i20, i13)",
)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            (SET.format(1), GET.format(22, 5), GET.format(2, 2), MOD.format(8)),
            (SET.format(11), GET.format(22, 15), "i3 = int_and(i1, 7)"),
            id="what is stored is divided, by a power of two",
        ),
        pytest.param(
            (SET.format(1), GET.format(22, 5), GET.format(2, 2), MOD.format(7)),
            (SET.format(11), GET.format(22, 15), *quotient(7).splitlines()[:-1], "i3 = int_add(i12, 0)"),
            id="what is stored is divided, by a product",
        ),
        pytest.param(
            ("i20 = int_and(i1, 255)", SET.format(1).replace("i1", "i20"), *GET_TWO, MOD.format(7)),
            ("i20 = int_and(i1, 255)", SET.format(11).replace("i1", "i20"), GET.format(22, 15), *POSITIVE),
            id="what is stored is divided, and not negative",
        ),
    ],
)
def test_constants_are_one_where_numbers_are_forwarded(before: Sequence[str], after: Sequence[str]) -> None:
    recorded, optimized = ((*lines, TOTAL, "finish(i4)") for lines in (before, after))
    one = judged_bridge(recorded, optimized, "[i1]")
    assert isinstance(one.verdict, Proved), one.verdict
    assert one.texts is not None
    assert FORWARDED in one.texts.assumes


LOOP = (
    GET.format(2, 1),
    GET.format(3, 5),
    "i4 = int_sub(i3, i2)",
    GET.format(5, 2),
    "i6 = int_sub({}, 7)",
    "setfield_gc(p0, i4, descr=<FieldS Node.inst_one 8>)",
    "setfield_gc(p0, i6, descr=<FieldS Node.inst_two 16>)",
    "i8 = int_lt(i1, 9)",
    "guard_true(i8{})",
    "i9 = int_add(i1, 1)",
)


@pytest.mark.parametrize(
    ("in_preamble", "in_body", "is_right"),
    [("i2", "i2", True), ("i3", "i2", False), ("i2", "i3", False), ("i3", "i3", False)],
)
def test_constants_of_a_loop_are_one_where_a_load_is_forwarded(
    in_preamble: str, in_body: str, *, is_right: bool
) -> None:
    """The third one is the first one. It is not the second one, which the trace has accessed right in front of it."""
    before = [line.format("i5" if "int_sub" in line else "") for line in LOOP]

    def optimized(value: str, guard: int) -> list[str]:
        exit_ = f", descr=<Guard0x7f{guard}>"
        lines = [line.format(value if "int_sub" in line else exit_) for line in LOOP if "ptr2)" not in line]
        return [line.replace("ptr", "ptr1") + " [p0, i1]" * ("guard" in line) for line in lines]

    body = [re.sub(r"\bi([4689])\b", r"i1\1", line).replace("i1,", "i9,") for line in optimized(in_body, 2)[2:]]
    body = [line.replace("[p0, i1]", "[p0, i9]") for line in body]
    log = recorded("[p0, i1]", *before, "jump(p0, i9, descr=<Loop-1>)") + loop(
        "[p0, i1]",
        "+1: label(p0, i1, descr=TargetToken(140))",
        *(f"+1: {line}" for line in optimized(in_preamble, 1)),
        "+1: label(p0, i9, i2, i3, descr=TargetToken(141))",
        *(f"+1: {line}" for line in body),
        "+1: jump(p0, i19, i2, i3, descr=TargetToken(141))",
    )
    (one,) = judged(log)
    assert isinstance(one.verdict, Proved) is is_right, one.verdict


def test_a_load_is_not_forwarded_in_a_bridge() -> None:
    """Nothing would deny it."""
    before = (*(line.format("i5") for line in LOOP[:5]), "i7 = int_add(i6, i4)", "finish(i7)")
    after = [line.format("i2").replace("ptr", "ptr1") for line in LOOP[:5] if "ptr2)" not in line]
    one = judged_bridge(before, (*after, "i7 = int_add(i6, i4)", "finish(i7)"))
    assert not isinstance(one.verdict, Proved)


@pytest.mark.parametrize(("at", "is_right"), [(2, True), (1, False)])
def test_loads_from_constants_stand_for_those_at_the_same_position(at: int, *, is_right: bool) -> None:
    """The other one has no use, and is gone."""
    lines = [AT.format(1), GET.format(5, 1), AT.format(2), GET.format(2, 2)]
    kept = [AT.format(1), AT.format(2)]
    kept.insert(at, GET.format(2, 12))
    one = judged_bridge((*lines, "finish(i2)"), (*kept, "finish(i2)"), "[i1]")
    assert isinstance(one.verdict, Proved) is is_right, one.verdict


TOLD_APART = (SAME.format("ConstPtr(ptr1)", "ConstPtr(ptr2)"), "guard_false(i4)")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            (*STORED[:3], WORK.format("p0"), "guard_no_exception()", LOAD, *USED, END),
            (*FOUND[:3], WORK.format("p0"), f"guard_no_exception({GUARD[2:]}) [p0]", *FOUND[3:], END),
            id="a call between",
        ),
        pytest.param((*STORED, *USED[:2], "finish(5)"), (*FOUND[:3], "finish(5)"), id="a guard that is gone"),
        pytest.param(
            (CLASS.format(0, ""), KEYS.format(0), *STORED, *(line.replace("i3", "i5") for line in USED), "finish(i5)"),
            (CLASS.format(0, GUARD) + " [p0]", KEYS.format(0), *FOUND[:3], END),
            id="a use that is recorded of the stored value, too",
        ),
        pytest.param(
            (*STORED, SAME.format("p0", "p2"), "guard_true(i4)", "finish()"),
            (*FOUND[:3], "finish()"),
            id="values that the recorded trace finds to be one",
        ),
        pytest.param(
            (*STORED, IS.format(0, 3, ""), IS.format(2, 4, ""), "finish()"),
            (*FOUND[:3], IS.format(0, 13, GUARD) + " [p0]", "finish()"),
            id="values that are the same constant",
        ),
        pytest.param(
            (*STORED, IS.format(0, 3, ""), IS.format(2, 4, ""), KEPT.format(2), "finish()"),
            (*FOUND[:3], IS.format(0, 13, GUARD) + " [p0]", KEPT.format(0), "finish()"),
            id="values that are the same constant, which is stored",
        ),
        pytest.param(
            (*STORED, *USED, END),
            (*FOUND[:4], LOAD.replace("ptr2", "ptr12"), KEYS.format(2), END),
            id="a load that is left",
        ),
        pytest.param((STORED[0], LOAD, *USED, END), (FOUND[0], *FOUND[3:], END), id="no other one is accessed between"),
        pytest.param((*TOLD_APART, *STORED, *USED, END), (*FOUND, END), id="constants that are told apart"),
    ],
)
def test_others_are_not(before: Sequence[str], after: Sequence[str]) -> None:
    one = judged_bridge(before, after)
    assert not isinstance(one.verdict, Proved)
    assert one.texts is None or FORWARDED not in one.texts.assumes


def test_a_store_is_not_forwarded_to_two_constants_that_are_apart() -> None:
    """Both are used alike: nobody says which of them it is, and so neither is taken for it."""
    loads = GET.format(2, 2), "i3 = int_sub(i2, 7)", GET.format(4, 4), "i5 = int_sub(i4, 7)"
    before = (SET.format(1), GET.format(22, 5), *loads, "i6 = int_add(i3, i5)", "i7 = int_add(i6, i22)", "finish(i7)")
    after = (SET.format(11), GET.format(22, 15), "i3 = int_sub(i1, 7)", "i6 = int_add(i3, i3)", TOTAL_OF, "finish(i7)")
    one = judged_bridge(before, after, "[i1]")
    assert not isinstance(one.verdict, Proved)
    assert one.texts is not None
    assert FORWARDED not in one.texts.assumes


def test_it_is_inferred_and_not_certain() -> None:
    log = recorded("[p0]", *STORED, *USED, END) + bridge("[p0]", *(f"+1: {line}" for line in (*FOUND, END)))
    items = list(pair_sections(read_traces(log.splitlines())))
    knowledge = study(items, "log").certain()
    (pair,) = (item for item in knowledge.given(items) if isinstance(item, LogPair))
    assert not isinstance(judge(pair, "log", knowledge).verdict, Proved)
