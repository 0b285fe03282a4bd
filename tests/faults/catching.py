"""Runs the tests that are to catch a fault of the validator, with the fault planted: `pytest -p faults.catching --plant
NAME` in a process of its own."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from faults.planting import ValidatorFault, planted

_ROOT = Path(__file__).parent.parent.parent
_LONGEST_S = 300.0


@dataclass(frozen=True, slots=True)
class Caught:
    """Which tests failed with the fault planted, and which did not; or why one could not be run."""

    by: tuple[str, ...]
    missed: tuple[str, ...]
    seconds: float
    broken: str = ""


def catch(fault: ValidatorFault) -> Caught:
    """What the tests that are to catch the fault say of it, each run until its first failure."""
    start = time.monotonic()
    outcomes = {test: _fails(fault, test) for test in fault.catches}
    by = tuple(test for test, fails in outcomes.items() if fails)
    return Caught(by, tuple(test for test in outcomes if test not in by), time.monotonic() - start)


def _fails(fault: ValidatorFault, test: str) -> bool:
    """Does a test fail? Raises RuntimeError where there is none, it cannot be run, or the fault itself breaks down."""
    try:
        done = run_test(fault, test)
    except subprocess.TimeoutExpired:
        return True
    broken = re.search(r"\d+ errors?\b|faults/\w+\.py:\d+: \w+Error", done.stdout)
    if done.returncode not in (0, 1) or broken is not None:
        raise RuntimeError(f"{test} could not be run with {fault.name!r}:\n{done.stdout}{done.stderr}")
    return done.returncode == 1


def run_test(fault: ValidatorFault, test: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Runs a test with the fault planted. Raises subprocess.TimeoutExpired."""
    command = [sys.executable, "-m", "pytest", "-x", "--assert=plain", "-p", "faults.catching", "--plant", fault.name]
    command += [f"tests/{test}", *options, "-p", "no:cacheprovider"]
    path = ":".join([str(_ROOT), str(_ROOT / "tests")])
    return subprocess.run(
        command, cwd=_ROOT, capture_output=True, text=True, timeout=_LONGEST_S,
        env={"PYTHONPATH": path, "HYPOTHESIS_PROFILE": "ci", "PATH": "/usr/bin:/bin"}, check=False,
    )  # fmt: skip


# What pytest asks a plugin.


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--plant", metavar="NAME", help="run with this fault of tests/faults planted in the validator")


@pytest.fixture(autouse=True, scope="session")
def plant(request: pytest.FixtureRequest) -> Iterator[None]:
    from faults.table import VALIDATOR_FAULTS

    with planted(next(fault for fault in VALIDATOR_FAULTS if fault.name == request.config.getoption("--plant"))):
        yield
