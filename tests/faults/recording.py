"""Keeps what a validator with a planted fault proves in a test: `pytest -p faults.recording --record FILE`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from optimizer.ir.text import format_trace
from validator.prove.certify import certify
from validator.prove.judge import _Judge
from validator.verdict import Proved, Verdict


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record", metavar="FILE", help="add a line of JSON for each proof")


@pytest.fixture(autouse=True, scope="session")
def record(request: pytest.FixtureRequest) -> Iterator[None]:
    right, path = _Judge._proved, Path(request.config.getoption("--record"))

    def proved(judge: Any, attempt: Any) -> Verdict:
        verdict = right(judge, attempt)
        if isinstance(verdict, Proved):
            with path.open("a") as file:
                file.write(json.dumps(_line(judge, attempt)) + "\n")
        return verdict

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_Judge, "_proved", proved)
        yield


def _line(judge: Any, attempt: Any) -> dict[str, Any]:
    return {
        "before": format_trace(judge._before),
        "after": format_trace(judge._after),
        "guards": judge._options.guards.value,
        "failargs": judge._options.failargs.value,
        "certificate": asdict(certify(judge._pair, attempt.origins)),
    }
