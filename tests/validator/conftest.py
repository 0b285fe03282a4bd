"""Pairs are judged twice: as users have it, and with the solver alone, so that running cannot hide its mistakes."""

from __future__ import annotations

import pytest


@pytest.fixture(params=["all rungs", "solver alone"])
def rungs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "solver alone":
        monkeypatch.setattr("validator.search.running.sample_states", lambda *_: iter(()))
    return str(request.param)


@pytest.fixture
def no_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Running cannot hide what is wrong with proofs."""
    monkeypatch.setattr("validator.search.running.sample_states", lambda *_: iter(()))


@pytest.fixture
def solver_alone(no_samples: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every obligation goes to a solver: no cheaper rung settles it, and no state is tried or searched for."""
    monkeypatch.setattr("validator.prove.cheap_rungs.CheapRungs.settle", lambda *_: None)
    monkeypatch.setattr("validator.prove.discharge.find_values", lambda *_: None)
