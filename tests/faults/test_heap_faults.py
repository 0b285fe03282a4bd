"""What shows the faults of an optimizer of heaps is generated often."""

from __future__ import annotations

import pytest
from faults.heap_faults import SHOWS_ON
from faults.heap_patterns import Told

from fuzz.draw.generator import generate_for

SEEDS = 600


@pytest.fixture(scope="module")
def told() -> list[Told]:
    return [Told(generate_for(seed).trace) for seed in range(SEEDS)]


@pytest.mark.parametrize("name", SHOWS_ON)
def test_what_shows_a_fault_is_generated_often(told: list[Told], name: str) -> None:
    assert sum(map(SHOWS_ON[name], told)) > SEEDS // 200
