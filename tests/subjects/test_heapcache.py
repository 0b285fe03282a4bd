"""The heap cache is right without a fault, and each fault can be seen."""

from __future__ import annotations

import pytest
from heapcache import optimize
from heapcache_faults import FAULTS
from judging import judged, traces
from planted import halves
from trace_text import parse

SHOWN = traces("heapcache_faults.txt")


@pytest.mark.parametrize("fault", [fault.name for fault in FAULTS])
def test_each_fault_can_be_seen(fault: str) -> None:
    assert judged(optimize, SHOWN[fault]) == "proved"
    assert judged(optimize, SHOWN[fault], [fault]) == "refuted"


def test_the_halves_are_halves() -> None:
    assert sorted(halves(FAULTS).values()) == ["held-out"] * 10 + ["tuning"] * 10


OPTIMIZED = traces("heapcache_optimized.txt")


@pytest.mark.parametrize("before", OPTIMIZED)
def test_it_optimizes(before: str) -> None:
    recorded, _, optimized = OPTIMIZED[before].partition("--\n")
    assert optimize(parse(recorded), False).text() == optimized
    assert judged(optimize, recorded) == "proved"
