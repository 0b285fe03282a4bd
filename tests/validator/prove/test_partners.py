"""The partners of allocations whose names an optimizer has changed."""

from __future__ import annotations

import pytest

from optimizer.ir.text import parse
from validator import Proved, Refuted, validate
from validator.prove import pairing
from validator.prove.encode import encode

BEFORE = """\
[i0, i1]
p1 = new(descr=Point)
setfield_gc(p1, i0, descr=Point.x)
p2 = new(descr=Box)
setfield_gc(p2, i1, descr=Box.value)
p3 = new(descr=Box)
setfield_gc(p3, p1, descr=Box.point)
finish(p1, p2, p3)
"""
RENAMED = BEFORE.replace("p1", "p7")
SWAPPED = """\
[i0, i1]
p7 = new(descr=Point)
p8 = new(descr=Box)
p9 = new(descr=Box)
setfield_gc(p7, i0, descr=Point.x)
setfield_gc(p8, p7, descr=Box.point)
setfield_gc(p9, i1, descr=Box.value)
finish(p7, p9, p8)
"""


@pytest.mark.parametrize(("after", "times"), [(BEFORE, 2), (RENAMED, 2), (SWAPPED, 3)])
def test_the_only_allocation_of_its_type_is_one_whatever_it_is_called(
    after: str, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded = []

    def counted(*args: object) -> object:
        encoded.append(args)
        return encode(*args)  # type: ignore[arg-type]  # those of the function that it stands for

    monkeypatch.setattr(pairing, "encode", counted)
    assert isinstance(validate(parse(BEFORE), parse(after)), Proved)
    assert len(encoded) == times


@pytest.mark.parametrize(
    ("part", "wrong"),
    [
        ("finish(p7, p9, p8)", "finish(p7, p8, p9)"),
        ("setfield_gc(p7, i0, descr=Point.x)\n", ""),
        ("setfield_gc(p8, p7, descr=Box.point)", "setfield_gc(p8, p9, descr=Box.point)"),
        ("p9 = new(descr=Box)", "p9 = same_as_r(p8)"),
    ],
)
def test_what_is_not_the_same_object_is_told_from_it(part: str, wrong: str) -> None:
    assert part in SWAPPED
    assert isinstance(validate(parse(BEFORE), parse(SWAPPED.replace(part, wrong))), Refuted)
