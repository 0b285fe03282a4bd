"""Transfer functions of bounds are right for all inputs of a small width, and no less precise than they were."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fuzz.selftest import analyses
from fuzz.selftest.analyses import AnalysisProof, analysed, prove_analyses
from optimizer.facts.narrowing import Narrowed

KNOWN = Path(__file__).parent / "precision.json"
"""How many answers are the best, of how many questions; to be written anew where there are more of them."""


@pytest.fixture(scope="module")
def proofs() -> list[AnalysisProof]:
    return list(prove_analyses(5))


def test_all_are_right(proofs: list[AnalysisProof]) -> None:
    assert {proof.operation for proof in proofs} == {row.name for row in analysed()}
    assert len(proofs) == len(analysed()) + sum(row.meaning is not None for row in analysed())
    assert all(not proof.wrong for proof in proofs)


def test_none_loses_precision(proofs: list[AnalysisProof]) -> None:
    known = json.loads(KNOWN.read_text())
    told = {f"{proof.operation} {proof.direction}": [proof.best, proof.questions] for proof in proofs}
    assert told.keys() == known.keys()
    for name, (best, questions) in known.items():
        assert told[name][1] == questions, name
        assert told[name][0] >= best, name


def wrong(name: str) -> set[str]:
    rows = [row for row in analysed() if row.name == name]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(analyses, "analysed", lambda: rows)
        return {proof.direction for proof in prove_analyses(5) if proof.wrong}


def test_a_bound_that_is_too_small_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert wrong("int_sub") == set()
    monkeypatch.setattr(analyses, "narrow", lambda row, word, args, *_: Narrowed(args, args[0]))
    assert "forward" in wrong("int_sub")


def test_a_value_that_is_narrowed_away_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analyses, "narrow", lambda *_: None)
    assert "both ways" in wrong("int_xor")


def test_a_wrong_flag_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analyses, "holds", lambda *_: False)
    assert wrong("int_add_ovf") == {"forward"}
