"""Transfer functions of bounds are right for all inputs of a small width, and no less precise than they were."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fuzz.selftest import analyses
from fuzz.selftest.analyses import AnalysisProof, analysed, prove_analyses
from optimizer.facts.narrowing import Narrowed
from optimizer.ir.domains.bounds import Bounds, bounds_domain

KNOWN = Path(__file__).parent / "precision.json"
"""How many answers are the best, of how many questions; to be written anew where there are more of them."""


@pytest.fixture(scope="module")
def proofs() -> list[AnalysisProof]:
    return list(prove_analyses(500, 100))


def test_all_are_right(proofs: list[AnalysisProof]) -> None:
    assert {proof.operation for proof in proofs} == {row.name for row in analysed()}
    assert len(proofs) == 2 * (len(analysed()) + sum(row.meaning is not None for row in analysed()))
    assert all(proof.is_all for proof in proofs if proof.direction == "both ways" and proof.width == 2)
    assert all(not proof.wrong for proof in proofs)


def test_none_loses_precision(proofs: list[AnalysisProof]) -> None:
    known = json.loads(KNOWN.read_text())
    told = {f"{proof.operation} {proof.direction} {proof.width}": [proof.best, proof.questions] for proof in proofs}
    assert told.keys() == known.keys()
    for name, (best, questions) in known.items():
        assert told[name][1] == questions, name
        assert told[name][0] >= best, name


def wrong(name: str) -> set[str]:
    rows = [row for row in analysed() if row.name == name]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(analyses, "analysed", lambda: rows)
        return {f"{proof.direction} {proof.width}" for proof in prove_analyses(500, 100) if proof.wrong}


def test_a_bound_that_is_too_small_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert wrong("int_sub") == set()
    monkeypatch.setattr(analyses, "narrow", lambda row, word, args, *_: Narrowed(args, args[0]))
    assert {"forward 3", "forward 4"} <= wrong("int_sub")


def test_a_value_that_is_narrowed_away_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analyses, "narrow", lambda *_: None)
    assert {"both ways 2", "both ways 3"} <= wrong("int_xor")


def test_a_wrong_flag_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analyses, "holds", lambda *_: False)
    assert wrong("int_add_ovf") == {"forward 3", "forward 4"}


def test_bounds_that_are_tried_are_spread_over_all_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = set()

    def told(_row: object, _word: int, args: tuple[Bounds, ...], *_: object) -> Narrowed:
        tried.add(args)
        return Narrowed(args, bounds_domain(4).top)

    monkeypatch.setattr(analyses, "narrow", told)
    (row,) = (row for row in analysed() if row.name == "int_add")
    proof = analyses._Inputs(row, 4).forward(20_000)
    assert proof.questions == len(tried) <= 20_000
    assert not proof.is_all
    for place in (0, 1):
        assert len({args[place] for args in tried}) > 1700
