"""Pairs in which too much may be the same end with a word about it, not with minutes of work."""

from __future__ import annotations

import pytest

from optimizer.ir.text import parse
from optimizer.ir.trace import Trace
from validator.prove import encode
from validator.prove.judge import validate
from validator.verdict import Proved, Unsupported


def reads_behind_stores(depth: int) -> Trace:
    """Each object is put into the one before it, and the next one is read from an earlier one."""
    lines = ["[p0, p1]"]
    for k in range(1, depth):
        lines += [f"setfield_gc(p{k}, p{k - 1}, descr=N.next)", f"p{k + 1} = getfield_gc_r(p{k // 2}, descr=N.next)"]
    types = "+++\n[struct.N]\nfields = { next = 'ref' }\n+++"
    return parse("\n".join([types, *lines, f"finish(p{depth})"]))


def test_too_many_ways_are_unsupported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encode, "MOST_TERMS", 2000)
    small, large = reads_behind_stores(8), reads_behind_stores(30)
    assert isinstance(validate(small, small), Proved)
    verdict = validate(large, large)
    assert isinstance(verdict, Unsupported)
    assert verdict.reason.endswith("there are too many ways in which pointers or indices may be the same")
    assert verdict.reason.startswith("line ")
    assert verdict.trace == "before"
