"""Floats that are made of bytes, as attributes of objects hold them, and the bytes of these."""

from __future__ import annotations

import pytest

from tests.pypy_logs import bridge, judged, recorded
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
