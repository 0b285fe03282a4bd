"""Pairs are judged twice: as users have it, and with the solver alone, so that running cannot hide its mistakes."""

from __future__ import annotations

import pytest


@pytest.fixture(params=["all rungs", "solver alone"])
def rungs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "solver alone":
        monkeypatch.setattr("validator.search.running.sample_states", lambda *_: iter(()))
    return str(request.param)
