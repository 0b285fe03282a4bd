"""Floats that are made of bytes, as attributes of objects hold them, and the bytes of these."""

from __future__ import annotations

import pytest

from tests.pypy_logs import bridge, judged, judged_last, loop, recorded
from validator import Proved
from validator.pypy.printed.float_bytes import FLOAT_BYTES

LOAD, MADE = "i1 = getarrayitem_gc_i(p0, 1, descr=<ArrayS 8>)", "f2 = convert_longlong_bytes_to_float(i1)"
BYTES, STORE = "i3 = convert_float_bytes_to_longlong(f2)", "setarrayitem_gc(p0, {}, {}, descr=<ArrayS 8>)"


@pytest.mark.parametrize(
    ("at", "made", "is_right"), [(1, MADE, True), (2, MADE, False), (1, "f2 = float_neg(f4)", False)]
)
def test_bytes_are_stored_again(at: int, made: str, *, is_right: bool) -> None:
    before = recorded("[p0, f4]", LOAD, made, BYTES, STORE.format(at, "i3"), "finish(f2)")
    (one,) = judged(before + bridge("[p0, f4]", *(f"+1: {line}" for line in (LOAD, made, "finish(f2)"))))
    assert isinstance(one.verdict, Proved) == is_right
    assert one.texts is not None
    assert (FLOAT_BYTES in one.texts.assumes) == (made == MADE)


def test_bytes_of_another_float_are_not_these() -> None:
    before = recorded("[p0, i5]", LOAD, MADE, BYTES, "finish(i3)")
    after = (LOAD, "f2 = convert_longlong_bytes_to_float(i5)", BYTES, "finish(i3)")
    (one,) = judged(before + bridge("[p0, i5]", *(f"+1: {line}" for line in after)))
    assert not isinstance(one.verdict, Proved)


def test_a_float_that_a_label_takes_is_of_other_bytes() -> None:
    def iteration(at: int, again: int, *, guard: str, made: str = "i{}") -> tuple[str, ...]:
        number, bound = f"i{again} = int_add(i{at}, 1)", f"i{again + 10} = int_lt(i{again}, 100)"
        return (STORE.format(0, made.format(at)), number, bound, f"guard_true(i{again + 10}{guard}")

    step = iteration(1, 4, guard=")")
    whole = recorded("[p0, i1]", *step, "jump(p0, i4, descr=<Loop-1>)") + loop(
        "[p0, i1]",
        "+1: label(p0, i1, descr=TargetToken(140))",
        *(f"+1: {line}" for line in iteration(1, 4, guard=", descr=<Guard0x991>) [p0, i4]")),
        "+1: f2 = convert_longlong_bytes_to_float(i4)",
        "+1: label(p0, i4, f2, descr=TargetToken(141))",
        f"+1: {BYTES}",
        *(f"+1: {line}" for line in iteration(4, 5, guard=", descr=<Guard0x992>) [p0, i5]", made="i3")),
        "+1: f26 = convert_longlong_bytes_to_float(i5)",
        "+1: jump(p0, i5, f26, descr=TargetToken(141))",
    )
    mark = "setfield_gc(p0, 7, descr=<FieldS Node.inst_mark 24>)"
    made = ("i7 = int_add(i1, 5)", "f28 = convert_longlong_bytes_to_float(i7)")
    after = (mark, *made, "jump(p0, i1, f28, descr=TargetToken(141))")
    behind = recorded("[p0, i1]", mark, "jump(p0, i1, descr=<Loop-1>)")
    behind += bridge("[p0, i1]", *(f"+1: {line}" for line in after)).replace("0x7f10", "0x992")
    wrong = judged_last(whole + behind)
    assert not isinstance(wrong.verdict, Proved)
