"""Raw memory that a trace allocates."""

from __future__ import annotations

import pytest

from tests.pypy_logs import CALL, loop, pairs_of, recorded
from validator import Proved, Refuted, Unknown
from validator.pypy.inferred.effects import leaves
from validator.pypy.inferred.fields import Fields
from validator.pypy.judge import judge
from validator.pypy.study import study
from validator.verdict import Verdict

MALLOC = "{} = call_i(ConstClass(_ll_1_raw_malloc_varsize__Signed), {}, descr=<Calli 8 i EF=5 OS=110>)"
ZERO = "{} = call_i(ConstClass(_ll_1_raw_malloc_varsize_zero__Signed), {}, descr=<Calli 8 i EF=5 OS=110>)"
FREE = "call_n(ConstClass(_ll_1_raw_free__arrayPtr), {}, descr=<Callv 0 i EF=2 OS=111>)"
WORK = f"call_n(ConstClass(work), p0, descr={CALL})"
GIVEN = "setfield_gc(p0, {}, descr=<FieldU Data.ptr 16>)"
OWN = (
    MALLOC.format("i2", 24),
    "guard_no_exception()",
    "i3 = int_add(i2, 16)",
    "setarrayitem_raw(i3, 0, i1, descr=<ArrayS 4>)",
    "raw_store(i2, 8, 7, descr=<ArrayS 8>)",
    "i4 = getarrayitem_raw_i(i2, 4, descr=<ArrayS 4>)",
    "i5 = raw_load_i(i2, 8, descr=<ArrayS 8>)",
    FREE.format("i2"),
    "i6 = int_add(i4, i5)",
    "finish(i6)",
)
FORWARDED = ("i4 = int_signext(i1, 4)", "i6 = int_add(i4, 7)", "finish(i6)")


def judged(before: tuple[str, ...], after: tuple[str, ...]) -> Verdict:
    log = recorded("[p0, i1]", *before) + loop("[p0, i1]", *(f"+1: {line}" for line in after))
    (pair,) = pairs = pairs_of(log)
    return judge(pair, "log", study(pairs, "log")).verdict


def test_a_buffer_that_stays_in_the_trace_is_not_there() -> None:
    assert isinstance(judged(OWN, FORWARDED), Proved)


@pytest.mark.parametrize(
    ("line", "wrong"),
    [(0, "i4 = same_as_i(i1)"), (0, "i4 = int_signext(i1, 2)"), (1, "i6 = int_add(i4, 8)"), (1, "i6 = int_add(i1, 7)")],
)
def test_items_are_what_was_stored_and_as_wide_as_printed(line: int, wrong: str) -> None:
    after = (*FORWARDED[:line], wrong, *FORWARDED[line + 1 :])
    assert not isinstance(judged(OWN, after), Proved)


@pytest.mark.parametrize(
    "wrong",
    [
        (*OWN[:4], WORK.replace("p0", "i2").replace(" r ", " i "), *OWN[4:]),
        (*OWN[:4], GIVEN.format("i3"), *OWN[4:]),
        (*OWN[:4], "setarrayitem_raw(i3, i1, 5, descr=<ArrayS 4>)", *OWN[4:]),
        (*OWN[:4], "raw_store(i2, 18, 5, descr=<ArrayS 2>)", *OWN[4:]),
        OWN[:3] + OWN[4:],
        (MALLOC.format("i2", 16), *OWN[1:]),
        (*OWN[:2], "i3 = int_add(i2, 12)", *OWN[3:]),
        (*OWN[:4], FREE.format("i2"), *OWN[4:7], *OWN[8:]),
        (*OWN[:7], *OWN[8:]),
        (*OWN[:7], *OWN[8:9], "finish(i2)"),
    ],
    ids=[
        "called with",
        "stored",
        "other index",
        "overlapping",
        "not written",
        "outside",
        "moved",
        "freed",
        "not freed",
        "result",
    ],
)
def test_other_buffers_stay(wrong: tuple[str, ...]) -> None:
    kept = tuple(line for line in wrong if line.startswith(("call_n(ConstClass(work", "setfield_gc")))
    verdict = judged(wrong, (*kept, *FORWARDED))
    assert not isinstance(verdict, Proved | Refuted)


@pytest.mark.parametrize("value", ["i2", "i1"])
def test_a_buffer_that_a_guard_hands_over_stays(value: str) -> None:
    def trace(guard: str) -> tuple[str, ...]:
        return (*OWN[:2], guard, *OWN[2:6], *OWN[7:])

    handing = trace(f"guard_nonnull(p0, descr=<Guard0x7f20>) [{value}]")
    moved = tuple(line.replace("i5", "7") for line in handing)
    shorter = ("guard_nonnull(p0, descr=<Guard0x7f20>) []", *FORWARDED)
    before = tuple(line.replace("i5", "7") for line in trace("guard_nonnull(p0)"))
    assert isinstance(judged(before, shorter), Proved)
    assert isinstance(judged(before, moved), Proved) is (value == "i1")


def test_memory_errors_of_other_addresses_are_not_passed_over() -> None:
    assert not isinstance(judged(OWN, ("check_memory_error(i1)", *FORWARDED)), Proved)


@pytest.mark.parametrize(
    "wrong",
    [
        (*OWN[:7], FREE.format("i3"), *OWN[8:]),
        (*OWN[:5], FREE.format("i2"), *OWN[5:7], *OWN[8:]),
        (*OWN[:7], *OWN[8:]),
    ],
    ids=["at another address", "too early", "not at all"],
)
def test_what_is_kept_is_freed(wrong: tuple[str, ...]) -> None:
    assert isinstance(judged(OWN, OWN), Proved)
    assert not isinstance(judged(OWN, wrong), Proved)


def test_items_without_a_sign() -> None:
    before = (
        MALLOC.format("i2", 1),
        "setarrayitem_raw(i2, 0, i1, descr=<ArrayU 1>)",
        "i4 = getarrayitem_raw_i(i2, 0, descr=<ArrayU 1>)",
        FREE.format("i2"),
        "finish(i4)",
    )
    assert isinstance(judged(before, ("i4 = int_and(i1, 255)", "finish(i4)")), Proved)
    assert not isinstance(judged(before, ("i4 = int_signext(i1, 1)", "finish(i4)")), Proved)


def test_memory_filled_with_zeros() -> None:
    before = (ZERO.format("i2", 8), "i4 = raw_load_i(i2, 0, descr=<ArrayU 2>)", FREE.format("i2"), "finish(i4)")
    assert isinstance(judged(before, ("finish(0)",)), Proved)
    assert not isinstance(judged(before, ("finish(1)",)), Proved)


FILLED = (MALLOC.format("i2", 8), "raw_store(i2, 0, i1, descr=<ArrayS 8>)")
MOVED = (WORK, *FILLED[:1], "check_memory_error(i2)", *FILLED[1:])
ADDED = ("i3 = int_add(i2, 4)", "setarrayitem_raw(i3, 0, 5, descr=<ArrayS 4>)")
OTHER = "setfield_gc(p0, i1, descr=<FieldS Data.other 24>)"
END = (GIVEN.format("i2"), "finish()")


def test_a_buffer_may_be_allocated_later_than_it_was() -> None:
    assert isinstance(judged((*FILLED, WORK, *END), (*MOVED, *END)), Proved)


def test_it_is_filled_at_addresses_in_it() -> None:
    assert isinstance(judged((*FILLED, *ADDED, WORK, *END), (*MOVED, *ADDED, *END)), Proved)


def test_to_allocate_touches_no_object() -> None:
    assert leaves("<Calli 8 i EF=5 OS=110>@malloc", "<FieldS Data.other 24>", frozenset(), Fields())
    before, after = (OTHER, *FILLED, "guard_no_exception()", *END), (*FILLED, END[0], OTHER, END[1])
    assert isinstance(judged(before, after), Proved)


@pytest.mark.parametrize(
    "after",
    [
        (*MOVED[:3], *END),
        (WORK, MALLOC.format("i2", 7), *FILLED[1:], *END),
        (*FILLED, *END[:1], WORK, "finish()"),
        (MALLOC.format("i3", 8), GIVEN.format("i3"), *MOVED, *END),
        (WORK, *FILLED, *END[:1], "raw_store(i2, 0, 3, descr=<ArrayS 8>)", "finish()"),
        (*MOVED, GIVEN.format("i1"), "finish()"),
        (*FILLED, "guard_nonnull(p0, descr=<Guard0x7f20>) [i2]", WORK, *END),
    ],
    ids=["not filled", "smaller", "given away early", "another", "written", "not given", "handed over"],
)
def test_it_is_the_same_buffer(after: tuple[str, ...]) -> None:
    assert not isinstance(judged((*FILLED, WORK, *END), after), Proved | Refuted)


def test_an_allocation_that_is_gone_is_not_refuted() -> None:
    verdict = judged((*FILLED[:1], "finish(i1)"), ("finish(i1)",))
    assert isinstance(verdict, Unknown)
    verdict = judged((*FILLED[:1], "finish(i2)"), ("finish(i1)",))
    assert isinstance(verdict, Unknown)


def test_a_buffer_that_others_have_does_not_move() -> None:
    assert not isinstance(judged((*FILLED, GIVEN.format("i2"), WORK, "finish()"), (*MOVED, *END)), Proved)
