"""Optimizers that tests write stand in a module `mine`, which is gone behind each test; `traceproof` has a folder."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import Command


@pytest.fixture(autouse=True)
def _no_module_is_left() -> Iterator[None]:
    yield
    sys.modules.pop("mine", None)


@pytest.fixture
def traceproof(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return Command(tmp_path, capsys)
