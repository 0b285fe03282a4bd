"""The traces of the first seeds are made once."""

from __future__ import annotations

import pytest

from fuzz.draw.generator import GeneratedTrace, generate_for


@pytest.fixture(scope="session")
def first_traces() -> list[GeneratedTrace]:
    return [generate_for(seed) for seed in range(1300)]
