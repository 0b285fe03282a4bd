"""Stores of what is there already change nothing, and nothing but these is taken for one."""

from __future__ import annotations

import pytest

from optimizer.ir.text import parse
from optimizer.ir.trace import Trace
from optimizer.ir.types.trace_layout import layout_of
from validator import Options, Proved, Refuted, validate
from validator.prove.pairing import encode_pair

READ = "i2 = getfield_gc_i(p0, descr=Box.count)\n"
IS_THREE = "guard_value(i2, 3) []\n"
STORE = "setfield_gc(p0, 3, descr=Box.count)\n"
END = "escape_n(p0)\nfinish(p0)"


def pair(before: str, after: str) -> tuple[Trace, Trace]:
    return parse("[p0, p1, i0]\n" + before), parse("[p0, p1, i0]\n" + after)


@pytest.mark.parametrize(
    "there",
    [
        READ + IS_THREE + STORE,
        READ + "setfield_gc(p0, i2, descr=Box.count)\n",
        READ + IS_THREE + "setfield_gc(p0, 4, descr=Box.count)\n" + STORE,
        READ + IS_THREE + "setfield_gc(p1, 7, descr=Box.size)\n" + STORE,
        "i2 = getarrayitem_gc_i(p0, i0, descr=Ints)\nsetarrayitem_gc(p0, i0, i2, descr=Ints)\n",
        "p2 = getfield_gc_r(p0, descr=Box.next)\nguard_isnull(p2) []\nsetfield_gc(p0, NULL, descr=Box.next)\n",
        "p2 = getfield_gc_r(p0, descr=Box.next)\nsetfield_gc(p0, p2, descr=Box.next)\n",
        "setfield_gc(p1, p0, descr=Box.next)\nguard_nonnull(p1) []\nsetfield_gc(p1, p0, descr=Box.next)\n",
    ],
)
def test_a_store_of_what_is_there_is_none(there: str) -> None:
    traces = pair(there + END, "".join(there.splitlines(keepends=True)[:-1]).replace("4, descr", "3, descr") + END)
    encoded = encode_pair(*traces, layout_of(*traces), Options())
    assert encoded.before.heap.chains == encoded.after.heap.chains
    verdict = validate(*traces, Options(audit=True))
    assert isinstance(verdict, Proved)
    assert verdict.evidence.audit is not None
    assert not verdict.evidence.audit.unsettled


@pytest.mark.parametrize(
    "changed",
    [
        READ + STORE,
        READ + IS_THREE + "setfield_gc(p0, 4, descr=Box.count)\n",
        READ + IS_THREE + "setfield_gc(p1, 3, descr=Box.count)\n",
        READ + IS_THREE + "setfield_gc(p1, 5, descr=Box.count)\n" + STORE,
        "setfield_gc(p1, 3, descr=Box.count)\n" + STORE,
        READ + IS_THREE + "escape_n(p0)\n" + STORE,
        READ + "guard_value(i0, 3) []\n" + STORE,
        "i2 = getarrayitem_gc_i(p0, i0, descr=Ints)\nsetarrayitem_gc(p0, 1, i2, descr=Ints)\n",
        "p2 = getfield_gc_r(p0, descr=Box.next)\nguard_nonnull(p2) []\nsetfield_gc(p0, NULL, descr=Box.next)\n",
        "p2 = getfield_gc_r(p0, descr=Box.next)\nsetfield_gc(p0, p1, descr=Box.next)\n",
        "p2 = new(descr=Box)\nsetfield_gc(p0, p2, descr=Box.next)\n",
    ],
)
def test_another_store_is_one(changed: str) -> None:
    without = "".join(changed.splitlines(keepends=True)[:-1])
    assert isinstance(validate(*pair(changed + END, without + END)), Refuted)


def test_a_guard_that_comes_later_says_nothing_of_an_exit_in_front() -> None:
    before = f"{READ}{STORE}guard_value(i0, 1) []\n{IS_THREE}finish()"
    assert isinstance(validate(*pair(before, before.replace(STORE, ""))), Refuted)


@pytest.mark.parametrize("chosen", ["", "setfield_gc(p1, p2, descr=Box.next)\nsetfield_gc(p0, p3, descr=Box.next)\n"])
def test_what_was_never_written_is_not_there(chosen: str) -> None:
    open_, new = "+++\ncleared = false\n+++\n[p0, p1]\n", "p2 = new(descr=Box)\np3 = new(descr=Box)\n"
    is_one = "p4 = getfield_gc_r(p1, descr=Box.next)\n" if chosen else "p4 = same_as_r(p2)\n"
    begin, end = f"{open_}{new}{chosen}{is_one}", "escape_n(p2, p3)\nfinish()"
    stored = parse(f"{begin}setfield_gc(p4, 0, descr=Box.count)\n{end}")
    assert isinstance(validate(stored, parse(begin + end)), Refuted)
