"""Every planted fault of an optimizer of heaps is found by a campaign within a minute, on one core."""

from __future__ import annotations

import pytest
from heap_faults import FAULTS, PlantedFault, find
from heap_patterns import Told

from fuzz.generate import generate_for


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.name for fault in FAULTS])
def test_a_campaign_finds_the_fault(fault: PlantedFault) -> None:
    assert find(fault, seconds=60.0) is not None


SEEDS = 2000


@pytest.fixture(scope="module")
def told() -> list[Told]:
    return [Told(generate_for(seed).trace) for seed in range(SEEDS)]


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.name for fault in FAULTS])
def test_what_shows_a_fault_is_generated_often(told: list[Told], fault: PlantedFault) -> None:
    assert sum(map(fault.shows_on, told)) > SEEDS // 100
