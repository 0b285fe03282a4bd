"""The terms of one test are gone before the next one: those of Z3 are large, and Python sees little of that."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _memory_is_freed_at_once() -> Iterator[None]:
    yield
    gc.collect(0)
