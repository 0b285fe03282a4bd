"""Functions that may read the bytes of objects, which events on memory of objects change."""

from __future__ import annotations

import pytest

from optimizer.ir.text import parse
from validator import Options, Proved, validate
from validator.prove.memory import visibility

DECLARED = """+++
[struct.A]
fields = { x = "int", y = "int" }
[call.look]
result = "int"
elidable = true
reads = ["A.y"]
[call.change]
result = "void"
reads = []
writes = ["A.x"]
can_raise = false
+++
[p0, i1]
"""
LOOK = "i2 = call_pure_i(1, p0, descr=look)\n"
CHANGE = "call_n(2, i1, descr=change)\n"
OPTIONS = Options(effort=1_000_000, timeout_s=5.0)


def is_proved(bytes_: str, end: str) -> bool:
    before = parse(f"{DECLARED}{bytes_}{LOOK}{CHANGE}{end}")
    after = parse(f"{DECLARED}{bytes_}{CHANGE}{LOOK}{end}")
    return isinstance(validate(before, after, OPTIONS), Proved)


@pytest.mark.parametrize(
    ("bytes_", "end"),
    [("gc_store(p0, 8, i1, 8)\n", "finish(i2)"), ("i3 = gc_load_i(p0, 8, 8)\n", "finish(i2, i3)")],
)
def test_bytes_that_an_event_changes_are_not_what_they_were(
    bytes_: str, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not is_proved(bytes_, end)
    monkeypatch.setattr(visibility, "_renewals", lambda _chain: [])
    assert is_proved(bytes_, end)


def test_a_field_that_an_event_does_not_name_is_what_it_was() -> None:
    assert is_proved("", "finish(i2)")
