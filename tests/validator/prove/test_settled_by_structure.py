"""What structure alone settles: both traces build the same memory where one has left out what does not matter."""

from __future__ import annotations

import pytest

from optimizer.ir.text import parse
from validator import Proved, Refuted, validate

HEADER = """+++
[struct.Node.fields]
value = "int"
next = "ref"
[struct.Raw]
cleared = false
fields = { value = "int" }
+++
[i0, i1, i2, p3, p4]
"""
VALUE = "descr=Node.value"
NEXT = "descr=Node.next"
MAYBE_FRESH = (
    f"p5 = new(descr=Raw); setfield_gc(p3, p5, {NEXT}); p6 = getfield_gc_r(p4, {NEXT}); "
    "i6 = getfield_gc_i(p6, descr=Raw.value)"
)

RIGHT = {
    "a store of what was read there": (
        f"i5 = getfield_gc_i(p3, {VALUE}); setfield_gc(p3, i5, {VALUE}); i6 = getfield_gc_i(p4, {VALUE})",
        f"i5 = getfield_gc_i(p3, {VALUE}); i6 = getfield_gc_i(p4, {VALUE})",
    ),
    "through a reference that may be one of two": (
        f"setfield_gc(p3, p4, {NEXT}); p5 = getfield_gc_r(p4, {NEXT}); setfield_gc(p5, i0, {VALUE}); "
        f"i6 = getfield_gc_i(p5, {VALUE}); setfield_gc(p3, i1, {VALUE}); finish(i6, p5)",
        f"setfield_gc(p3, p4, {NEXT}); p5 = getfield_gc_r(p4, {NEXT}); setfield_gc(p5, i0, {VALUE}); "
        f"setfield_gc(p3, i1, {VALUE}); finish(i0, p5)",
    ),
    "bytes that a later store covers": (
        "raw_store(i0, 1, 5, descr=<ArrayU 2>); raw_store(i1, 0, 6, descr=<ArrayU 1>); raw_store(i0, 0, 7, descr=w)",
        "raw_store(i1, 0, 6, descr=<ArrayU 1>); raw_store(i0, 0, 7, descr=w)",
    ),
    "the bytes of what a load extends": (
        "i5 = raw_load_i(i0, 0, descr=<ArrayS 2>); raw_store(i1, 0, i5, descr=<ArrayU 2>)",
        "i5 = raw_load_i(i0, 0, descr=<ArrayU 2>); raw_store(i1, 0, i5, descr=<ArrayU 2>)",
    ),
    "and of what has a mask": (
        "i5 = int_and(i2, 511); raw_store(i1, 0, i5, descr=<ArrayU 1>)",
        "raw_store(i1, 0, i2, descr=<ArrayU 1>)",
    ),
    "what a guard has said is stored": (
        "i5 = int_lt(i0, i1); guard_true(i5) []; raw_store(i2, 0, i5, descr=w); i6 = raw_load_i(i1, i5, descr=w)",
        "i5 = int_lt(i0, i1); guard_true(i5) []; raw_store(i2, 0, 1, descr=w); i6 = raw_load_i(i1, 1, descr=w)",
    ),
    "and what it denies": (
        "i5 = int_ne(i0, i1); guard_false(i5) []; raw_store(i2, 0, i5, descr=w); finish(i5)",
        "i5 = int_ne(i0, i1); guard_false(i5) []; raw_store(i2, 0, 0, descr=w); finish(0)",
    ),
    "a reference that is NULL": (
        f"guard_isnull(p3) [p3]; setfield_gc(p4, p3, {NEXT}); finish(p3)",
        f"guard_isnull(p3) [p3]; setfield_gc(p4, NULL, {NEXT}); finish(NULL)",
    ),
}

WRONG = {
    "a store of what was read there before another one": (
        "end: heap Node.value",
        f"i5 = getfield_gc_i(p3, {VALUE}); setfield_gc(p4, i0, {VALUE}); setfield_gc(p3, i5, {VALUE})",
        f"i5 = getfield_gc_i(p3, {VALUE}); setfield_gc(p4, i0, {VALUE})",
    ),
    "zero in memory that was not cleared": (
        "end: heap Raw.value",
        f"{MAYBE_FRESH}; setfield_gc(p5, 0, descr=Raw.value); finish(p5, i6)",
        f"{MAYBE_FRESH}; setfield_gc(p5, 1, descr=Raw.value); finish(p5, i6)",
    ),
    "no zero in memory that was not cleared": (
        "end: heap Raw.value",
        f"{MAYBE_FRESH}; setfield_gc(p5, 0, descr=Raw.value); finish(p5, i6)",
        f"{MAYBE_FRESH}; finish(p5, i6)",
    ),
    "bytes that a later store only meets": (
        "end: heap raw[]",
        "raw_store(i0, 1, 5, descr=<ArrayU 2>); raw_store(i1, 0, 6, descr=<ArrayU 1>); "
        "raw_store(i0, 0, 7, descr=<ArrayU 2>)",
        "raw_store(i1, 0, 6, descr=<ArrayU 1>); raw_store(i0, 0, 7, descr=<ArrayU 2>)",
    ),
    "bytes that begin ahead of a later store": (
        "end: heap raw[]",
        "raw_store(i0, -1, 5, descr=<ArrayU 2>); raw_store(i1, 0, 6, descr=<ArrayU 1>); raw_store(i0, 0, 7, descr=w)",
        "raw_store(i1, 0, 6, descr=<ArrayU 1>); raw_store(i0, 0, 7, descr=w)",
    ),
    "more bytes than a load extends": (
        "end: heap raw[]",
        "i5 = raw_load_i(i0, 0, descr=<ArrayS 2>); raw_store(i1, 0, i5, descr=<ArrayU 4>)",
        "i5 = raw_load_i(i0, 0, descr=<ArrayU 2>); raw_store(i1, 0, i5, descr=<ArrayU 4>)",
    ),
    "more bytes than a mask has": (
        "end: heap raw[]",
        "i5 = int_and(i2, 255); raw_store(i1, 0, i5, descr=<ArrayU 2>)",
        "raw_store(i1, 0, i2, descr=<ArrayU 2>)",
    ),
    "what a guard has said, where it fails": (
        "guard 0: failarg 0",
        "i5 = int_lt(i0, i1); guard_true(i5) [i5]",
        "i5 = int_lt(i0, i1); guard_true(i5, origin=0) [1]",
    ),
    "the same in its exit block": (
        "guard 0: heap Node.value",
        f"p5 = new(descr=Node); i6 = int_lt(i0, i1); setfield_gc(p5, i6, {VALUE}); guard_true(i6) [p5]",
        f"i6 = int_lt(i0, i1); guard_true(i6, origin=0) [p5] {{; p5 = new(descr=Node); setfield_gc(p5, 1, {VALUE}); }}",
    ),
}


def trace_of(body: str) -> str:
    lines = [line.strip() for line in body.split(";")]
    return "\n".join([HEADER, *lines, *([] if "finish" in body else ["finish()"])])


@pytest.mark.parametrize("name", RIGHT)
def test_right_pairs(name: str) -> None:
    verdict = validate(*(parse(trace_of(body)) for body in RIGHT[name]))
    assert isinstance(verdict, Proved), verdict
    assert {one.by for one in verdict.evidence.obligations} <= {"structure"}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_pairs(name: str) -> None:
    obligation, *bodies = WRONG[name]
    verdict = validate(*(parse(trace_of(body)) for body in bodies))
    assert isinstance(verdict, Refuted), verdict
    assert verdict.counterexample.obligation == obligation


def test_an_exit_block_that_is_encoded_again_knows_nothing_of_its_guard() -> None:
    """Its allocation is matched, and the block is encoded again: with what was known in front of the guard."""
    block = f"{{; p6 = new(descr=Node); setfield_gc(p6, i5, {VALUE}); }}"
    before = f"p6 = new(descr=Node); i5 = int_lt(i0, i1); setfield_gc(p6, {{}}, {VALUE}); guard_true(i5) [p6]"
    after = f"i5 = int_lt(i0, i1); guard_true(i5, origin=0) [p6] {block}"
    assert isinstance(validate(parse(trace_of(before.format("i5"))), parse(trace_of(after))), Proved)
    assert isinstance(validate(parse(trace_of(before.format("1"))), parse(trace_of(after))), Refuted)
