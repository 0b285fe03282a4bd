"""Hypothesis profiles: `default`, `ci` (no surprises), `soak` (long). Ctrl-C is heard, and no test leaves a process."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from processes import end_all

from validator.command.exits import collect_seldom

# Where these tests run in the background, interrupts are ignored, and would be by all that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

settings.register_profile("default", max_examples=25, deadline=None)
settings.register_profile(
    "ci", max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("soak", max_examples=5000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_collection_finish() -> None:
    """Cycles are looked for behind each module alone. What is collected stays."""
    collect_seldom()
    gc.disable()


@pytest.fixture(autouse=True, scope="module")
def _memory_is_freed() -> Iterator[None]:
    """Terms of Z3 are large, and Python sees little of that. What older modules keep is not looked at again."""
    yield
    gc.collect(0)


@pytest.fixture(autouse=True)
def _no_process_is_left() -> Iterator[None]:
    yield
    end_all()
